"""`--watched`: report progress to the program that started a job or a round, and end when that program ends.

The report is a line of JSON each second.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext

from pipeline.jobs.telemetry_tables import STAGES as TABLE_STAGES
from pipeline.results.run_record import JobRun, current_run

INTERVAL_S = 1.0
STAGES = {
    "ingest": ("bronze", "silver", "sums", "quarantine"),
    "route": ("estates", "start", "ask", "rows", "summary", "quarantine"),
    "replay": ("estates", "start", "ask", "gold", "rows", "quarantine"),
    "telemetry": ("estates", "start", "examine", "clean", *TABLE_STAGES, "quarantine"),
}
"""The phases of each job, in order."""
START_STAGE = "start"


def start_progress(*, ends_with_input: bool) -> None:
    """Start the thread that reports progress, and the one that ends this process when standard input is closed."""
    for work in (_report_progress, *([_end_with_starter] if ends_with_input else [])):
        threading.Thread(target=work, name=work.__name__, daemon=True).start()


def write_progress(**values: Any) -> None:
    """Write a JSON line with one system call, so that it arrives whole. Ignores that the reader has gone."""
    try:
        os.write(sys.stdout.fileno(), (json.dumps(values) + "\n").encode())
    except OSError:
        return


def stage_of(run: JobRun) -> str:
    """Return the phase that the job is in: the first that has not finished."""
    return next((stage for stage in STAGES.get(run.job, ()) if stage not in run.finished_phases), "")


@dataclass
class RowCounter:
    """Counts the rows that Spark has read, over all stages that lasted at least `INTERVAL_S`."""

    _ended: int = 0
    _active: set[int] = field(default_factory=set)

    def read(self) -> int:
        """Return what Spark's listener knows: finished tasks at once, running tasks every ten seconds."""
        # The context of this process, without starting one; it exists before its JVM does.
        java = getattr(SparkContext._active_spark_context, "_jsc", None)
        if java is None:
            return 0
        store = java.sc().statusStore()
        stages = store.activeStages()
        active = {stage.stageId(): stage.inputRecords() for stage in map(stages.apply, range(stages.size()))}
        # The final count of a stage is known only when its tasks have ended, and then it is not active any more.
        self._ended += sum(store.lastStageAttempt(number).inputRecords() for number in self._active - active.keys())
        self._active = set(active)
        return int(self._ended + sum(active.values()))


def _report_progress() -> None:
    rows, counted = RowCounter(), None
    while True:
        time.sleep(INTERVAL_S)
        run = current_run()
        if run is not counted:
            rows, counted = RowCounter(), run
        try:
            write_progress(stage=stage_of(run) if run else START_STAGE, rows=rows.read())
        except (Py4JError, OSError):
            rows = RowCounter()  # Spark has ended; a later job of a round starts another


def _end_with_starter() -> None:
    """End this process when standard input, a pipe from the starting process, is closed: also when that was killed."""
    while os.read(0, 1 << 10):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
