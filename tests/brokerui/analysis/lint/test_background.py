"""A worker lints large estates: once for all requests, and again as time goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brokerui.analysis.lint import job_kinds, selectors, services
from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.job_kinds import LintStage
from brokerui.analysis.lint.models import LintFinding, LintRun
from brokerui.analysis.lint.selectors import AGAIN, LATE, findings_at, findings_for, findings_of_live
from brokerui.analysis.lint.services import request_lint, run_write, runs_prune
from brokerui.analysis.lint.tasks import lint_refresh
from brokerui.core.jobs.claims import claim_next
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.requests import cancel
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.selectors import estate_current
from routing.common.moment import parse_moment
from routing.common.sentence import say
from routing.lint.missing import missing_instances
from routing.lint.registry import Check, lint, lint_around
from routing.model.address import parse_address
from routing.model.edits import PutRoute, SetHopLimit
from routing.model.route import Route
from tests.brokerui.analysis.lint.helpers import AT, estate, live, viewed
from tests.brokerui.estate.helpers import changed
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db, pytest.mark.usefixtures("woken")]


def facts_of(findings: Any) -> list[tuple[Any, ...]]:
    return [(f.code, f.severity, f.instance, f.database, f.object, f.reason.render(), f.remedy_sql) for f in findings]


def refreshed() -> None:
    """What the clock and a worker do."""
    lint_refresh()
    jobs_run()


def test_a_small_estate_is_looked_over_at_once() -> None:
    live()
    report = findings_for(viewed())
    assert report.is_there
    assert facts_of(report.findings) == facts_of(lint(estate(), timezone.now()))
    assert not Job.objects.exists()
    assert not LintRun.objects.exists()


@pytest.mark.usefixtures("nothing_is_small")
def test_what_a_worker_found_of_the_live_estate_is_not_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    wanted = facts_of(lint(estate(), timezone.now()))
    assert facts_of(findings_of_live(estate_current(), timezone.now())) == wanted, "nobody has looked yet"
    refreshed()
    calls: list[Any] = []
    monkeypatch.setattr(selectors, "lint", lambda *given: calls.append(given) or ())
    assert (facts_of(findings_of_live(estate_current(), timezone.now())), calls) == (wanted, [])
    changed(
        PutRoute(
            "hub", "Sales", Route("Soon", "Later", None, timezone.now() + timedelta(days=1), parse_address("LOCAL"))
        )
    )
    refreshed()
    assert (facts_of(findings_of_live(estate_current(), timezone.now())), len(calls)) == ([], 1), "a route is to expire"


@pytest.mark.usefixtures("nothing_is_small")
def test_a_large_one_waits_for_a_worker_and_then_says_the_same() -> None:
    live()
    report = findings_for(viewed())
    assert (report.is_there, report.is_late) == (False, False)
    assert report.findings == ()
    assert findings_for(viewed()).job == report.job, "a second request gets the same job"
    jobs_run()
    found = findings_for(viewed())
    assert facts_of(found.findings) == facts_of(lint(estate(), timezone.now()))
    assert found.looked is not None
    assert found.looked.missing == missing_instances(estate(), timezone.now()) != ()
    assert Job.objects.get().state == JobState.DONE


@pytest.mark.usefixtures("nothing_is_small")
def test_its_job_says_what_it_does_and_how_many_checks_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    seen: list[tuple[str, int, int]] = []

    def look(*_given: object) -> tuple[()]:
        seen.append(Job.objects.values_list("stage", "done", "total").get())
        return ()

    monkeypatch.setattr(job_kinds, "CHECKS", [Check("x", say("x"), look)] * 2)
    monkeypatch.setattr("brokerui.core.jobs.work.PROGRESS_S", 0)
    findings_for(viewed())
    jobs_run()
    assert seen == [(LintStage.CHECKING, 0, 2), (LintStage.CHECKING, 1, 2)]
    assert Job.objects.get().stage == LintStage.KEEPING


@pytest.mark.usefixtures("nothing_is_small")
def test_a_job_that_is_cancelled_stops_before_its_next_check(monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    done: list[str] = []

    def cancel_now(*_given: object) -> tuple[()]:
        done.append("check")
        cancel(Job.objects.get().pk, author="ann")
        return ()

    monkeypatch.setattr(job_kinds, "CHECKS", [Check("x", say("x"), cancel_now)] * 2)
    monkeypatch.setattr("brokerui.core.jobs.work.PROGRESS_S", 0)
    findings_for(viewed())
    jobs_run()
    assert done == ["check"]
    assert Job.objects.get().state == JobState.CANCELLED


@pytest.mark.usefixtures("nothing_is_small")
def test_a_moment_is_looked_at_by_itself() -> None:
    live()
    past = {"as_of": (timezone.now() + timedelta(days=400)).isoformat()}
    assert not findings_for(viewed(**past)).is_there
    findings_for(viewed())
    jobs_run()
    moments = set(LintRun.objects.values_list("moment", flat=True))
    assert len(moments) == 2
    then = findings_for(viewed(**past))
    assert then.looked is not None
    assert then.looked.evaluated_at == viewed(**past).at()


@pytest.mark.usefixtures("nothing_is_small")
def test_the_live_estate_is_looked_over_unasked_and_again_after_a_while() -> None:
    live()
    refreshed()
    first = LintRun.objects.get()
    refreshed()
    assert LintRun.objects.get() == first, "it was looked over lately"
    LintRun.objects.update(evaluated_at=timezone.now() - AGAIN)
    report = findings_for(viewed())
    assert report.is_there
    assert report.job is not None
    refreshed()
    assert LintRun.objects.get() != first, "the older look is gone"
    assert findings_for(viewed()).job is None


@pytest.mark.usefixtures("nothing_is_small")
def test_a_new_version_is_looked_over_by_itself() -> None:
    live()
    refreshed()
    changed(SetHopLimit(3))
    assert not findings_for(viewed()).is_there
    refreshed()
    assert findings_for(viewed()).is_there


def test_each_version_wakes_a_worker_once_it_is_committed(
    woken: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        live()
        assert woken == []
    assert woken == [lint_refresh.name]
    with django_capture_on_commit_callbacks(execute=True):
        changed(SetHopLimit(10))
    assert woken == [lint_refresh.name], "that changed nothing"


@pytest.mark.usefixtures("nothing_is_small")
def test_nobody_takes_it_up() -> None:
    live()
    findings_for(viewed())
    Job.objects.update(due_at=timezone.now() - LATE - timedelta(seconds=1))
    assert findings_for(viewed()).is_late
    claim_next(["lint"])
    assert not findings_for(viewed()).is_late, "a worker has begun"


@pytest.mark.usefixtures("nothing_is_small")
def test_what_one_worker_has_taken_no_other_takes_unless_it_died() -> None:
    live()
    findings_for(viewed())
    claim_next(["lint"])
    jobs_run()
    assert not findings_for(viewed()).is_there
    Job.objects.update(lapses_at=timezone.now() - timedelta(seconds=1))
    jobs_run()
    assert findings_for(viewed()).is_there


@pytest.mark.usefixtures("nothing_is_small")
def test_a_worker_that_lost_the_job_keeps_nothing_of_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    findings_for(viewed())

    def slow(estate: Any, at: Any) -> Any:
        Job.objects.update(claim="of another worker")
        return lint(estate, at)

    monkeypatch.setattr(job_kinds, "missing_instances", slow)
    jobs_run()
    assert not LintRun.objects.exists()
    assert not LintFinding.objects.exists()


@pytest.mark.usefixtures("nothing_is_small")
def test_a_check_that_failed_says_so_and_is_not_begun_again_by_the_page(client: Client) -> None:
    live()
    findings_for(viewed())
    Job.objects.update(state=JobState.FAILED, failure="worker_lost", attempts=3, ended_at=timezone.now())
    page = client.get("/findings/").content.decode()
    assert "The background job failed." in page
    assert "It was started 3 times, and no worker finished it." in page
    assert Job.objects.count() == 1


def test_what_is_no_longer_there_is_not_looked_for() -> None:
    request_lint(EstateTarget("0" * 64, scenario="gone"))
    jobs_run()
    assert Job.objects.get().state == JobState.DONE
    assert not LintRun.objects.exists()


@pytest.mark.usefixtures("nothing_is_small")
def test_a_look_that_was_deleted_meanwhile_is_no_look_that_found_nothing() -> None:
    live()
    refreshed()
    LintFinding.objects.all().delete()
    assert not findings_for(viewed()).is_there


def test_old_looks_go_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "BATCH", 3)
    monkeypatch.setattr(services, "KEPT", 2)
    found = lint(estate(), parse_moment(AT))
    for key in ("a", "b", "b", "c"):
        run_write(target=EstateTarget(key), at=parse_moment(AT), findings=found)
    assert runs_prune() == 2
    assert list(LintRun.objects.values_list("key", flat=True)) == ["c", "b"]
    assert LintFinding.objects.count() == 2 * len(found)


@pytest.mark.usefixtures("nothing_is_small")
def test_one_place_is_told_at_once() -> None:
    live()
    here = viewed()
    expected = facts_of(lint_around(estate(), here.at(), "hub", "Sales"))
    assert facts_of(findings_at(here, "hub", "Sales")) == expected != []
    refreshed()
    assert facts_of(findings_at(here, "hub", "Sales")) == expected
    assert {finding.instance for finding in findings_at(here, "hub")} == {"hub"}


@pytest.mark.usefixtures("nothing_is_small")
def test_writing_takes_no_query_for_each_finding() -> None:
    def queries(branches: int) -> int:
        found = lint(estate(branches), parse_moment(AT))
        with CaptureQueriesContext(connection) as captured:
            run_write(target=EstateTarget(str(branches)), at=parse_moment(AT), findings=found)
        return len(captured)

    assert queries(40) <= queries(2) + 2
