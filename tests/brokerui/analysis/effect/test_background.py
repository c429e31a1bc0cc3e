"""A comparison that takes longer than a request: a worker does it, and every process reads what it wrote."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from brokerui.analysis.effect import effect as effects
from brokerui.analysis.effect.background import COMPARISON
from brokerui.analysis.effect.consent import draft_preview
from brokerui.analysis.effect.effect import Change, Effect, change_of, effect_of, effect_of_draft, forget
from brokerui.analysis.effect.ends import Ends
from brokerui.analysis.effect.models import KeptEffect
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create, edits_append
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.requests import cancel
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.selectors import scenario_get
from routing.diff.result import DiffGroup
from routing.model.edits import DropRoute
from tests.brokerui.estate.helpers import brought_in

pytestmark = pytest.mark.django_db
ASK_ROUTE = DropRoute("office", "Ledger", "AskForRoutes")


@pytest.fixture
def draft() -> SavedDraft:
    forget()
    brought_in(scenario_get("three-servers"))
    return draft_create(name="moves", author="ada", edits=[ASK_ROUTE])


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no request compare anything."""
    monkeypatch.setattr(effects, "QUICK_S", 0)
    monkeypatch.setattr(effects, "ALONE_S", 0)
    monkeypatch.setattr(Effect, "_compare", lambda _effect, _seconds: None)


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
    effect, job = effect_of_draft(draft, change, at, 1)
    assert (effect.is_settled, job) == (False, Job.objects.get(kind=COMPARISON))
    assert effect_of_draft(draft, change, at, 1)[1] == job
    jobs_run()
    assert (Job.objects.get(kind=COMPARISON).state, KeptEffect.objects.count()) == (JobState.DONE, 1)
    for _ in ("the process that asked", "another one"):
        effect, none = effect_of_draft(draft, change, at, 1)
        assert (effect.is_settled, none) == (True, None)
        assert shown(effect.ends) == shown(found(change))
        assert len(effect.rows) > 0
        forget()


@pytest.mark.usefixtures("slow")
def test_a_draft_that_has_changed_meanwhile_is_not_compared(draft: SavedDraft) -> None:
    effect_of_draft(draft, change_of(draft), timezone.now(), 1)
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
    _, job = effect_of_draft(draft, change, at, 1)
    assert job is not None
    cancel(job.pk, author="ada")
    effect, again = effect_of_draft(draft, change, at, 1)
    assert (effect.is_settled, again, again and again.state) == (False, job, JobState.CANCELLED)


def test_what_is_quick_needs_no_job_and_no_look_into_the_database(
    draft: SavedDraft, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    change = change_of(draft)
    with django_assert_num_queries(0):  # type: ignore[operator]
        effect, job = effect_of_draft(draft, change, timezone.now(), 60)
    assert (effect.is_settled, job) == (True, None)
    assert effect_of(change, timezone.now()).is_settled


@pytest.mark.usefixtures("slow")
def test_the_review_shows_the_progress_of_the_job_then_its_result(draft: SavedDraft) -> None:
    at = timezone.now()
    assert not draft_preview(draft, at, 1).is_settled
    Job.objects.filter(kind=COMPARISON).update(done=3, total=9)
    counting = draft_preview(draft, at, 1)
    assert (counting.is_settled, counting.done, counting.total) == (False, 3, 9)
    jobs_run()
    preview = draft_preview(draft, at, 1)
    assert (preview.is_settled, preview.worse) == (True, found(change_of(draft)).counts["worse"])
