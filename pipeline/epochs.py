"""When answers may change: from one such moment to the next, all of them hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pipeline.estates import EVER, NEVER, Timeline

Span = tuple[datetime, datetime]
"""The first moment and the last."""


def boundaries_of(timelines: Sequence[Timeline], span: Span | None = None) -> list[datetime]:
    """Those of several timelines together, in order; of a span only those after its first moment, until its last."""
    first, last = span or (EVER, NEVER)
    found = sorted({moment for timeline in timelines for moment in timeline.boundaries()})
    return [moment for moment in found if first < moment <= last]
