"""Wake-ups by beat."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, Final

from celery import shared_task
from celery.signals import worker_process_shutdown
from django.conf import settings

from brokerui.eventlog.collecting import collect
from brokerui.eventlog.counting import MINUTE_MS
from brokerui.eventlog.publishing import publish, remove_old
from brokerui.eventlog.recording import can_be_logged, recorder
from brokerui.eventlog.sampling import looked_at
from brokerui.eventlog.services import samples_put, tidy
from brokerui.messaging.clock import now

logger = logging.getLogger(__name__)
_failing: Final[set[str]] = set()
"""Failures that were logged and have not been followed by a success."""


@shared_task(name="brokerui.eventlog.tasks.events_collect")
def events_collect() -> None:
    """Store the events of endpoints, and files of the event log that are complete."""
    collect()
    if not can_be_logged():
        return
    try:
        publish(settings.EVENT_LOG_FOLDER)
    except OSError as error:
        if not _failing:
            logger.error("event log: cannot be published: %s", error)
        _failing.add("publish")
    else:
        _failing.clear()


@shared_task(name="brokerui.eventlog.tasks.events_sample")
def events_sample() -> None:
    """Depths, ages and roles, once a minute."""
    at = now()
    for instance, samples in looked_at(at).items():
        samples_put(at - at % MINUTE_MS, instance, samples)
        recorder.log(instance, [(at, sample) for sample in samples])


@shared_task(name="brokerui.eventlog.tasks.events_tidy")
def events_tidy() -> None:
    """Remove rows beyond their retention time."""
    tidy(
        now(),
        minutes_days=settings.EVENT_MINUTES_DAYS,
        hours_days=settings.EVENT_HOURS_DAYS,
        rows_days=settings.EVENT_ROWS_DAYS,
    )
    remove_old(settings.EVENT_LOG_FOLDER, settings.EVENT_LOG_DAYS, datetime.now(UTC).date())


@worker_process_shutdown.connect
def _write_the_rest(**_signal: Any) -> None:
    recorder.close()
