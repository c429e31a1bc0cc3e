"""Objects of rules from background work: failed jobs, and observations that differ from predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.traffic.selectors import runs_loaded, totals_seen
from brokerui.core.jobs.kinds import kind_of
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.selectors import jobs_failed
from routing.common.sentence import say

TELEMETRY: Final = "telemetry"
"""The job of the pipeline that compares observations with predictions."""
MOST_JOBS: Final = 500


def jobs() -> Iterator[Observed]:
    """Jobs that failed and were not requested again, each with its attempts."""
    for job in jobs_failed(MOST_JOBS):
        # Only here: a worker that finds no failure never loads the pages.
        page = f"{reverse('jobs:list')}?{urlencode({'state': JobState.FAILED})}"
        heading = say("Background work failed: {job}", job=_words(job))
        yield Observed(key=f"{job.kind} {job.key}", figure=max(1, job.attempts), heading=heading, page=page)


def _words(job: Job) -> str:
    """The kind and the subject of a job; its kind may be one that only another release knows."""
    try:
        kind = kind_of(job.kind)
    except KeyError:
        return f"{job.kind} {job.key}"
    return f"{kind.label}, {kind.describe(job)}"


def disagreements() -> Iterator[Observed]:
    """The newest comparison of observations with predictions; nothing where there is none."""
    run = runs_loaded().filter(job=TELEMETRY).first()
    total = totals_seen(run) if run is not None else None
    if run is None or total is None or not total.agrees + total.disagrees:
        return
    yield Observed(
        key=TELEMETRY,
        figure=100 * total.disagrees / (total.agrees + total.disagrees),
        heading=say("Messages arrived elsewhere than their routes lead"),
        page=reverse("traffic:run", args=[run.pk]),
    )
