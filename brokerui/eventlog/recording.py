"""Records events: counts many of them at once, and writes them every two seconds in a thread of this process.

The caller waits for the counting at most: for no database, no disk, and no lock that is held for long.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Final

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from brokerui.core.read_once import read_once
from brokerui.core.tracing import tracing_is_wanted
from brokerui.eventlog import counting, exceptional, queue_flows
from brokerui.eventlog.counting import Counts, counted, latencies_counted
from brokerui.eventlog.exceptional import Exceptions, any_exceptional, exceptions_of
from brokerui.eventlog.message_spans import message_spans
from brokerui.eventlog.queue_flows import Flows, flows_of
from brokerui.eventlog.samples import Sample
from brokerui.eventlog.stage import Batch, Stage
from brokerui.messaging.latency import Latencies
from routing.common.broker_events import Event

logger = logging.getLogger(__name__)
SECONDS: Final = 2.0
"""Between two writes: what a process that is killed has not written yet."""
KEPT_S: Final = 10.0
"""Seconds without an event after which the thread gives its connection back to the database."""
IS_TRACED: Final = tracing_is_wanted()
"""Whether the way of messages is reported to OpenTelemetry."""
COUNTED_AT_ONCE: Final = 500
"""Events that wait to be counted, at most: one by one each takes several times as long."""
MOST: Final = 200_000
"""Events that wait for the disk at most; further ones are counted but missing from the log."""


class Recorder:
    """The recorder of one process, for all its threads."""

    has_thread = True
    """True: a background thread flushes every 2 s. False (tests): the caller calls flush()."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._noted: list[tuple[str, Sequence[tuple[int, Event]]]] = []
        self._noted_events = 0
        self._counts: Counts = {}
        self._flows: Flows = {}
        self._exceptions: Exceptions = {}
        self._batches: list[Batch] = []
        self._waiting = 0
        self._lost = 0
        self._stage: Stage | None = None
        self._something = threading.Event()
        self._thread: threading.Thread | None = None
        self._failed: set[str] = set()
        self._writing = threading.Lock()

    # ------------------------------------------------------------ counting

    def note(self, instance: str, events: Sequence[tuple[int, Event]]) -> None:
        """Broker events of an instance, each with its moment."""
        if not events:
            return
        with self._lock:
            self._noted.append((instance, events))
            self._noted_events += len(events)
            is_enough = self._noted_events >= COUNTED_AT_ONCE
        if is_enough:
            self._count_noted()
        self.log(instance, events)
        if IS_TRACED:
            message_spans(instance, events)
        self._wake()

    def _count_noted(self) -> None:
        with self._lock:
            noted, self._noted, self._noted_events = self._noted, [], 0
        together: dict[str, list[tuple[int, Event]]] = {}
        for instance, events in noted:
            together.setdefault(instance, []).extend(events)
        for instance, all_events in together.items():
            self._count(instance, all_events)

    def _count(self, instance: str, events: Sequence[tuple[int, Event]]) -> None:
        counts = counted(instance, events)
        flows = flows_of(instance, events)
        exceptions = exceptions_of(instance, events) if any_exceptional(counts) else {}
        with self._lock:
            counting.add(self._counts, counts)
            queue_flows.add(self._flows, flows)
            exceptional.add(self._exceptions, exceptions)

    def note_latencies(self, instance: str, at: int, latencies: Latencies) -> None:
        """How long messages had waited that were acknowledged at this moment: to the counters alone."""
        counts = latencies_counted(instance, at, latencies)
        with self._lock:
            counting.add(self._counts, counts)
        self._wake()

    def log(self, instance: str, events: Sequence[tuple[int, Event | Sample]]) -> None:
        """To the files alone, if these are written."""
        if not events or not is_logged():
            return
        with self._lock:
            if self._waiting + len(events) > MOST:
                self._lost += len(events)
                return
            self._batches.append((instance, events))
            self._waiting += len(events)
        self._wake()

    # ------------------------------------------------------------ writing

    def flush(self) -> None:
        """Write all events so far to the database and to the disk. Counts that the database refuses are kept."""
        with self._writing:
            self._count_noted()
            self._flush_counts()
            self._flush_flows()
            self._flush_exceptions()
            self._flush_events()

    def close(self) -> None:
        """Write all events so far, and complete the file."""
        self.flush()
        if self._stage is not None:
            self._stage.close()

    def _flush_counts(self) -> None:
        from brokerui.eventlog.services import counts_add  # noqa: PLC0415 - models, which are there only after the start

        with self._lock:
            counts, self._counts = self._counts, {}
        if counts and not self._tried("counters", lambda: counts_add(counts)):
            with self._lock:
                counting.add(self._counts, counts)

    def _flush_flows(self) -> None:
        from brokerui.eventlog.services import flows_add  # noqa: PLC0415 - the same

        with self._lock:
            flows, self._flows = self._flows, {}
        if flows and not self._tried("messages of queues", lambda: flows_add(flows)):
            with self._lock:
                queue_flows.add(self._flows, flows)

    def _flush_exceptions(self) -> None:
        from brokerui.eventlog.services import exceptions_add  # noqa: PLC0415 - the same

        with self._lock:
            exceptions, self._exceptions = self._exceptions, {}
        if exceptions and not self._tried("exceptional events", lambda: exceptions_add(exceptions)):
            with self._lock:
                exceptional.add(self._exceptions, exceptions)

    def _flush_events(self) -> None:
        with self._lock:
            batches, self._batches, self._waiting = self._batches, [], 0
            lost, self._lost = self._lost, 0
        if lost:
            logger.warning("%d events are not in the event log: they came faster than the disk takes them", lost)
        if batches:
            self._tried("event log", lambda: self._stage_of_mine().write(batches))
        elif self._stage is not None:
            self._stage.close_if_due()

    def _stage_of_mine(self) -> Stage:
        if self._stage is None:
            seconds, size = settings.EVENT_LOG_SECONDS, settings.EVENT_LOG_BYTES
            self._stage = Stage(settings.EVENT_LOG_FOLDER, seconds=seconds, size=size)
        return self._stage

    def _tried(self, what: str, write: Callable[[], None]) -> bool:
        """False: it is worth another try. A failure is one line in the log, until it has succeeded again."""
        try:
            write()
        except (OperationalError, InterfaceError, OSError) as error:
            if what not in self._failed:
                logger.error("%s: cannot be written: %s", what, error)
            self._failed.add(what)
            return False
        except Exception:
            # Whatever is wrong with these, those that come after them are to be written.
            logger.exception("%s: some are lost", what)
            return True
        if what in self._failed:
            self._failed.discard(what)
            logger.warning("%s: written again", what)
        return True

    # ------------------------------------------------------------ the thread

    def _wake(self) -> None:
        if not self.has_thread or self._something.is_set():
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="events", daemon=True)
                self._thread.start()
                atexit.register(self.close)
        self._something.set()

    def _run(self) -> None:
        while True:
            self._wait()
            time.sleep(SECONDS)
            self._something.clear()
            try:
                self.flush()
            finally:
                close_old_connections()

    def _wait(self) -> None:
        """Wait for events, or for the end of an open file. The thread keeps its connection while events come: a new
        one at each write takes the database and this process more than the write."""
        if self._stage is not None and self._stage.is_open:
            self._something.wait(SECONDS)
        elif not self._something.wait(KEPT_S):
            connections.close_all()
            self._something.wait()

    def forget(self) -> None:
        """In a process that was forked: what its parent has not written is its parent's."""
        if self._stage is not None:
            self._stage.close()
        self._begin()


recorder: Final = Recorder()
os.register_at_fork(after_in_child=recorder.forget)


@read_once
def is_logged() -> bool:
    """Whether events are written to files."""
    return bool(settings.EVENT_LOG) and can_be_logged()


@cache
def can_be_logged() -> bool:
    """Whether what writes Parquet is installed."""
    return find_spec("pyarrow") is not None
