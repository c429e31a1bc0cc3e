"""What a draft does, over REST: as `brokerui diff` says it, and whether anything speaks against it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from brokerui.analysis.effect import effect
from brokerui.analysis.effect.models import KeptReport
from brokerui.analysis.effect.report import REPORT
from brokerui.cli.main import main
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import cancel
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.estate_document import write_estate
from tests.brokerui.api.helpers import API, send

CHANGES = f"{API}/changes/"
ASK = {"edit": "drop_route", "instance": "office", "database": "Ledger", "name": "AskForRoutes"}
LABELS = {"edit": "drop_route", "instance": "shop", "database": "Orders", "name": "LabelsAtDepot"}
POST = {
    "edit": "put_route",
    "instance": "shop",
    "database": "Orders",
    "route": {"name": "PostRoute", "remote_service_name": "//example/ledger/Post", "address": "tcp://office.example"},
}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine compares within the request too, whatever another test has left in memory."""
    effect.forget()
    monkeypatch.setattr(effect, "QUICK_S", 60.0)


@pytest.fixture
def drafted(editor: Client) -> Callable[..., str]:
    """Begins a draft of the example with these edits; gives its address."""
    estate_import(estate=scenario_get("three-servers"), author="import")

    def begin(*edits: dict[str, Any]) -> str:
        made = send(editor, "post", CHANGES, {"name": "Move", "edits": list(edits)})
        assert made.status_code == 201, made.content
        return made.headers["Location"]

    return begin


def body_of(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 200, answer.content
    content = answer.getvalue() if answer.streaming else answer.content
    found: dict[str, Any] = json.loads(content)
    return found


def test_a_draft_is_compared_as_the_command_compares(
    viewer: Client, drafted: Callable[..., str], tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = drafted(ASK, LABELS, POST)
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(write_estate(scenario_get("three-servers")))
    after.write_bytes(b"".join(viewer.get(f"{draft}estate/").streaming_content))
    assert main(["diff", str(before), str(after), "--format", "json"]) == 3
    printed = json.loads(capsys.readouterr().out)
    got = body_of(viewer.get(f"{draft}diff/"))
    assert got.pop("version") == 1
    assert got == printed
    assert got["summary"]["worse"] > 0
    assert {"kind", "messages"} <= got["changed"][0].keys()


def test_rows_are_cut_and_groups_are_not(viewer: Client, drafted: Callable[..., str]) -> None:
    draft = drafted(ASK)
    whole, cut = body_of(viewer.get(f"{draft}diff/")), body_of(viewer.get(f"{draft}diff/?limit=1"))
    assert (len(cut["changed"]), cut["truncated"], whole["truncated"]) == (1, True, False)
    assert cut["groups"] == whole["groups"]
    assert viewer.get(f"{draft}diff/?limit=-1").status_code == 400
    assert viewer.get(f"{draft}diff/?limt=1").status_code == 400


def test_checks_name_new_and_gone_findings(viewer: Client, drafted: Callable[..., str]) -> None:
    found = body_of(viewer.get(f"{drafted(ASK, LABELS, POST)}checks/"))
    assert [one["code"] for one in found["findings"]["new"]] == ["no-return-route"]
    assert "wrong-port" in [one["code"] for one in found["findings"]["gone"]]
    assert found["diff"].keys() == {"worse", "better", "moved", "unchanged"}
    assert (found["tests"], found["passed"]) == ([], False)


def test_a_draft_that_mends_passes(viewer: Client, drafted: Callable[..., str]) -> None:
    found = body_of(viewer.get(f"{drafted(POST)}checks/"))
    assert (found["findings"]["new"], found["passed"]) == ([], True)
    assert found["diff"]["better"] > 0


def test_there_is_nothing_of_a_draft_that_is_not_there(viewer: Client) -> None:
    for part in ("diff", "checks"):
        assert viewer.get(f"{CHANGES}99/{part}/").status_code == 404


def test_a_comparison_that_takes_long_is_made_by_a_worker_and_kept(
    viewer: Client, drafted: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = drafted(ASK, POST)
    paths = [f"{draft}diff/", f"{draft}diff/?limit=1", f"{draft}diff/?limit=0", f"{API}/versions/1/diff/"]
    expected = [body_of(viewer.get(path)) for path in paths]
    effect.forget()
    monkeypatch.setattr(effect, "QUICK_S", 0.0)
    for path in paths:
        first = viewer.get(path)
        assert (first.status_code, first.headers["Retry-After"]) == (503, "3")
        assert "0 of 0 targets" in first.json()["detail"]
    assert [job.kind for job in Job.objects.all()] == [REPORT, REPORT]
    Job.objects.update(done=3, total=9)
    assert (viewer.get(paths[0]).json()["done"], viewer.get(paths[0]).json()["total"]) == (3, 9)
    jobs_run()
    assert [body_of(viewer.get(path)) for path in paths] == expected
    assert Job.objects.count() == KeptReport.objects.count() == 2


def test_a_cancelled_comparison_says_so(
    viewer: Client, drafted: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = drafted(ASK)
    monkeypatch.setattr(effect, "QUICK_S", 0.0)
    viewer.get(f"{draft}diff/")
    cancel(Job.objects.get().pk, author="ada")
    Job.objects.update(error="too many groups")
    refused = viewer.get(f"{draft}diff/")
    assert refused.status_code == 503
    assert "too many groups" in refused.json()["detail"]
    assert "cancelled" in refused.json()["detail"]
    assert "Retry-After" not in refused.headers


def test_two_versions_are_compared_by_objects_and_by_conversations(
    viewer: Client, editor: Client, drafted: Callable[..., str]
) -> None:
    draft = drafted(POST)
    expected = body_of(viewer.get(f"{draft}diff/"))
    applied = send(editor, "post", f"{draft}apply/", {}, If_Match=viewer.get(draft).headers["ETag"])
    assert applied.status_code == 200, applied.content
    found = body_of(viewer.get(f"{API}/versions/2/diff/"))
    [one] = found["objects"]
    assert (found["version"], found["against"], one["object"]) == (2, 1, "shop/Orders routes PostRoute")
    assert (one["before"]["address"], one["after"]["address"]) == ("TCP://office.example:1433", "tcp://office.example")
    assert (found["changed"], found["summary"]) == (expected["changed"], expected["summary"])
    back = body_of(viewer.get(f"{API}/versions/1/diff/", {"against": "2", "limit": "0"}))
    assert (back["summary"]["worse"], back["changed"], back["truncated"]) == (found["summary"]["better"], [], True)
    first = body_of(viewer.get(f"{API}/versions/1/diff/"))
    assert (first["against"], {one["before"] for one in first["objects"]}) == (0, {None})


def test_versions_that_are_not_there_are_not_compared(viewer: Client, drafted: Callable[..., str]) -> None:
    drafted()
    for path in ("versions/9/diff/", "versions/1/diff/?against=9", "versions/x/diff/"):
        assert viewer.get(f"{API}/{path}").status_code == 404
