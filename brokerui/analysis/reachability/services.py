"""Working estates out in the background."""

from __future__ import annotations

from datetime import datetime

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.reachability.models import Survey
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import request
from routing.common.moment import format_moment

SURVEY = "survey"
"""The kind of background jobs that work out all pairs of an estate."""
KEPT = 8
"""Surveys that are kept."""


def request_survey(target: EstateTarget, since: datetime | None, at: datetime) -> Job:
    """Have a worker work it out. Returns the open job, or the one that failed or was cancelled lately."""
    known_since = since_text(since)
    payload = {**target.as_payload(), "since": known_since, "moment": format_moment(at)}
    return request(SURVEY, f"{target.key} {known_since}".strip(), payload)


def since_text(since: datetime | None) -> str:
    """As the row holds it."""
    return format_moment(since) if since else ""


def surveys_prune() -> int:
    """Delete all surveys but the newest; return how many."""
    kept = list(Survey.objects.order_by("-finished_at").values_list("id", flat=True)[:KEPT])
    return Survey.objects.exclude(id__in=kept).delete()[0]
