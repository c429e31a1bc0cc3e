"""Checkers of the promises, one module each."""

from __future__ import annotations

from typing import Final

from routing.simulation.checkers.acknowledging import AcknowledgingChecker
from routing.simulation.checkers.asking import AskingChecker
from routing.simulation.checkers.bounding import BoundingChecker
from routing.simulation.checkers.deciding import DecidingChecker
from routing.simulation.checkers.endpoints import EndpointsChecker
from routing.simulation.checkers.erring import ErringChecker
from routing.simulation.checkers.healing import HealingChecker
from routing.simulation.checkers.hops import HopsChecker
from routing.simulation.checkers.keeping import KeepingChecker
from routing.simulation.checkers.mirroring import MirroringChecker
from routing.simulation.checkers.once_in_order import OnceInOrderChecker
from routing.simulation.checkers.poisoning import PoisoningChecker
from routing.simulation.checkers.queues import QueuesChecker
from routing.simulation.checkers.retaining import RetainingChecker
from routing.simulation.checkers.retrying import RetryingChecker
from routing.simulation.checkers.sealing import SealingChecker
from routing.simulation.checkers.silencing import SilencingChecker
from routing.simulation.checkers.taking_back import TakingBackChecker
from routing.simulation.checkers.telling import TellingChecker
from routing.simulation.checking import CheckerFactory

CHECKERS: Final[tuple[CheckerFactory, ...]] = (
    OnceInOrderChecker,
    EndpointsChecker,
    AcknowledgingChecker,
    TakingBackChecker,
    KeepingChecker,
    SealingChecker,
    DecidingChecker,
    MirroringChecker,
    HopsChecker,
    BoundingChecker,
    AskingChecker,
    QueuesChecker,
    RetainingChecker,
    PoisoningChecker,
    SilencingChecker,
    ErringChecker,
    RetryingChecker,
    HealingChecker,
    TellingChecker,
)
"""All checkers; those whose promise matters most to applications come first."""
