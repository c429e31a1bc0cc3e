"""Exponential back-off: the pause before the next attempt doubles with each failure in a row, up to a limit.

For connections and background jobs. Messages that are sent again wait as `routing.common.retry` says.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

DOUBLINGS_MAX = 30
"""Beyond them every pause is at its limit; the power stays a small number however often something fails."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait between attempts. Holds no state: the caller counts its failures."""

    first_s: float
    max_s: float
    jitter: float = 0.0
    """Share of the pause that chance takes off, so that callers that failed together do not all come back together."""

    def pause_s(self, failures: int) -> float:
        """Seconds to wait after this many failures in a row, from 1."""
        pause_s = min(self.max_s, self.first_s * 2.0 ** min(max(failures, 1) - 1, DOUBLINGS_MAX))
        return pause_s * random.uniform(1.0 - self.jitter, 1.0)  # noqa: S311 - no secret
