"""The background job that compares the conversations of a draft with those of its base."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.effect.background import COMPARISON, effect_keep, effects_prune
from brokerui.analysis.effect.effect import Change, Effect, change_of
from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.selectors import draft_get
from brokerui.core.jobs.kinds import JobKind, register
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.work import JobWork
from routing.common.moment import parse_moment

REST_S = 3_600.0
"""A page that shows a draft whose comparison was cancelled does not have it compared again for an hour."""


class ComparisonStage(StrEnum):
    """Steps of a running job."""

    READING = "reading"
    COMPARING = "comparing"


STAGES: Mapping[str, Promise] = {
    ComparisonStage.READING: lazy("Reading both estates"),
    ComparisonStage.COMPARING: lazy("Comparing targets"),
}


def run(work: JobWork) -> None:
    """Compare the estates of the job, unless the draft has changed or is gone since the request."""
    work.progress(ComparisonStage.READING)
    change, at = _change(work.job), parse_moment(work.job.payload["moment"])
    if change is None:
        return
    effect = Effect(change, at)

    def progress(done: int, total: int) -> None:
        work.progress(ComparisonStage.COMPARING, done, total)

    effect_keep(change.before, change.after, at, lambda: effect.settle(progress).ends, work.hold)
    effects_prune()


def _change(job: Job) -> Change | None:
    try:
        change = change_of(draft_get(job.payload["draft"]))
    except DraftNotFoundError:
        return None
    return change if change.digests == (job.payload["before"], job.payload["after"]) else None


def describe(job: Job) -> str:
    """The draft, as the page of background work calls it."""
    return gettext("draft %(number)s") % {"number": job.payload["draft"]}


register(
    JobKind(name=COMPARISON, label=lazy("Effect of a draft"), describe=describe, stages=STAGES, run=run, rest_s=REST_S)
)
