"""Boundaries of validity: between two of them no answer of the rules changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pipeline.evaluation.timeline import BEGINNING_OF_TIME, END_OF_TIME, Timeline

TimeSpan = tuple[datetime, datetime]
"""The first and the last moment, both included."""


def boundaries_of(timelines: Sequence[Timeline], span: TimeSpan | None = None) -> list[datetime]:
    """Return the boundaries of several timelines, sorted; with a span, only those after its start and up to its end."""
    first, last = span or (BEGINNING_OF_TIME, END_OF_TIME)
    found = sorted({moment for timeline in timelines for moment in timeline.boundaries()})
    return [moment for moment in found if first < moment <= last]
