"""A job while a worker does it: heartbeats, progress, and the right to write."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.utils import timezone

from brokerui.core.jobs.errors import JobCancelledError, JobInterruptedError, JobLostError
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.worker_stop import is_stopping

logger = logging.getLogger(__name__)

PROGRESS_S = 0.5
"""Progress within one stage is written once in this time at most."""
BEATS_PER_LAPSE = 4
JOIN_S = 5.0
"""A heartbeat that waits for a lock of the database ends by itself later."""


class JobWork:
    """A claimed job. Only the worker that holds the claim can write through it."""

    def __init__(self, job: Job, lapse_s: float) -> None:
        self.job = job
        self._lapse = timedelta(seconds=lapse_s)
        self._stage: str | None = None
        self._written_at = 0.0
        self._ended = threading.Event()

    def progress(self, stage: str = "", done: int = 0, total: int = 0) -> None:
        """Write how far the job is, at most twice a second within one stage; counts as a heartbeat.

        Raises `JobCancelledError`, `JobInterruptedError` or `JobLostError` if the job must stop here.
        """
        now = time.monotonic()
        if stage == self._stage and now - self._written_at < PROGRESS_S:
            return
        self._stage, self._written_at = stage, now
        self._continue(stage=stage, done=done, total=total)

    def check(self) -> None:
        """Send a heartbeat. Raises as `progress` does."""
        self._continue()

    def hold(self) -> None:
        """Keep the claim until the current transaction ends. Raises `JobLostError` if another worker has the job.

        Call it in each transaction that writes results: they are committed with the claim, or not at all.
        """
        if not self._mine().update(lapses_at=self._next_lapse()):
            raise JobLostError

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Send heartbeats from a thread while the body runs, also where that takes longer than the lapse."""
        thread = threading.Thread(target=self._beat, name=f"heartbeat of {self.job}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join(JOIN_S)

    def _continue(self, **values: Any) -> None:
        if is_stopping():  # a running job must not keep its worker from ending
            raise JobInterruptedError
        if self._mine().filter(cancelled_by="").update(lapses_at=self._next_lapse(), **values):
            return
        raise JobCancelledError if self._mine().exists() else JobLostError

    def _beat(self) -> None:
        pause_s = self._lapse.total_seconds() / BEATS_PER_LAPSE
        try:
            while not self._ended.wait(pause_s) and self._beat_once():
                pass
        finally:
            connection.close()

    def _beat_once(self) -> bool:
        """Return False once the claim is lost: the next `progress` or `hold` of the worker finds that."""
        try:
            return bool(self._mine().update(lapses_at=self._next_lapse()))
        except DatabaseError as error:
            # On SQLite a long transaction locks everybody out, the workers that would claim the job too.
            logger.info("no heartbeat for %s: %s", self.job, error)
            connection.close()
            return True

    def _mine(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, claim=self.job.claim, state=JobState.RUNNING)

    def _next_lapse(self) -> datetime:
        return timezone.now() + self._lapse
