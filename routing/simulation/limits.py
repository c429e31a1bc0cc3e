"""Limits of a world: how much a broker holds for others, and how much it sends at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from routing.dialog.settings import DialogSettings
from routing.simulation.chance import Chance

FRAGMENT_OVERHEAD_BYTES: Final = 2_000
"""Bytes that count for a fragment besides its body, at most: its header, and what a forwarder counts for each."""


@dataclass(frozen=True, slots=True)
class WorldLimits:
    """The same for all brokers."""

    settings: DialogSettings
    forwarded: int | None = None
    """Bytes that a forwarder holds; None: as its endpoint says."""


def draw_limits(chance: Chance, fragment_bytes: int) -> WorldLimits:
    """Mostly those of the product; else some that a few messages fill."""
    if not chance.happens(350):
        return WorldLimits(DialogSettings(fragment_bytes=fragment_bytes))
    usual = DialogSettings()
    one = fragment_bytes + FRAGMENT_OVERHEAD_BYTES
    settings = DialogSettings(
        fragment_bytes=fragment_bytes,
        window=chance.pick((usual.window, 20, 6)),
        batch_bytes=chance.pick((usual.batch_bytes, 2 * fragment_bytes)),
        held_bytes=chance.pick((usual.held_bytes, 6 * fragment_bytes, fragment_bytes)),
        postponed_bytes=chance.pick((usual.postponed_bytes, 2 * one, 0)),
        transmission_bytes=chance.pick((usual.transmission_bytes, 2_000, 0)),
        room=chance.pick((usual.room, one)),
    )
    return WorldLimits(settings, chance.pick((None, 4 * one)))
