"""A simulated day of the live estate as an event log, for the telemetry of a round on generated traffic."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brokerui.eventlog.publishing import publish
from brokerui.eventlog.stage import Stage
from routing.common.errors import InputError
from routing.common.sentence import say
from routing.simulation.estate_day import DayPlan, EstateDay

CONVERSATIONS: Final = 1_500
"""Conversations of the day: some ten seconds of processor time."""
FILE_BYTES: Final = 64 * 1024 * 1024
FILE_SECONDS: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class SimulatedDay:
    """A step of a round that the worker does itself."""

    name: str
    plan: DayPlan
    out: Path
    """Folder of the event log; a former day in it is replaced."""


def day_write(day: SimulatedDay, on_progress: Callable[[int], None]) -> tuple[int, int]:
    """Run the day and write its events. Returns the numbers of events and of conversations.

    `on_progress` gets the number of events so far, and may raise to stop. Raises `InputError` where the folder cannot
    be written.
    """
    try:
        shutil.rmtree(day.out, ignore_errors=True)
        day.out.mkdir(mode=0o700, parents=True)
        stage = Stage(day.out, seconds=FILE_SECONDS, size=FILE_BYTES)
        run, written = EstateDay(day.plan), 0
        try:
            for batches in run.events():
                stage.write(batches)
                written += sum(len(events) for _, events in batches)
                on_progress(written)
        finally:
            stage.close()
        publish(day.out)
    except OSError as error:
        raise InputError(str(day.out), "", say("cannot be written: {reason}", reason=str(error))) from None
    return written, run.begun
