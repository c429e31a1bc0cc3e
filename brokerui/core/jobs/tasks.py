"""The Celery tasks of background jobs. They carry no payload: the database says which jobs are due."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db.models import Q
from django.utils import timezone
from redis import RedisError

from brokerui.core.heartbeat import heartbeat_of_pipeline_send
from brokerui.core.jobs.claims import claimable
from brokerui.core.jobs.kinds import MAINTENANCE, PIPELINE, TASKS, names_on
from brokerui.core.jobs.pruning import jobs_prune
from brokerui.core.jobs.running import run_next
from brokerui.core.jobs.wake import wake_queue
from brokerui.core.worker_stop import is_stopping

JOBS_PER_TASK = 10
"""Then the task ends and wakes the next one: other tasks of the queue get their turn."""
WAKE_AGAIN = timedelta(hours=1)
"""A job is woken for this long once it is due: nobody empties the queue of a worker that does not run."""


@shared_task(name=TASKS[MAINTENANCE])
def jobs_run() -> None:
    """Do the jobs that are due."""
    _run(MAINTENANCE)


@shared_task(name=TASKS[PIPELINE])
def jobs_run_pipeline() -> None:
    """Do the jobs of the pipeline that are due. Whether there is one or not, the queue has a worker."""
    with suppress(RedisError, OSError):
        heartbeat_of_pipeline_send()
    _run(PIPELINE)


@shared_task(name="brokerui.core.jobs.tasks.jobs_look")
def jobs_look() -> None:
    """Once a minute: wake workers for jobs that are due, or whose worker is lost; delete old jobs."""
    after = timezone.now() - WAKE_AGAIN
    for queue in TASKS:
        if claimable(names_on(queue)).filter(Q(due_at__gt=after) | Q(lapses_at__gt=after)).exists():
            wake_queue(queue)
    jobs_prune()


# -- Tasks of earlier versions: their messages may still lie in Redis, or in a schedule that somebody made ---------


@shared_task(name="brokerui.reachability.tasks.survey_refresh")
def survey_refresh() -> None:
    """Do the jobs that are due."""
    _run(MAINTENANCE)


@shared_task(name="brokerui.traffic_results.tasks.rounds_work")
def rounds_work() -> None:
    """Do the jobs of the pipeline that are due: this task was sent to its queue."""
    _run(PIPELINE)


@shared_task(name="brokerui.traffic_results.tasks.rounds_look")
def rounds_look() -> None:
    """Do nothing: `jobs_look` looks for jobs that are due."""


def _run(queue: str) -> None:
    for _ in range(JOBS_PER_TASK):
        if is_stopping() or not run_next(queue):
            return
    wake_queue(queue)


@worker_ready.connect
def look_at_start(sender: Any, **_signal: object) -> None:
    """Have the jobs done that became due while no worker ran, however long ago that was. A worker wakes only its own
    queues: in a queue that nobody serves, each start of a worker would leave one more wake-up."""
    for queue in TASKS:
        if queue in sender.app.amqp.queues.consume_from:
            wake_queue(queue)
