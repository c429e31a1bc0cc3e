"""Evaluates one class of traffic at many entry points of one estate; decides each node once."""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime
from typing import NamedTuple, cast

from routing.classes.traffic_class import Node, TrafficClass
from routing.model.estate import Estate
from routing.rules.choosing import Decisions
from routing.rules.decision import Outcome
from routing.rules.hop import Hop
from routing.rules.journey import Position, after
from routing.rules.router import decide


class NextHop(NamedTuple):
    """An instance to which a hop sends a message."""

    instance: str
    forwards: int
    """1 if sending there is forwarding, else 0."""


class HopResult(NamedTuple):
    """The result of one hop, if the hop limit is not reached."""

    ends: frozenset[Outcome]
    """Outcomes at this hop: ends here, or leaves the estate from here."""
    leads: frozenset[NextHop]


_NOWHERE: frozenset[NextHop] = frozenset()


class ClassEvaluator:
    """The outcomes of one class of traffic in one estate.

    With a `background`, the evaluator of a name that occurs nowhere, only the `special` nodes are decided here; all
    others behave as in the background.
    """

    __slots__ = (
        "_alike",
        "_at",
        "_at_limit",
        "_background",
        "_ends",
        "_onward",
        "_otherwise",
        "_special",
        "_traffic",
        "estate",
        "shared",
    )

    def __init__(
        self,
        estate: Estate,
        traffic: TrafficClass,
        at: datetime,
        background: ClassEvaluator | None = None,
        special: Set[Node] = frozenset(),
    ) -> None:
        self.estate = estate
        self._traffic = traffic
        self._at = at
        self._background = background
        self._special = special
        self._at_limit: set[Node] = set()
        """Special nodes that were decided for a message at its hop limit."""
        self._alike: ClassEvaluator | None = None
        self._otherwise: Set[Node] = frozenset()
        self.shared: Set[str] = frozenset()
        """Instances from which a message reaches no special node: the background gives their outcomes."""
        self._onward: dict[Node, HopResult] = {}
        self._ends: dict[Position, frozenset[Outcome]] = {}

    def start(self, node: Node) -> Position:
        """The position at which a message of this entry point begins."""
        return Position(node[0], node[1], self.estate.hop_limit)

    def decides_like(self, other: ClassEvaluator, otherwise: Set[Node]) -> None:
        """From now on, reuse the other estate's decisions at all nodes but `otherwise`, which are known to differ."""
        self._alike, self._otherwise = other, otherwise

    def onward(self, node: Node) -> HopResult:
        """The result of the hop at a node."""
        if self._background is not None and node not in self._special:
            return self._background.onward(node)
        found = self._onward.get(node)
        if found is None:
            alike = self._alike if node not in self._otherwise else None
            found = alike.onward(node) if alike is not None else self._fresh(node)
            self._onward[node] = found
        return found

    def _fresh(self, node: Node) -> HopResult:
        place = Position(node[0], node[1], 1)
        follows = [after(place, decision) for decision in self._decide(node)]
        ends = frozenset([end for end in follows if isinstance(end, Outcome)])
        if len(ends) == len(follows):
            return HopResult(ends, _NOWHERE)
        leads = [NextHop(onto.instance, 1 - onto.hops_remaining) for onto in follows if isinstance(onto, Position)]
        return HopResult(ends, frozenset(leads))

    def _decide(self, node: Node) -> Decisions:
        service, identifier, is_reply = self._traffic
        return decide(Hop(self.estate, node[0], node[1], service, identifier, is_reply, self._at))

    def ends(self, place: Position) -> frozenset[Outcome]:
        """All outcomes from a position on. Evaluates each position once; ends because each forwarding costs a hop."""
        found = self._ends.get(place)
        if found is None:
            if self._background is not None and place.database is None and place.instance in self.shared:
                return self._background.ends(place)
            found = self._ends[place] = self._ends_from(place)
        return found

    def _ends_from(self, place: Position) -> frozenset[Outcome]:
        instance, database, hops_remaining = place
        if hops_remaining == 0 and database is None:  # LOOP-1: the limit is reached, so every decision ends here
            if (instance, None) in self._special:
                self._at_limit.add((instance, None))
            return frozenset(cast(Outcome, after(place, decision)) for decision in self._decide((instance, None)))
        ends, leads = self.onward((instance, database))
        for lead in leads:
            beyond = self.ends(Position(lead.instance, None, hops_remaining - lead.forwards))
            ends = ends | beyond if ends else beyond
        return ends

    @property
    def decided(self) -> Set[Node]:
        """The special nodes that were decided; while there are none, every answer came from the background."""
        return self._onward.keys() | self._at_limit

    def has(self, node: Node) -> bool:
        """Whether the estate has this entry point."""
        instance = self.estate.instances.get(node[0])
        return instance is not None and (node[1] is None or node[1] in instance.databases)
