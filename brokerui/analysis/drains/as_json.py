"""Drains as values for programs: REST, and `brokerui status --diagnose --json`."""

from __future__ import annotations

from typing import Any, Final

from brokerui.analysis.drains.models import Drain
from brokerui.analysis.drains.selectors import SECOND_MS, took_s
from routing.common.moment import format_moment, from_milliseconds

FLOWING: Final = "flowing"
DRAINED: Final = "drained"
STALLED: Final = "stalled"
STATES: Final = (FLOWING, DRAINED, STALLED)


def drain_state(drain: Drain) -> str:
    """Whether its messages flow, nothing of them is left, or the watch was given up with messages left."""
    if drain.ended_at is None:
        return FLOWING
    return STALLED if drain.left else DRAINED


def drain_as_json(drain: Drain, at: int) -> dict[str, Any]:
    """Return one drain as of a moment, in milliseconds since 1970."""
    since = (at - drain.began_at) // SECOND_MS
    is_estimated = drain.estimate_s is not None and drain.ended_at is None
    return {
        "id": drain.pk,
        "state": drain_state(drain),
        "kind": drain.kind,
        "act": drain.act,
        "instance": drain.instance,
        "database": drain.database,
        "subject": drain.subject,
        "author": drain.author,
        "version": drain.version,
        "began_at": _moment(drain.began_at),
        "messages": drain.messages,
        "left": drain.left,
        "estimate_s": drain.estimate_s,
        "left_s": max(0, (drain.estimate_s or 0) - since) if is_estimated else None,
        "ended_at": None if drain.ended_at is None else _moment(drain.ended_at),
        "took_s": None if drain.ended_at is None else took_s(drain),
        "is_well": drain.is_well,
    }


def _moment(at: int) -> str:
    return format_moment(from_milliseconds(at))
