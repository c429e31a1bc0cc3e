"""When the answer to a class of traffic may change: from one such moment to the next, one answer holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.estates import EVER, Scope, Timeline


class Key(NamedTuple):
    """What a class stands for, as the columns have it."""

    from_instance: str
    from_database: str | None
    to_service: str
    to_broker_instance: str | None
    is_reply: bool


Span = tuple[datetime, datetime]
"""The first moment and the last."""


@dataclass(frozen=True, slots=True)
class Epochs:
    """The moments at which some answers change, in order, and what each may matter for."""

    boundaries: Sequence[datetime]
    by_scope: Mapping[Scope, Sequence[datetime]]
    first: datetime
    """Nothing earlier is asked about."""

    def marks(self, key: Key) -> list[datetime]:
        """The boundaries that matter for a class, in order: each begins a validity interval of it, from 1."""
        return sorted({moment for scope in _scopes(key) for moment in self.by_scope.get(scope, ())})

    def begin(self, key: Key, interval: int) -> datetime:
        """The first moment of a validity interval; that before the first mark of a class is number 0."""
        return self.marks(key)[interval - 1] if interval else self.first


def _scopes(key: Key) -> Iterator[Scope]:
    for entry in (None, (key.from_instance, key.from_database)):
        for service in (None, key.to_service):
            yield entry, service


def epochs_of(timelines: Sequence[Timeline], span: Span | None = None) -> Epochs:
    """The boundaries of several timelines together; of a span only those after its first moment, until its last."""
    first, last = span or (EVER, datetime.max.replace(tzinfo=UTC))
    found = sorted({moment for timeline in timelines for moment in timeline.boundaries()})
    boundaries = [moment for moment in found if first < moment <= last]
    by_scope: dict[Scope, list[datetime]] = defaultdict(list)
    for moment in boundaries:
        for scope in {scope for timeline in timelines for scope in timeline.matters_for(moment)}:
            by_scope[scope].append(moment)
    return Epochs(boundaries, dict(by_scope), first)
