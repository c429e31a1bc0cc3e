"""Work that every product has."""

import logging

from celery import shared_task
from celery.signals import worker_ready

from brokerui.core.celery_wake import wake
from brokerui.core.conditions import conditions, conditions_newly_reported
from brokerui.core.heartbeat import ANSWER_S, heartbeat_of_pipeline_send, heartbeat_send
from brokerui.core.jobs.kinds import PIPELINE
from brokerui.core.redis_client import redis_client

logger = logging.getLogger(__name__)


@shared_task(name="brokerui.core.tasks.pulse")
def heartbeat() -> None:
    """A worker did something just now: `brokerui status` looks for that. Asks the worker of the pipeline for its
    heartbeat, too; while one waits for it, or a round does, nothing more is sent: the queue may have no worker."""
    heartbeat_send()
    if not redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S).llen(PIPELINE):
        wake(heartbeat_of_pipeline)


@shared_task(name="brokerui.core.tasks.pulse_of_pipeline")
def heartbeat_of_pipeline() -> None:
    """A worker of the queue `pipeline` did something just now: a round that waits is told whether there is one."""
    heartbeat_of_pipeline_send()


@shared_task(name="brokerui.core.tasks.conditions_look")
def conditions_look() -> None:
    """Log each condition that is new since the start in one line, from the worker that sees it first."""
    for one in conditions_newly_reported(conditions()):
        logger.warning("%s", one.text)


@worker_ready.connect
def first_heartbeat(**_signal: object) -> None:
    """Look once at start, so that the first requests need not wait for beat."""
    wake(heartbeat)
