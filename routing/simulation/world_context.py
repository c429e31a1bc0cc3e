"""Shared state of all brokers of a world, and the outcomes of transactions of its applications."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from routing.dialog.endpoint import QueueKey
from routing.simulation.cipher import KeyGeneratingCipher
from routing.simulation.clock import Scheduler
from routing.simulation.history import WorldHistory
from routing.simulation.ledger import Ledger
from routing.simulation.network import SimulatedNetwork
from routing.simulation.world import World

COMMITTED, ROLLED_BACK, BUSY, REFUSED, EMPTY, GONE = "committed", "rolled back", "busy", "refused", "empty", "gone"
"""Outcome of an application's transaction. GONE: the broker is down, or crashed before the commit was durable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldContext:
    """Shared state of all brokers of a world."""

    world: World
    agenda: Scheduler
    history: WorldHistory
    ledger: Ledger
    network: SimulatedNetwork
    woken: Callable[[str, QueueKey], None]
    """Called with broker and queue when messages can be received."""
    cipher: KeyGeneratingCipher
