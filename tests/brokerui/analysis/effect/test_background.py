"""A comparison that takes longer than a request: a worker does it, and every process reads what it wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from brokerui.analysis.effect import comparison
from brokerui.analysis.effect import effect as effects
from brokerui.analysis.effect.background import COMPARISON
from brokerui.analysis.effect.change import (
    Change,
    change_between,
    change_from_json,
    change_of,
    change_of_edits,
    change_of_rollback,
    version_or_first,
)
from brokerui.analysis.effect.comparison import EffectComparison
from brokerui.analysis.effect.consent import save_preview
from brokerui.analysis.effect.effect import Effect, effect_of, effect_shown, forget
from brokerui.analysis.effect.ends import Ends
from brokerui.analysis.effect.models import KeptEffect
from brokerui.changes import applying
from brokerui.changes.models import SavedDraft
from brokerui.changes.rolling_back import rollback_plan
from brokerui.changes.services import draft_create, edits_append
from brokerui.core.jobs.kinds import kind_of
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.requests import cancel
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from routing.common.moment import format_moment
from routing.diff.result import DiffGroup
from routing.model.edits import DropRoute
from tests.brokerui.estate.helpers import brought_in
from tests.routing.small import database, estate, host, to

pytestmark = pytest.mark.django_db
ASK_ROUTE = DropRoute("office", "Ledger", "AskForRoutes")


@pytest.fixture
def draft() -> Iterator[SavedDraft]:
    """A draft that no process has compared yet, nor knows a worker's result of afterwards: the database forgets it."""
    forget()
    brought_in(scenario_get("three-servers"))
    yield draft_create(name="moves", author="ada", edits=[ASK_ROUTE])
    forget()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no request compare anything."""
    monkeypatch.setattr(effects, "QUICK_S", 0)
    monkeypatch.setattr(EffectComparison, "_compare", lambda _effect, _seconds: None)


def text(group: DiffGroup) -> tuple[object, ...]:
    return group.traffic, group.before, group.after, tuple(group.members), len(group.members), group.verdict, group.kind


def shown(ends: Ends) -> tuple[object, ...]:
    groups = [[text(group) for group in groups] for groups in (ends.groups, ends.groups_apart)]
    return replace(ends, groups=[], groups_apart=[]), groups


def found(change: Change) -> Ends:
    return Effect(change, timezone.now()).settle(lambda _done, _total: None).ends


@pytest.mark.usefixtures("slow")
def test_a_worker_compares_and_another_process_reads_the_same(draft: SavedDraft) -> None:
    change, at = change_of(draft), timezone.now()
    effect, job = effect_shown(change, at, 1)
    assert (effect.is_settled, job) == (False, Job.objects.get(kind=COMPARISON))
    assert effect_shown(change, at, 1)[1] == job
    jobs_run()
    assert (Job.objects.get(kind=COMPARISON).state, KeptEffect.objects.count()) == (JobState.DONE, 1)
    for _ in ("the process that asked", "another one"):
        effect, none = effect_shown(change, at, 1)
        assert (effect.is_settled, none) == (True, None)
        assert shown(effect.ends) == shown(found(change))
        assert len(effect.rows) > 0
        forget()


@pytest.mark.usefixtures("slow")
def test_a_draft_that_has_changed_meanwhile_is_not_compared(draft: SavedDraft) -> None:
    effect_shown(change_of(draft), timezone.now(), 1)
    edits_append(number=draft.pk, edits=[DropRoute("office", "msdb", "AutoCreatedLocal")], revision=1, author="ada")
    jobs_run()
    assert (Job.objects.get(kind=COMPARISON).state, KeptEffect.objects.count()) == (JobState.DONE, 0)


@pytest.mark.usefixtures("slow")
def test_the_pages_show_the_progress_of_the_job_and_cancel_it(draft: SavedDraft, editor: Client) -> None:
    pages = [reverse(name, args=[draft.pk]) for name in ("changes:effect", "changes:effect-line")]
    page = editor.get(pages[0]).content.decode()
    job = Job.objects.get(kind=COMPARISON)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, done=3, total=9, lapses_at=timezone.now())
    assert "Comparing all conversations" in page
    assert reverse("jobs:cancel", args=[job.pk]) in page
    for address, words in zip(pages, ("3 of 9 targets", "3 of 9 targets compared"), strict=True):
        assert words in editor.get(address).content.decode()
    editor.post(reverse("jobs:cancel", args=[job.pk]), {"next": pages[0]})
    page, line = (editor.get(address).content.decode() for address in pages)
    assert "The conversations are not compared" in page
    assert reverse("jobs:retry", args=[job.pk]) in page
    assert 'data-state="stopped"' in line


@pytest.mark.usefixtures("slow")
def test_a_cancelled_comparison_begins_again_only_when_somebody_tries_it(draft: SavedDraft) -> None:
    change, at = change_of(draft), timezone.now()
    _, job = effect_shown(change, at, 1)
    assert job is not None
    cancel(job.pk, author="ada")
    effect, again = effect_shown(change, at, 1)
    assert (effect.is_settled, again, again and again.state) == (False, job, JobState.CANCELLED)


def test_what_is_quick_needs_no_job_and_no_look_into_the_database(
    draft: SavedDraft, django_assert_num_queries: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "ALONE_S", 60.0)  # a slow machine takes longer than 0.15 s
    change = change_of(draft)
    with django_assert_num_queries(0):  # type: ignore[operator] - the fixture has no type
        effect, job = effect_shown(change, timezone.now(), 60)
    assert (effect.is_settled, job) == (True, None)
    assert effect_of(change, timezone.now()).is_settled


@pytest.mark.usefixtures("slow")
def test_the_review_shows_the_progress_of_the_job_then_its_result(draft: SavedDraft) -> None:
    at = timezone.now()
    assert not save_preview(change_of(draft), at, 1).is_settled
    Job.objects.filter(kind=COMPARISON).update(done=3, total=9)
    counting = save_preview(change_of(draft), at, 1)
    assert (counting.is_settled, counting.done, counting.total) == (False, 3, 9)
    jobs_run()
    preview = save_preview(change_of(draft), at, 1)
    assert (preview.is_settled, preview.worse) == (True, found(change_of(draft)).counts["worse"])


@pytest.mark.usefixtures("slow")
def test_a_version_and_the_preview_of_a_rollback_wait_for_the_job(draft: SavedDraft, editor: Client) -> None:
    applied = applying.draft_apply(number=draft.pk, revision=1, author="ada")
    pages = [reverse("changes:version", args=[2]), reverse("changes:review", args=[draft.pk])]
    for address, words in zip(pages, ('id="compared" aria-labelledby', 'id="rollback-effect" hx-get='), strict=True):
        page = editor.get(address).content.decode()
        assert words in page
        assert 'hx-trigger="load delay:1s"' in page
    versions, rollback = Job.objects.filter(kind=COMPARISON).order_by("id")
    assert reverse("jobs:cancel", args=[versions.pk]) in editor.get(pages[0]).content.decode()
    assert (versions.payload["versions"], rollback.payload["rolls_back"]) == ([1, 2], applied.pk)
    assert [kind_of(COMPARISON).describe(job) for job in (versions, rollback)] == [
        "versions 1 and 2",
        f"rollback of draft {applied.pk}",
    ]
    jobs_run()
    counts = found(change_between(version_or_first(1), version_or_first(2))).counts
    for address, worse in zip(pages, (counts["worse"], counts["better"]), strict=True):
        page = editor.get(address).content.decode()
        assert 'hx-trigger="load delay:1s"' not in page
        assert f"{worse} worse" in page


def test_a_worker_finds_each_change_again(draft: SavedDraft) -> None:
    live, further = version_or_first(1), [DropRoute("office", "msdb", "AutoCreatedLocal")]
    changes = [
        change_of(draft),
        change_of(draft, further),
        change_of_edits(live, further),
        change_between(version_or_first(0), live),
    ]
    draft = applying.draft_apply(number=draft.pk, revision=1, author="ada")
    changes.append(change_of_rollback(draft.pk, rollback_plan(draft)))
    for change in changes:
        again = change_from_json(json.loads(json.dumps(change.source.as_json())))
        assert again is not None
        assert again.digests == change.digests
    for gone in ({"draft": 99}, {"versions": [1, 99]}, {"rolls_back": 99}, {"version": 99}):
        assert change_from_json(gone) is None


def test_an_effect_begins_anew_when_a_route_expires_and_not_before() -> None:
    forget()
    at = timezone.now()
    later = at + timedelta(days=3)
    routes = [to("far", "S", lifetime=format_moment(at + timedelta(hours=1)))]
    hosts = host("edge", database("d", routes=routes)), host("far", database("p", "S"), outside=[to("LOCAL")])
    estate_import(estate=estate(*hosts), author="ada")
    change = change_of_edits(estate_current(), [DropRoute("edge", "d", "R0")])
    effect = effect_of(change, at).work(60)
    assert effect.is_settled
    assert effect_of(change, at + timedelta(minutes=59)).is_settled
    expired = effect_of(change, later)
    assert not expired.is_settled
    assert (effect.ends.changed > 0, expired.work(60).ends.changed) == (True, 0)
    assert effect_of(change, at).is_settled
