"""One module a promise."""

from __future__ import annotations

from typing import Final

from routing.simulation.checkers.acknowledging import Acknowledging
from routing.simulation.checkers.asking import Asking
from routing.simulation.checkers.bounding import Bounding
from routing.simulation.checkers.deciding import Deciding
from routing.simulation.checkers.endpoints import Endpoints
from routing.simulation.checkers.healing import Healing
from routing.simulation.checkers.hops import Hops
from routing.simulation.checkers.keeping import Keeping
from routing.simulation.checkers.mirroring import Mirroring
from routing.simulation.checkers.once_in_order import OnceInOrder
from routing.simulation.checkers.poisoning import Poisoning
from routing.simulation.checkers.queues import Queues
from routing.simulation.checkers.retrying import Retrying
from routing.simulation.checkers.sealing import Sealing
from routing.simulation.checkers.silencing import Silencing
from routing.simulation.checkers.telling import Telling
from routing.simulation.checking import Making

CHECKERS: Final[tuple[Making, ...]] = (
    OnceInOrder,
    Endpoints,
    Acknowledging,
    Keeping,
    Sealing,
    Deciding,
    Mirroring,
    Hops,
    Bounding,
    Asking,
    Queues,
    Poisoning,
    Silencing,
    Retrying,
    Healing,
    Telling,
)
"""All of them, what matters most to applications first."""
