"""How long messages wait between SEND and their acknowledgement, as a histogram of few, fixed steps."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

_IN_DECADE: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
_DECADES: Final = 8
BOUNDS_MS: Final = tuple(
    int(step * 10**decade) for decade in range(_DECADES) for step in _IN_DECADE if (step * 10**decade).is_integer()
)
"""The upper bound of each step but the last, in milliseconds: from 1 ms to 19 hours."""
Latencies = Mapping[int, int]
"""By step: how many messages were acknowledged within its bounds."""


def step_of(waited_ms: int) -> int:
    """The step of a time: the first whose bound is not below it."""
    return bisect_left(BOUNDS_MS, waited_ms)


def counted(waited_ms: Iterable[int]) -> Counter[int]:
    """Count times by their steps."""
    return Counter(map(step_of, waited_ms))


def quantile_ms(latencies: Latencies, part: float) -> float | None:
    """The time within which this part of the messages were acknowledged, in milliseconds; None: there were none.

    Within a step the messages are taken to be spread evenly, so the answer is at most half a step beside the truth.
    """
    total = sum(latencies.values())
    if not total:
        return None
    wanted, below = part * total, 0
    for step, count in sorted(latencies.items()):
        if below + count >= wanted:
            return _within(step, (wanted - below) / count)
        below += count
    return _within(max(latencies), 1.0)


def _within(step: int, part: float) -> float:
    low = BOUNDS_MS[step - 1] if step else 0
    high = BOUNDS_MS[step] if step < len(BOUNDS_MS) else low
    return low + (high - low) * part
