"""How long a message waits until it is sent again: exponential back-off with jitter, up to about a minute (ACK-3); and
how long a target, or a mirrored route, waits until it asks again."""

from __future__ import annotations

from routing.common.choices import Choices

FIRST_MS = 4_000
LONGEST_MS = 64_000
"""4, 8, 16, 32, then every 64 seconds, as SQL Server does."""
FIRST_PROBE_MS = 60_000
LONGEST_PROBE_MS = 3_600_000
"""Intervals at which a closed target, or one without a complete message, asks whether its initiator is still there."""
JITTER_DIVISOR = 8
"""Up to an eighth is added at random, so that conversations that failed together do not retry together."""


def retry_delay_ms(failures: int, choices: Choices) -> int:
    """Milliseconds until the next attempt, after `failures` failures in a row (at least 1)."""
    return _with_jitter(min(FIRST_MS << min(failures - 1, 10), LONGEST_MS), choices)


def probe_delay_ms(probes: int, choices: Choices) -> int:
    """Milliseconds until a target that is closed, or has no complete message, asks again, after `probes` questions."""
    return _with_jitter(min(FIRST_PROBE_MS << min(probes, 10), LONGEST_PROBE_MS), choices)


def _with_jitter(least: int, choices: Choices) -> int:
    return least + choices.below(least // JITTER_DIVISOR)
