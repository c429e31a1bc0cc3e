"""How long something lasted, in words."""

from __future__ import annotations

from datetime import timedelta

from routing.common.sentence import Sentence, say

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400


def in_words(duration: timedelta) -> Sentence:
    """A duration in one unit or two; less than nothing counts as nothing, since clocks differ."""
    seconds = max(0, int(duration.total_seconds()))
    if seconds < _MINUTE_S:
        return say("{seconds} s", seconds=seconds)
    if seconds < _HOUR_S:
        return say("{minutes} min", minutes=seconds // _MINUTE_S)
    if seconds < _DAY_S:
        return say("{hours} h {minutes} min", hours=seconds // _HOUR_S, minutes=seconds % _HOUR_S // _MINUTE_S)
    return say("{days} d {hours} h", days=f"{seconds // _DAY_S:,}", hours=seconds % _DAY_S // _HOUR_S)
