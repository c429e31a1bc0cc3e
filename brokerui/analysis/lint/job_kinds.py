"""The background job that looks an estate over."""

from __future__ import annotations

import time

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.services import LINT, run_write, runs_prune
from brokerui.core.jobs.kinds import JobKind, register
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.work import JobWork
from routing.lint.missing import missing_instances
from routing.lint.registry import lint

REST_S = 3_600.0
"""A page that shows the estate of a failed check does not have it checked again for an hour."""


def run(work: JobWork) -> None:
    """Look over the estate of the job, unless it has changed or is gone since the request."""
    target = EstateTarget(**work.job.payload)
    estate = target.estate()
    if estate is None:
        return
    work.check()
    at, begun = target.at(), time.perf_counter()
    findings = lint(estate, at)
    work.check()
    missing = missing_instances(estate, at)
    seconds = time.perf_counter() - begun
    run_write(target=target, at=at, findings=findings, missing=missing, seconds=seconds, hold=work.hold)
    runs_prune()


def describe(job: Job) -> str:
    """The estate, as the page of background work calls it."""
    if job.payload.get("scenario"):
        return gettext("scenario %(name)s") % {"name": job.payload["scenario"]}
    return gettext("version %(number)s of the estate") % {"number": job.payload.get("version") or 0}


register(JobKind(name=LINT, label=lazy("Findings"), describe=describe, run=run, rest_s=REST_S))
