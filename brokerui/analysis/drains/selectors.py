"""Drains as pages show them: those that are watched, and those of the last day that ended."""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.analysis.drains.models import Drain

SECOND_MS = 1_000
SHOWN = 20
"""Ended drains that are shown, the newest first."""


@dataclass(frozen=True, slots=True)
class Drains:
    """Everything of one moment."""

    flowing: dict[tuple[str, str, str, str], Drain]
    """By kind, instance, database and subject."""
    drained: list[Drain]
    """Nothing of them waits any more, and routing delivers the next message."""


def drains_now() -> Drains:
    """Return the drains; one query."""
    rows = list(Drain.objects.order_by("-began_at")[:500])
    flowing = {(one.kind, one.instance, one.database, one.subject): one for one in rows if one.ended_at is None}
    return Drains(flowing, [one for one in rows if one.ended_at is not None and not one.left][:SHOWN])


def drains_listed(before: int | None, limit: int) -> list[Drain]:
    """Drains from the newest on, or those older than the one of this key."""
    rows = Drain.objects.order_by("-pk")
    return list((rows if before is None else rows.filter(pk__lt=before))[:limit])


def last_drained() -> Drain | None:
    """The drain that ended last with nothing left."""
    return Drain.objects.filter(ended_at__isnull=False, left=0).order_by("-ended_at").first()


def took_s(drain: Drain) -> int:
    """Seconds that an ended drain took, rounded up to whole ones."""
    return max(1, -(-((drain.ended_at or drain.began_at) - drain.began_at) // SECOND_MS))
