"""Limits of a world: how much a broker buffers for others, and how much it sends at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from routing.dialog.settings import DialogSettings
from routing.simulation.chance import Chance

FRAGMENT_OVERHEAD_BYTES: Final = 2_000
"""Maximum bytes counted for a fragment besides its body: its header and a forwarder's overhead."""


@dataclass(frozen=True, slots=True)
class WorldLimits:
    """Limits of every broker of a world."""

    settings: DialogSettings
    forwarded: int | None = None
    """Maximum bytes in a forwarder; None: as its endpoint configures."""


def draw_limits(chance: Chance, fragment_bytes: int) -> WorldLimits:
    """Draw limits: mostly the defaults, else small ones that a few messages fill."""
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
