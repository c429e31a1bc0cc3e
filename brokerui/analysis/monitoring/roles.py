"""Roles over time: the spans in which a partner had one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from brokerui.analysis.monitoring.history import SamplePoint
from brokerui.analysis.monitoring.spans import MINUTE_MS, Span


def spells(points: Sequence[SamplePoint], span: Span) -> Iterator[tuple[int, int, str]]:
    """The spans in which all samples had one role; without samples there is a gap."""
    step = span.step * MINUTE_MS
    start = end = None
    role = ""
    for point in points:
        if end is not None and start is not None and (point.role != role or point.at > end):
            yield start, end, role
            start = None
        if start is None:
            start, role = point.at, point.role
        end = point.at + step
    if start is not None and end is not None:
        yield start, end, role


def handed_over(points: Sequence[SamplePoint]) -> int:
    """How often a role passed from one to another: moments at which nobody had it do not count."""
    roles = [point.role for point in points if point.role]
    return sum(one != other for one, other in pairwise(roles))
