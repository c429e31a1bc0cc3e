"""The background jobs that compare the conversations of two estates: for pages, and completely for REST."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.effect.background import COMPARISON, change_of_job, effect_keep, effects_prune
from brokerui.analysis.effect.effect import Effect
from brokerui.analysis.effect.report import REPORT, report_keep, reports_prune
from brokerui.core.jobs.kinds import JobKind, register
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.work import JobWork
from routing.common.moment import parse_moment

REST_S = 3_600.0
"""A page whose comparison was cancelled does not have it compared again for an hour."""


class ComparisonStage(StrEnum):
    """Steps of a running job."""

    READING = "reading"
    COMPARING = "comparing"


STAGES: Mapping[str, Promise] = {
    ComparisonStage.READING: lazy("Reading both estates"),
    ComparisonStage.COMPARING: lazy("Comparing targets"),
}


def run_comparison(work: JobWork) -> None:
    """Compare the estates of the job, unless they have changed or are gone since the request."""
    work.progress(ComparisonStage.READING)
    change, at = change_of_job(work.job), parse_moment(work.job.payload["moment"])
    if change is None:
        return
    effect = Effect(change, at)
    effect_keep(change, at, lambda: effect.settle(_progress(work)).ends, work.hold)
    effects_prune()


def run_report(work: JobWork) -> None:
    """Write the complete comparison of the estates of the job, unless they have changed or are gone."""
    work.progress(ComparisonStage.READING)
    change, at = change_of_job(work.job), parse_moment(work.job.payload["moment"])
    if change is None:
        return
    report_keep(change, at, _progress(work), work.hold)
    reports_prune()


def _progress(work: JobWork) -> Callable[[int, int], None]:
    return lambda done, total: work.progress(ComparisonStage.COMPARING, done, total)


def describe(job: Job) -> str:
    """Name the estates that are compared, as the page of background work calls them."""
    about = job.payload
    if "versions" in about:
        before, after = about["versions"]
        return gettext("versions %(before)s and %(after)s") % {"before": before, "after": after}
    if "rolls_back" in about:
        return gettext("rollback of draft %(number)s") % {"number": about["rolls_back"]}
    if "version" in about:
        return gettext("unsaved edits of version %(number)s") % {"number": about["version"]}
    if "edits" in about:
        return gettext("unsaved edits of draft %(number)s") % {"number": about["draft"]}
    return gettext("draft %(number)s") % {"number": about["draft"]}


for name, label, run in (
    (COMPARISON, lazy("Effect of a change"), run_comparison),
    (REPORT, lazy("Complete comparison"), run_report),
):
    register(JobKind(name=name, label=label, describe=describe, stages=STAGES, run=run, rest_s=REST_S))
