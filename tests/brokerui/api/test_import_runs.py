"""Imports that take longer than a request: kept, done by a worker, asked about; sent again without harm."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.analysis.imports import import_job
from brokerui.analysis.imports.models import ImportRun
from brokerui.api import import_runs
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from routing.model.edits import SetHopLimit
from tests.brokerui.api.helpers import API, SMALL
from tests.brokerui.api.test_estate import IMPORT, OTHER, ROUTE, instances, raw
from tests.brokerui.site import signed_in

pytestmark = pytest.mark.usefixtures("shared_small")
LATER = {"Prefer": "respond-async"}
KEY = {"Idempotency_Key": "one"}


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each wake-up of a worker; the tests do the work."""
    calls: list[int] = []
    monkeypatch.setattr(import_runs, "wake_work", lambda: calls.append(1))
    return calls


def progress_of(client: Client, response: Any) -> dict[str, Any]:
    """The state of the import at the address in the answer."""
    answer = client.get(response.headers["Location"])
    assert answer.status_code == 200
    return dict(answer.json())


def test_what_takes_long_is_kept_and_done_later(client: Client, woken: list[int], monkeypatch: Any) -> None:
    monkeypatch.setattr(import_job, "SMALL_BYTES", 10)
    sent = raw(client, OTHER, query="?note=moved")
    assert (sent.status_code, sent.headers["Retry-After"], woken) == (202, "1", [1])
    waiting = progress_of(client, sent)
    assert sent.json() == waiting
    assert (waiting["state"], waiting["result"], waiting["problem"]) == ("waiting", None, None)
    assert instances() == {"hub", "far/away"}
    jobs_run()
    done = progress_of(client, sent)
    assert (done["state"], done["problem"], instances()) == ("done", None, {"other"})
    assert done["result"]["version"] == 2
    assert done["result"]["counts"]["instances"] == 1
    assert "Retry-After" not in client.get(sent.headers["Location"]).headers
    assert client.get(f"{API}/versions/2/").json()["note"] == "moved"
    assert client.get(f"/imports/{done['id']}/").status_code == 200


def test_a_large_estate_is_reason_enough(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(import_job, "SMALL_ROUTES", 2)
    assert raw(client, ROUTE, "application/sql", "?instance=host1").status_code == 202


def test_the_result_is_that_of_an_import_at_once(client: Client) -> None:
    script = f"{ROUTE}{ROUTE}"
    at_once = raw(client, script, "application/sql", "?instance=hub&dry_run=true").json()
    sent = raw(client, script, "application/sql", "?instance=hub&dry_run=true", **LATER)
    jobs_run()
    later = progress_of(client, sent)
    assert (later["state"], later["dry_run"]) == ("done", True)
    assert later["result"] == at_once
    assert at_once["findings_total"] > 0
    assert estate_current().version == 1


def test_what_is_wrong_is_told_as_it_would_have_been(client: Client) -> None:
    wrong = SMALL.replace('"LOCAL"', '"nowhere"', 1)
    at_once, sent = raw(client, wrong), raw(client, wrong, **LATER)
    jobs_run()
    failed = progress_of(client, sent)
    assert (failed["state"], failed["result"]) == ("failed", None)
    assert {**failed["problem"], "detail": ""} == {**at_once.json(), "detail": ""}
    assert failed["problem"]["detail"].endswith(at_once.json()["errors"][0]["detail"])
    assert instances() == {"hub", "far/away"}


def test_a_fault_of_ours_is_told_as_one(client: Client, monkeypatch: Any) -> None:
    sent = raw(client, OTHER, **LATER)
    monkeypatch.setattr(import_job, "build_estate", lambda *_: 1 / 0)
    for _ in range(3):
        Job.objects.update(due_at=timezone.now())
        jobs_run()
    problem = progress_of(client, sent)["problem"]
    assert (problem["status"], problem["code"]) == (500, "server_error")


def test_it_is_applied_to_the_version_that_was_seen_only(client: Client) -> None:
    tag = client.get(f"{API}/estate/").headers["ETag"]
    assert raw(client, OTHER, If_Match='"x"', **LATER).status_code == 412
    sent = raw(client, OTHER, If_Match=tag, **LATER)
    estate_edit(edits=[SetHopLimit(3)], base_version=1, author="x")
    jobs_run()
    problem = progress_of(client, sent)["problem"]
    assert (problem["status"], problem["code"]) == (409, "conflict")
    assert estate_current().version == 2
    sent = raw(client, OTHER, **LATER)
    estate_edit(edits=[SetHopLimit(4)], base_version=2, author="x")
    jobs_run()
    assert (progress_of(client, sent)["state"], instances()) == ("done", {"other"})


def test_what_comes_while_it_is_applied_is_not_written_over(client: Client, monkeypatch: Any) -> None:
    sent, real = raw(client, OTHER, **LATER), import_job.difference_made

    def slowly(*args: Any) -> Any:
        estate_edit(edits=[SetHopLimit(3)], base_version=1, author="x")
        return real(*args)

    monkeypatch.setattr(import_job, "difference_made", slowly)
    jobs_run()
    assert progress_of(client, sent)["problem"]["code"] == "conflict"
    assert instances() == {"hub", "far/away"}


def test_it_can_be_discarded_before_it_is_done(client: Client) -> None:
    sent = raw(client, OTHER, **LATER)
    client.post(f"/imports/{progress_of(client, sent)['id']}/discard/")
    jobs_run()
    assert (progress_of(client, sent)["state"], instances()) == ("discarded", {"hub", "far/away"})


def test_one_that_failed_can_be_taken_up_on_the_page(client: Client) -> None:
    number = progress_of(client, sent := raw(client, SMALL.replace('"LOCAL"', '"nowhere"', 1), **LATER))["id"]
    jobs_run()
    page = client.get(f"/imports/{number}/")
    assert b"must be LOCAL, TRANSPORT or tcp://HOST[:PORT]" in page.content
    client.post(f"/imports/{number}/again/")
    jobs_run()
    assert progress_of(client, sent)["state"] == "failed"
    assert not ImportRun.objects.get().unattended


# -- Sending it again --------------------------------------------------------------------------------------


def test_the_same_key_is_the_same_import(client: Client) -> None:
    first, second = (raw(client, OTHER, **LATER, **KEY) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    jobs_run()
    third = raw(client, OTHER, **LATER, **KEY)
    assert (third.status_code, third.json()) == (200, progress_of(client, first)["result"])
    assert ImportRun.objects.count() == 1
    assert AuditEntry.objects.filter(action="estate.import", version__number=2).count() == 1


def test_what_was_done_at_once_is_done_once_too(client: Client) -> None:
    request = ("application/sql", "?instance=hub&mode=into")
    tag = client.get(f"{API}/estate/").headers["ETag"]
    script = "USE Sales; CREATE ROUTE New WITH ADDRESS = 'LOCAL';"
    first, second = (raw(client, script, *request, If_Match=tag, **KEY) for _ in range(2))
    assert (first.status_code, first.json()) == (200, second.json())
    assert first.json()["complete"] is True
    assert estate_current().version == 2


def test_a_failure_is_told_again(client: Client) -> None:
    wrong = SMALL.replace('"LOCAL"', '"nowhere"', 1)
    first, second = (raw(client, wrong, **KEY) for _ in range(2))
    assert (first.status_code, second.status_code, first.json()) == (422, 422, second.json())


@pytest.mark.parametrize(("body", "query"), [(SMALL, ""), (OTHER, "?dry_run=true"), (OTHER, "?mode=instances")])
def test_a_key_is_for_one_import_only(client: Client, body: str, query: str) -> None:
    raw(client, OTHER, **LATER, **KEY)
    refused = raw(client, body, query=query, **LATER, **KEY)
    assert refused.status_code == 422
    assert "Idempotency-Key" in refused.json()["detail"]
    assert ImportRun.objects.count() == 1


def test_keys_of_others_are_others(client: Client) -> None:
    raw(client, OTHER, **LATER, **KEY)
    other = signed_in(Role.EDITOR)
    assert raw(other, SMALL, **LATER, **KEY).status_code == 202
    assert ImportRun.objects.count() == 2


@pytest.mark.parametrize("key", ["x" * 65, "a\tb"])
def test_what_is_no_key_is_refused(client: Client, key: str) -> None:
    assert raw(client, OTHER, Idempotency_Key=key).status_code == 400
    assert not ImportRun.objects.exists()


# -- Imports that do not exist -----------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["0", "999", "x", "9" * 30, "-1", "\u0661"])
def test_there_is_no_such_import(client: Client, number: str) -> None:
    answer = client.get(f"{API}/estate/import/runs/{number}/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_name_that_no_instance_has_is_refused_before_anything_is_kept(client: Client) -> None:
    assert raw(client, ROUTE, "application/sql", f"?instance={'x' * 300}", **LATER).status_code == 400
    form = {"file": SimpleUploadedFile("routes.sql", ROUTE.encode()), "instance": "x" * 300}
    refused = client.post(IMPORT, form, headers=LATER)
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, "instance")
    assert not ImportRun.objects.exists()
