"""How long waiting messages need until they are delivered. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainFacts:
    """The facts that an estimate rests on."""

    messages: int
    """That wait."""
    per_minute: int | None
    """Messages that arrived in the busiest minute of the last hour; None: none arrived."""
    last_attempt_in_s: int = 0
    """Seconds until the last of the conversations is due by itself."""
    is_due: bool = False
    """Whether an act makes all of them due at once."""


def drain_seconds(facts: DrainFacts) -> int | None:
    """Return the seconds until nothing waits, whole and at least one; None where no rate is known."""
    if not facts.messages:
        return 0
    if not facts.per_minute:
        return None
    starts = 0 if facts.is_due else max(0, facts.last_attempt_in_s)
    return starts + max(1, math.ceil(facts.messages * 60 / facts.per_minute))
