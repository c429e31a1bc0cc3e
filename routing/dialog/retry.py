"""When to try again: waiting exponentially longer, up to about a minute (ACK-3)."""

from __future__ import annotations

from routing.dialog.choices import Choices

FIRST_MS = 4_000
LONGEST_MS = 64_000
"""4, 8, 16, 32, then every 64 seconds, as the product."""
JITTER = 8
"""Up to an eighth longer: conversations that failed together must not come back together."""


def wait(failures: int, choices: Choices) -> int:
    """Milliseconds until the next attempt, after so many failures in a row (1 is the first)."""
    least = min(FIRST_MS << min(failures - 1, 10), LONGEST_MS)
    return least + choices.below(least // JITTER)
