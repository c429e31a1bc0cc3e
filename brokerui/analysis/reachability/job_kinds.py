"""The background job that works out all pairs of an estate."""

from __future__ import annotations

import time
from collections.abc import Mapping
from enum import StrEnum

from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.lint.job_kinds import REST_S, describe
from brokerui.analysis.reachability.matrix import matrix_of
from brokerui.analysis.reachability.models import Survey
from brokerui.analysis.reachability.packing import packed
from brokerui.analysis.reachability.services import SURVEY, surveys_prune
from brokerui.core.jobs.kinds import JobKind, register
from brokerui.core.jobs.work import JobWork
from routing.classes.reachability import service_names


class SurveyStage(StrEnum):
    """Steps of a running job."""

    READING = "reading"
    ASKING = "asking"
    KEEPING = "keeping"


STAGES: Mapping[str, Promise] = {
    SurveyStage.READING: lazy("Reading the estate"),
    SurveyStage.ASKING: lazy("Asking where conversations to each service end"),
    SurveyStage.KEEPING: lazy("Writing the result"),
}


def run(work: JobWork) -> None:
    """Work out the estate of the job, unless it has changed or is gone since the request."""
    work.progress(SurveyStage.READING)
    payload = dict(work.job.payload)
    since = payload.pop("since")
    target = EstateTarget(**payload)
    estate = target.estate()
    if estate is None:
        return
    at, names, begun = target.at(), service_names(estate), time.perf_counter()
    matrix = matrix_of(estate, at, names, lambda done: work.progress(SurveyStage.ASKING, done, len(names)))
    work.progress(SurveyStage.KEEPING)
    data, seconds = packed(matrix), time.perf_counter() - begun
    values = {"at": at, "data": data, "finished_at": timezone.now(), "seconds": seconds}
    with transaction.atomic():
        Survey.objects.update_or_create(key=target.key, since=since, defaults=values)
        work.hold()
    surveys_prune()


register(JobKind(name=SURVEY, label=lazy("Reachability"), describe=describe, stages=STAGES, run=run, rest_s=REST_S))
