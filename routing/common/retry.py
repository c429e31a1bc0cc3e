"""When to try again: waiting exponentially longer, up to about a minute (ACK-3)."""

from __future__ import annotations

from routing.common.choices import Choices

FIRST_MS = 4_000
LONGEST_MS = 64_000
"""4, 8, 16, 32, then every 64 seconds, as the product."""
FIRST_PROBE_MS = 60_000
LONGEST_PROBE_MS = 3_600_000
"""How often a target that is closed, or has nothing whole yet, asks whether its initiator has gone."""
JITTER_DIVISOR = 8
"""Up to an eighth longer: conversations that failed together must not come back together."""


def retry_delay_ms(failures: int, choices: Choices) -> int:
    """Milliseconds until the next attempt, after so many failures in a row (1 is the first)."""
    return _with_jitter(min(FIRST_MS << min(failures - 1, 10), LONGEST_MS), choices)


def probe_delay_ms(probes: int, choices: Choices) -> int:
    """Milliseconds until a closed target asks again, after so many times."""
    return _with_jitter(min(FIRST_PROBE_MS << min(probes, 10), LONGEST_PROBE_MS), choices)


def _with_jitter(least: int, choices: Choices) -> int:
    return least + choices.below(least // JITTER_DIVISOR)
