"""`--watched`: a program started the job. It is told how far the job is, a line of JSON each second, and the job ends
when that program does.
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

from pipeline.jobs.telemetry import TABLES
from pipeline.record import Run, under_way

EVERY_SECONDS = 1.0
STAGES = {
    "ingest": ("bronze", "silver", "sums", "quarantine"),
    "route": ("estates", "start", "ask", "rows", "summary", "quarantine"),
    "replay": ("estates", "start", "ask", "gold", "rows", "quarantine"),
    "telemetry": ("estates", "start", "examine", "clean", *TABLES, "ways", "quarantine"),
}
"""What each job does once it has begun, in order."""
START = "start"


def watch() -> None:
    """From now on."""
    for work in (_tell_always, _end_with_starter):
        threading.Thread(target=work, name=work.__name__, daemon=True).start()


def tell(**told: Any) -> None:
    """A line in one write, so that it arrives whole; whoever read it may be gone."""
    try:
        os.write(sys.stdout.fileno(), (json.dumps(told) + "\n").encode())
    except OSError:
        return


def stage_of(run: Run) -> str:
    """What is being done: the first stage that has not ended."""
    return next((stage for stage in STAGES.get(run.job, ()) if stage not in run.ended), "")


@dataclass
class Rows:
    """How many rows Spark has read so far, over all its stages but those that were over in no time."""

    _ended: int = 0
    _active: set[int] = field(default_factory=set)

    def read(self) -> int:
        """What its listener knows: it hears of each task that ends, and of the others every ten seconds."""
        # The one of this process, without starting one; it is there before Java is.
        java = getattr(SparkContext._active_spark_context, "_jsc", None)
        if java is None:
            return 0
        store = java.sc().statusStore()
        stages = store.activeStages()
        active = {stage.stageId(): stage.inputRecords() for stage in map(stages.apply, range(stages.size()))}
        # What a stage read stands only once its tasks have ended, and then it is not active any more.
        self._ended += sum(store.lastStageAttempt(number).inputRecords() for number in self._active - active.keys())
        self._active = set(active)
        return int(self._ended + sum(active.values()))


def _tell_always() -> None:
    rows = Rows()
    while True:
        time.sleep(EVERY_SECONDS)
        run = under_way()
        try:
            tell(stage=stage_of(run) if run else START, rows=rows.read())
        except (Py4JError, OSError):
            return  # Spark has ended


def _end_with_starter() -> None:
    """Standard input is a pipe that nobody writes to: it ends when its other end is closed, also by a kill."""
    while os.read(0, 1 << 10):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
