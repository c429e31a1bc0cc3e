"""The background job that does a round of the pipeline."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as lazy

from brokerui.analysis.traffic.labels import STAGES
from brokerui.analysis.traffic.rounds import IS_GENERATED, ROUND, round_create, round_follows
from brokerui.analysis.traffic.working import run
from brokerui.core.jobs.kinds import PIPELINE, JobKind, register
from brokerui.core.jobs.models import Job

LAPSE_S = 20.0


def describe(job: Job) -> str:
    """Name the subject of a round for the page of background work."""
    return gettext("generated traffic") if job.payload.get(IS_GENERATED) else gettext("event log and traffic")


def on_retry(job: Job) -> None:
    """Begin a new round: the one before stays in the history as it ended."""
    round_create(job)


register(
    JobKind(
        name=ROUND,
        label=lazy("Pipeline"),
        describe=describe,
        stages=STAGES,
        run=run,
        queue=PIPELINE,
        lapse_s=LAPSE_S,
        on_state=round_follows,
        on_retry=on_retry,
    )
)
