"""The background job that looks an estate over."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.services import LINT, run_write, runs_prune
from brokerui.core.jobs.kinds import JobKind, register
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.work import JobWork
from routing.lint.missing import missing_instances
from routing.lint.registry import CHECKS, Check, lint

REST_S = 3_600.0
"""A page that shows the estate of a failed check does not have it checked again for an hour."""


class LintStage(StrEnum):
    """Steps of a running job."""

    READING = "reading"
    CHECKING = "checking"
    KEEPING = "keeping"


STAGES: Mapping[str, Promise] = {
    LintStage.READING: lazy("Reading the estate"),
    LintStage.CHECKING: lazy("Running the checks"),
    LintStage.KEEPING: lazy("Writing the findings"),
}


def run(work: JobWork) -> None:
    """Look over the estate of the job, unless it has changed or is gone since the request."""
    work.progress(LintStage.READING)
    target = EstateTarget(**work.job.payload)
    estate = target.estate()
    if estate is None:
        return
    at, begun = target.at(), time.perf_counter()
    findings = lint(estate, at, _checks(work))
    work.progress(LintStage.KEEPING)
    missing = missing_instances(estate, at)
    seconds = time.perf_counter() - begun
    run_write(target=target, at=at, findings=findings, missing=missing, seconds=seconds, hold=work.hold)
    runs_prune()


def _checks(work: JobWork) -> Iterator[Check]:
    """Yield the checks one after the other, and write how many are done. Raises what `JobWork.progress` raises."""
    for done, check in enumerate(CHECKS):
        work.progress(LintStage.CHECKING, done, len(CHECKS))
        yield check


def describe(job: Job) -> str:
    """The estate, as the page of background work calls it."""
    if job.payload.get("scenario"):
        return gettext("scenario %(name)s") % {"name": job.payload["scenario"]}
    if job.payload.get("draft"):
        return gettext("draft %(number)s") % {"number": job.payload["draft"]}
    return gettext("version %(number)s of the estate") % {"number": job.payload.get("version") or 0}


register(JobKind(name=LINT, label=lazy("Findings"), describe=describe, stages=STAGES, run=run, rest_s=REST_S))
