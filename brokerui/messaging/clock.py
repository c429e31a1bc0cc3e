"""The moments of the engine: milliseconds since 1970, UTC."""

from __future__ import annotations

import time

_NANOSECONDS = 1_000_000


def now() -> int:
    """By the clock of this machine."""
    return time.time_ns() // _NANOSECONDS
