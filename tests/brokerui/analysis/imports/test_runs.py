"""An import from the upload to the new version, also where something gets in between."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.analysis.imports import import_job
from brokerui.analysis.imports.errors import ImportStaleError, ImportStateError, PreviewNamelessError
from brokerui.analysis.imports.import_job import run_do
from brokerui.analysis.imports.models import ImportFile, ImportResult, ImportRun, ImportState, Origin
from brokerui.analysis.imports.preview import save_preview_of
from brokerui.analysis.imports.selectors import result_document, result_rows
from brokerui.analysis.imports.services import (
    KEPT,
    Assignment,
    run_again,
    run_apply,
    run_assign,
    run_discard,
    runs_prune,
)
from brokerui.analysis.imports.sources import Kind, Mode
from brokerui.core.jobs.claims import claim_next
from brokerui.core.jobs.errors import JobStateError
from brokerui.core.jobs.kinds import MAINTENANCE
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import cancel, retry
from brokerui.core.jobs.running import run_next
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.models import AuditEntry, Instance, Version
from brokerui.estate.rows import estate_from_rows
from brokerui.estate.selectors import estate_current, live_version
from routing.documents.estate_document import read_estate, write_estate
from tests.brokerui.analysis.imports.helpers import SHOP, THREE, assigned, previewed, uploaded
from tests.brokerui.estate.helpers import LOCAL, TWO, brought_in, estate_of, server
from tests.brokerui.site import document
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]


def fresh(run: ImportRun) -> ImportRun:
    return ImportRun.objects.get(pk=run.pk)


def summary(run: ImportRun) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(fresh(run).summary)
    return found


def applied(run: ImportRun) -> ImportRun:
    consent = save_preview_of(run).token
    assert run_do(run_apply(run=run, author="boss", note="why", consent=consent).pk)
    return fresh(run)


def test_from_three_scripts_to_a_version() -> None:
    run = previewed()
    assert (run.state, run.base_version, live_version()) == (ImportState.PREVIEWED, 0, 0)
    assert summary(run)["missing"] == ["tcp://bank:4022"]
    run = applied(run)
    assert (run.state, run.version and run.version.number) == (ImportState.APPLIED, 1)
    assert sorted(estate_current().estate.instances) == ["depot", "office", "shop"]
    assert write_estate(estate_from_rows()) == write_estate(estate_current().estate)
    version = Version.objects.get()
    assert (version.author, version.note, version.kind) == ("boss", "why", "import")
    actions = list(AuditEntry.objects.order_by("id").values_list("action", "author"))
    assert (actions[0], actions[-1]) == (("import.upload", "editor"), ("estate.import", "boss"))
    origin = Origin.objects.get(instance="shop")
    assert (origin.file, origin.author, origin.version) == ("shop.sql", "boss", 1)
    assert origin.at == Instance.objects.get(name="shop").imported_at
    assert not ImportFile.objects.exclude(content=None).exists(), "the files of an applied import are deleted"
    assert result_document(run) is None


def test_what_was_previewed_is_what_is_applied() -> None:
    run = previewed()
    whole = result_document(run)
    assert whole is not None
    applied(run)
    assert write_estate(estate_current().estate) == write_estate(read_estate(whole))


def test_only_servers_that_were_read_become_fresh() -> None:
    brought_in(TWO)
    Instance.objects.update(imported_at=None)
    applied(previewed({"here.sql": SHOP}))
    assert Instance.objects.get(name="here").imported_at is not None
    assert Instance.objects.get(name="there").imported_at is None


def test_an_import_that_changes_nothing_makes_no_version_but_freshness() -> None:
    brought_in(TWO)
    Instance.objects.update(imported_at=None)
    run = previewed({"e.json": write_estate(TWO)}, Mode.WHOLE)
    assert summary(run)["is_changed"] is False
    run = applied(run)
    assert (run.state, run.version, live_version()) == (ImportState.APPLIED, None, 1)
    assert not Instance.objects.filter(imported_at=None).exists()


def test_the_preview_says_what_ends_otherwise_and_what_is_worse() -> None:
    heard = server("there", {"name": "Parts", "services": ["Parts"]}, {"name": "msdb", "routes": [LOCAL]})
    asks = {"name": "Orders", "routes": [{"name": "R", "address": "tcp://there.example:4022"}]}
    estate = estate_of(server("here", asks), heard)
    brought_in(estate)
    text = write_estate(estate).replace('tcp://there.example:4022", "mirror', 'tcp://nobody:4022", "mirror')
    found = summary(previewed({"e.json": text}, Mode.WHOLE))
    assert found["changes"] == {"added": 0, "changed": 1, "removed": 0}
    assert found["ends"]["counts"]["worse"] > 0
    assert found["save"]["kinds"][0]["to_service"] == "Parts"
    assert {one["code"] for one in found["judged"]["new"]} >= {"unknown-address"}
    assert found["missing"] == ["tcp://nobody:4022"]


# -- Twice, too late, in between -----------------------------------------------------------------------------


def test_a_form_sent_twice_is_one_import() -> None:
    assert uploaded(token="t").pk == uploaded(token="t").pk
    assert ImportFile.objects.count() == len(THREE)


def test_applying_twice_is_applying_once() -> None:
    run = previewed()
    run_apply(run=run, author="boss")
    run_apply(run=run, author="other")
    assert [run_do(run.pk), run_do(run.pk)] == [True, False]
    assert run_apply(run=run, author="other").state == ImportState.APPLIED
    assert Version.objects.count() == 1


def test_a_stale_preview_is_not_applied_and_can_be_made_again() -> None:
    run = previewed()
    brought_in(TWO)
    with pytest.raises(ImportStaleError):
        run_apply(run=run, author="boss")
    assert run_do(run_again(run=run, author="editor").pk)
    assert fresh(run).base_version == 1
    applied(run)
    assert sorted(estate_current().estate.instances) == ["depot", "here", "office", "shop", "there"]


def test_a_preview_of_an_earlier_release_that_names_nothing_is_made_again(client: Client) -> None:
    brought_in(TWO)
    run = previewed()
    kept = {**summary(run), "ends": {"counts": {"worse": 3}}}
    del kept["save"]
    ImportRun.objects.filter(pk=run.pk).update(summary=json.dumps(kept))
    with pytest.raises(PreviewNamelessError):
        run_apply(run=fresh(run), author="boss", consent=f"import-{run.pk}")
    page = client.get(f"/imports/{run.pk}/").content.decode()
    assert "it does not name the conversations that get worse" in page
    assert "Preview again on version 1" in page
    assert run_do(run_again(run=run, author="editor").pk)
    assert applied(fresh(run)).state == ImportState.APPLIED


def test_the_estate_that_changes_before_the_worker_comes_wins() -> None:
    run = run_apply(run=previewed(), author="boss")
    brought_in(TWO)
    assert run_do(run.pk)
    assert fresh(run).state == ImportState.PREVIEWED
    assert sorted(estate_current().estate.instances) == ["here", "there"]


@pytest.mark.parametrize(
    "state", [ImportState.READING, ImportState.APPLYING, ImportState.APPLIED, ImportState.DISCARDED]
)
def test_files_cannot_be_read_otherwise_when_it_is_too_late(state: ImportState) -> None:
    run = uploaded({"a.sql": SHOP})
    ImportRun.objects.update(state=state)
    with pytest.raises(ImportStateError):
        run_assign(run=run, assignments=[Assignment(Kind.SCRIPT, "a")], mode=Mode.INTO, author="editor")


def test_nothing_that_was_not_previewed_is_applied() -> None:
    with pytest.raises(ImportStateError):
        run_apply(run=uploaded(), author="boss")


def test_discarding_forgets_the_files_and_can_be_asked_for_twice() -> None:
    run = previewed()
    run_discard(run=run, author="editor")
    run_discard(run=run, author="editor")
    assert not ImportFile.objects.exclude(content=None).exists()
    assert not ImportResult.objects.exists()
    assert AuditEntry.objects.filter(action="import.discard").count() == 1
    with pytest.raises(ImportStateError):
        run_apply(run=run, author="boss")


def test_what_was_applied_cannot_be_discarded() -> None:
    run = applied(previewed())
    with pytest.raises(ImportStateError):
        run_discard(run=run, author="editor")


def test_discarding_while_it_is_read_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    run = assigned(uploaded())
    whole = import_job.preview_of

    def then_discarded(*arguments: Any) -> Any:
        run_discard(run=run, author="editor")
        return whole(*arguments)

    monkeypatch.setattr(import_job, "preview_of", then_discarded)
    assert run_do(run.pk)
    assert fresh(run).state == ImportState.DISCARDED
    assert not ImportResult.objects.exists()


# -- Workers that are lost -----------------------------------------------------------------------------------


def lapse() -> None:
    """As if no worker had sent a heartbeat for long."""
    Job.objects.update(lapses_at=timezone.now() - timedelta(seconds=1))


def attempts_of(run: ImportRun) -> int:
    job = fresh(run).job
    assert job is not None
    return job.attempts


class KilledError(BaseException):
    """As if the process had ended: nothing of ours runs after it."""


def killed(*_arguments: Any, **_named: Any) -> Any:
    raise KilledError


@pytest.mark.parametrize("where", ["build_estate", "preview_of", "packed_rows"])
def test_a_worker_lost_while_reading_leaves_it_to_the_next(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = assigned(uploaded())
    with monkeypatch.context() as patch:
        patch.setattr(import_job, where, killed)
        with pytest.raises(KilledError):
            run_do(run.pk)
    assert fresh(run).state == ImportState.READING
    assert not run_next(MAINTENANCE), "as long as it may still be at it"
    lapse()
    assert run_next(MAINTENANCE)
    assert (fresh(run).state, attempts_of(run)) == (ImportState.PREVIEWED, 2)


@pytest.mark.parametrize("where", ["unpack_estate", "apply_build", "_version", "_end"])
def test_a_worker_lost_while_applying_leaves_nothing_half_written(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_apply(run=previewed(), author="boss")
    with monkeypatch.context() as patch:
        patch.setattr(import_job, where, killed)
        with pytest.raises(KilledError):
            run_do(run.pk)
    assert (live_version(), Instance.objects.count(), fresh(run).state) == (0, 0, ImportState.APPLYING)
    lapse()
    assert run_next(MAINTENANCE)
    assert (live_version(), Instance.objects.count(), fresh(run).state) == (1, 3, ImportState.APPLIED)


def test_the_one_who_was_taken_for_lost_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = assigned(uploaded())
    whole = import_job.preview_of

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.setattr(import_job, "preview_of", whole)
        lapse()
        assert run_next(MAINTENANCE)
        return whole(*arguments)

    monkeypatch.setattr(import_job, "preview_of", overtaken)
    assert run_do(run.pk)
    assert fresh(run).state == ImportState.PREVIEWED
    assert ImportResult.objects.count() == 1


def test_an_import_that_takes_every_worker_along_is_given_up() -> None:
    run = assigned(uploaded())
    claim_next(["import"])
    Job.objects.update(attempts=3)
    lapse()
    assert not run_next(MAINTENANCE)
    assert fresh(run).state == ImportState.FAILED
    assert "3 times" in fresh(run).error.replace('"count": 3', "3 times")


def test_a_fault_of_ours_is_no_import_that_runs_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    run = assigned(uploaded())
    monkeypatch.setattr(import_job, "preview_of", lambda *_: 1 / 0)
    for _ in range(3):
        assert fresh(run).state == ImportState.READING
        Job.objects.update(due_at=timezone.now())
        assert run_do(run.pk)
    assert fresh(run).state == ImportState.FAILED


def test_a_cancelled_reading_says_so_and_is_tried_again() -> None:
    run = assigned(uploaded())
    job = cancel(Job.objects.get().pk, author="boss")
    assert fresh(run).state == ImportState.FAILED
    assert "cancelled" in fresh(run).error
    retry(job.pk, author="boss")
    assert run_do(run.pk)
    assert fresh(run).state == ImportState.PREVIEWED


def test_a_cancelled_applying_is_previewed_as_before() -> None:
    run = run_apply(run=previewed(), author="boss")
    cancel(Job.objects.latest("pk").pk, author="boss")
    assert fresh(run).state == ImportState.PREVIEWED
    with pytest.raises(JobStateError):
        retry(Job.objects.latest("pk").pk, author="boss")
    assert live_version() == 0


def test_a_wake_up_does_all_that_is_due_and_a_second_one_nothing() -> None:
    runs = [assigned(uploaded()), assigned(uploaded())]
    jobs_run()
    jobs_run()
    assert [(fresh(run).state, attempts_of(run)) for run in runs] == [(ImportState.PREVIEWED, 1)] * 2


# -- Hostile -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"format": "\x00\xed\xa0\x80'),
        ("a.json", b'{"format": "brokerui.estate/1", "instances": [{"name": "\\ud800"}]}'),
        ("a.json", b"[" * 100_000),
        ("a\x00b.json", b"{"),
        ("a.txt", b"<0000|1/2|x|000000>"),
        ("a.sql", b"\xff\xfe\x00"),
    ],
)
def test_what_is_no_file_of_ours_fails_with_its_name(name: str, content: bytes) -> None:
    run = previewed({name: content})
    assert run.state == ImportState.FAILED
    assert run.error_where == name.replace("\x00", " ")
    assert json.loads(run.error)


def test_ten_thousand_statements_that_are_wrong_are_counted_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerui.analysis.imports.preview.FINDINGS", 1_000)
    wrong = "CREATE DATABASE D;\nGO\nUSE D;\n" + "CREATE ROUTE R WITH ADDRESS = @x;\nGO\n" * 10_000
    run = previewed({"a.sql": wrong})
    found = summary(run)
    assert found["findings_total"] >= 10_000
    assert len(found["findings"]) == 100
    assert len(list(result_rows(run, "findings"))) == 1_000
    assert len(run.summary) < 100_000


def test_what_nobody_goes_on_with_is_discarded() -> None:
    old, new = previewed(), previewed()
    ImportRun.objects.filter(pk=old.pk).update(created_at=timezone.now() - KEPT - timedelta(hours=1))
    assert runs_prune() == 1
    assert (fresh(old).state, fresh(new).state) == (ImportState.DISCARDED, ImportState.PREVIEWED)


def test_a_document_of_other_servers_is_put_beside() -> None:
    brought_in(TWO)
    run = previewed({"e.json": document("new")}, Mode.INSTANCES)
    assert summary(run)["changes"]["removed"] == 0
    applied(run)
    assert list(estate_current().estate.instances) == ["here", "there", "new"]
