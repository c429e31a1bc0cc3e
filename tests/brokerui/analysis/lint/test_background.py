"""Large estates are looked over by a worker: once, whoever asks, and again as time goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from brokerui.analysis.lint import services
from brokerui.analysis.lint.models import LintFinding, LintRun, LintWanted
from brokerui.analysis.lint.selectors import AGAIN, LATE, findings_at, findings_for
from brokerui.analysis.lint.services import LAPSE, run_write, runs_prune, wanted_do
from brokerui.analysis.lint.tasks import lint_refresh
from brokerui.analysis.lint.wanted import Wanted
from routing.common.moment import parse_moment
from routing.lint.missing import missing_instances
from routing.lint.registry import lint, lint_around
from routing.model.edits import SetHopLimit
from tests.brokerui.analysis.lint.helpers import AT, estate, live, viewed
from tests.brokerui.estate.helpers import changed

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db, pytest.mark.usefixtures("woken")]


def told(findings: Any) -> list[tuple[Any, ...]]:
    return [(f.code, f.severity, f.instance, f.database, f.object, f.reason.render(), f.remedy_sql) for f in findings]


def test_a_small_estate_is_looked_over_at_once() -> None:
    live()
    report = findings_for(viewed())
    assert report.is_there
    assert told(report.findings) == told(lint(estate(), timezone.now()))
    assert not LintWanted.objects.exists()
    assert not LintRun.objects.exists()


@pytest.mark.usefixtures("nothing_is_small")
def test_a_large_one_waits_for_a_worker_and_then_says_the_same(woken: list[Any]) -> None:
    live()
    report = findings_for(viewed())
    assert (report.is_there, report.is_late) == (False, False)
    assert report.findings == ()
    assert findings_for(viewed()).wanted == report.wanted, "who asks again does not ask twice"
    assert woken == [lint_refresh]
    lint_refresh()
    found = findings_for(viewed())
    assert told(found.findings) == told(lint(estate(), timezone.now()))
    assert found.looked is not None
    assert found.looked.missing == missing_instances(estate(), timezone.now()) != ()
    assert not LintWanted.objects.exists()


@pytest.mark.usefixtures("nothing_is_small")
def test_a_moment_is_looked_at_by_itself() -> None:
    live()
    past = {"as_of": (timezone.now() + timedelta(days=400)).isoformat()}
    assert not findings_for(viewed(**past)).is_there
    findings_for(viewed())
    lint_refresh()
    moments = set(LintRun.objects.values_list("moment", flat=True))
    assert len(moments) == 2
    then = findings_for(viewed(**past))
    assert then.looked is not None
    assert then.looked.evaluated_at == viewed(**past).at()


@pytest.mark.usefixtures("nothing_is_small")
def test_the_live_estate_is_looked_over_unasked_and_again_after_a_while() -> None:
    live()
    lint_refresh()
    first = LintRun.objects.get()
    lint_refresh()
    assert LintRun.objects.get() == first, "it was looked over lately"
    LintRun.objects.update(evaluated_at=timezone.now() - AGAIN)
    report = findings_for(viewed())
    assert report.is_there
    assert report.wanted is not None
    lint_refresh()
    assert LintRun.objects.get() != first, "the older look is gone"
    assert findings_for(viewed()).wanted is None


@pytest.mark.usefixtures("nothing_is_small")
def test_a_new_version_is_looked_over_by_itself() -> None:
    live()
    lint_refresh()
    changed(SetHopLimit(3))
    assert not findings_for(viewed()).is_there
    lint_refresh()
    assert findings_for(viewed()).is_there


def test_each_version_wakes_a_worker_once_it_is_committed(
    woken: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        live()
        assert woken == []
    assert woken == [lint_refresh]
    with django_capture_on_commit_callbacks(execute=True):
        changed(SetHopLimit(10))
    assert woken == [lint_refresh], "that changed nothing"


@pytest.mark.usefixtures("nothing_is_small")
def test_nobody_takes_it_up() -> None:
    live()
    findings_for(viewed())
    LintWanted.objects.update(asked_at=timezone.now() - LATE - timedelta(seconds=1))
    assert findings_for(viewed()).is_late
    LintWanted.objects.update(begun_at=timezone.now())
    assert not findings_for(viewed()).is_late, "a worker has begun"


@pytest.mark.usefixtures("nothing_is_small")
def test_what_one_worker_has_taken_no_other_takes_unless_it_died() -> None:
    live()
    findings_for(viewed())
    LintWanted.objects.update(begun_at=timezone.now())
    assert not wanted_do()
    LintWanted.objects.update(begun_at=timezone.now() - LAPSE - timedelta(seconds=1))
    assert wanted_do()
    assert findings_for(viewed()).is_there


def test_what_is_no_longer_there_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    row = LintWanted.objects.create(key="0" * 64, scenario="gone", asked_at=timezone.now())
    assert wanted_do()
    assert not LintWanted.objects.filter(id=row.id).exists()
    assert not wanted_do()


@pytest.mark.usefixtures("nothing_is_small")
def test_a_look_that_was_deleted_meanwhile_is_no_look_that_found_nothing() -> None:
    live()
    lint_refresh()
    LintFinding.objects.all().delete()
    assert not findings_for(viewed()).is_there


def test_old_looks_go_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "BATCH", 3)
    monkeypatch.setattr(services, "KEPT", 2)
    found = lint(estate(), parse_moment(AT))
    for key in ("a", "b", "b", "c"):
        run_write(wanted=Wanted(key), at=parse_moment(AT), findings=found)
    assert runs_prune() == 2
    assert list(LintRun.objects.values_list("key", flat=True)) == ["c", "b"]
    assert LintFinding.objects.count() == 2 * len(found)


@pytest.mark.usefixtures("nothing_is_small")
def test_one_place_is_told_at_once() -> None:
    live()
    here = viewed()
    expected = told(lint_around(estate(), here.at(), "hub", "Sales"))
    assert told(findings_at(here, "hub", "Sales")) == expected != []
    lint_refresh()
    assert told(findings_at(here, "hub", "Sales")) == expected
    assert {finding.instance for finding in findings_at(here, "hub")} == {"hub"}


@pytest.mark.usefixtures("nothing_is_small")
def test_writing_takes_no_query_for_each_finding() -> None:
    def queries(branches: int) -> int:
        found = lint(estate(branches), parse_moment(AT))
        with CaptureQueriesContext(connection) as captured:
            run_write(wanted=Wanted(str(branches)), at=parse_moment(AT), findings=found)
        return len(captured)

    assert queries(40) <= queries(2) + 2
