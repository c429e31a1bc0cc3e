"""One class of traffic, asked of one estate at many entry points; each node is asked once."""

from __future__ import annotations

from datetime import datetime

from routing.choosing import Decisions
from routing.classes import Node, TrafficClass
from routing.decision import Outcome
from routing.estate import Estate
from routing.hop import Hop
from routing.journey import Place, Walk, walk
from routing.router import decide


class Asked:
    """The answers of one estate for one class of traffic."""

    __slots__ = ("_at", "_decided", "_ends", "_traffic", "estate")

    def __init__(self, estate: Estate, traffic: TrafficClass, at: datetime) -> None:
        self.estate = estate
        self._traffic = traffic
        self._at = at
        self._decided: dict[Node, Decisions] = {}
        self._ends: dict[Place, frozenset[Outcome]] = {}

    def start(self, node: Node) -> Place:
        """The place where a message of this entry point is first decided on."""
        return Place(node[0], node[1], self.estate.hop_limit)

    def decide(self, place: Place) -> Decisions:
        """The decisions at a place."""
        node = (place.instance, place.database)
        decided = self._decided.get(node)
        if decided is None:
            service, identifier, is_reply = self._traffic
            hop = Hop(self.estate, place.instance, place.database, service, identifier, is_reply, self._at)
            decided = self._decided[node] = decide(hop)
        return decided

    def ends(self, place: Place) -> frozenset[Outcome]:
        """All outcomes from a place on."""
        ends = self._ends.get(place)
        if ends is None:
            ends = self._ends[place] = frozenset(self.walk(place).ends)
        return ends

    def walk(self, place: Place) -> Walk:
        return walk(place, self.decide)

    def has(self, node: Node) -> bool:
        """Whether the estate has this entry point."""
        instance = self.estate.instances.get(node[0])
        return instance is not None and (node[1] is None or node[1] in instance.databases)
