"""Check of messages that are forwarded in a circle.

A service name concerns few instances; all others treat it like a name that occurs nowhere. So the graph of forwarding
is computed once for that name, and for each real name only the differing nodes are evaluated and walked: the time grows
with the routes, not with routes times instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.common.finding import ERROR, WARNING, Finding
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.lint.chains import NodeSet, OverlayGraph
from routing.lint.context import LintContext
from routing.lint.cycles import circle, cycles
from routing.lint.linted_objects import lost
from routing.lint.sending import Forwarders, Ground, Sends, is_nameless, leads
from routing.model.conversation import Conversation

SHOWN = 12
"""Limit of instances of a circle that one sentence lists."""


def forwarding_loop(scene: LintContext) -> Iterator[Finding]:
    """Instances that forward messages for one service, or for all unknown names, in a circle (LOOP-1).

    The engine decides for every service name in an msdb that forwards, with and without each identifier of its routes,
    and for an unknown name. One finding per circle, at the route by which its first instance forwards the message. An
    error if a message that enters the circle has no other end.
    """
    if not any(instance.forwarding for instance in scene.instances):
        return
    reported: set[object] = set()
    for loops, starts in _loops_to_search(Forwarders(scene)):
        for entries in cycles(loops.changed.starts(starts), loops.changed.onward):
            component = loops.changed.part(entries)
            key = loops.key(component)
            if key not in reported:
                reported.add(key)
                yield loops.finding(component, entries)


def _loops_to_search(forwarders: Forwarders) -> Iterator[tuple[_Loops, Mapping[int, Sequence[int]]]]:
    """The names and identifiers to evaluate, with the nodes to start from. A circle specific to a name is reached from
    a route for it."""
    if not forwarders.active:
        return
    nowhere = Ground(forwarders)
    yield _Loops(forwarders, nowhere, nowhere, UNKNOWN_SERVICE, None, ()), nowhere.chains.positions(forwarders.active)
    for service, among in forwarders.named.items():
        special = forwarders.special(service)
        differ = forwarders.by_identifier(service, special)
        # A name with many identifiers in many places gets a ground of its own, so that each is asked where it stands.
        own = len(differ) * len(special) > 2 * len(forwarders.instances)
        ground = Ground(forwarders, service) if own else nowhere
        starts = ground.chains.positions(among)
        for identifier, particular in differ.items():
            yield _Loops(forwarders, nowhere, ground, service, identifier, particular if own else special), starts


class _Loops:
    """The circles of one service name and identifier, as differences to the graph of an unknown name."""

    def __init__(
        self,
        forwarders: Forwarders,
        nowhere: Ground,
        ground: Ground,
        service: str,
        identifier: str | None,
        differ: Iterable[int],
    ) -> None:
        self._forwarders = forwarders
        self._nowhere = nowhere
        self._ground = ground
        self._service = service
        self._identifier = identifier
        self._differ = {number: forwarders.sends(number, service, identifier) for number in differ}
        self.changed = OverlayGraph(ground.chains, {number: leads(sends) for number, sends in self._differ.items()})

    def _sends(self, number: int) -> Sends:
        return self._differ.get(number, self._ground.sends[number])

    def key(self, component: NodeSet) -> object:
        """Equal for two circles on which the same routes lead from one instance to the next.

        Two names can share a circle only if none of its routes has a name: those circles are reported for the unknown
        name.
        """
        if self._ground is self._nowhere or self._has_a_name(component):
            return self._ground.service, component.key, self._other_routes(self._ground, self._differ, component)
        nodes = component.nodes()
        moved = OverlayGraph(self._nowhere.chains, dict.fromkeys(nodes, ())).part(nodes)
        return self._nowhere.service, moved.key, self._other_routes(self._nowhere, nodes, moved)

    def _has_a_name(self, component: NodeSet) -> bool:
        """True if one of the routes on the circle is for the name."""
        ground = (number for number in self._ground.by_name if number not in self._differ)
        return any(self._names(component, number) for number in chain(self._differ, ground))

    def _names(self, component: NodeSet, number: int) -> bool:
        here = self._forwarders.instances[number]
        return number in component and any(
            to in component and not is_nameless(here, route) for to, route in self._sends(number)
        )

    def _other_routes(self, ground: Ground, among: Iterable[int], component: NodeSet) -> frozenset[object]:
        """The routes within the component that differ from those of the unknown name."""
        found = set()
        for number in among:
            if number in component:
                routes = _within(component, self._sends(number))
                if routes != _within(component, ground.sends[number]):
                    found.add((number, routes))
        return frozenset(found)

    def finding(self, component: NodeSet, entries: list[int]) -> Finding:
        first = component.first()
        way = self._simple(component, entries, first) or circle(component.nodes(), first, self.changed.follow)
        route = next(route for to, route in self._sends(first) if to == way[1])
        name = self._forwarders.instances[first].name
        return Finding("forwarding-loop", self._severity(name), name, MSDB, route, self._reason(way))

    def _simple(self, component: NodeSet, entries: list[int], first: int) -> list[int] | None:
        """The cycle, if the component has exactly one; follows whole chains. None if a node has two successors inside
        it."""
        chains = self._ground.chains
        following = {}
        for run in map(self.changed.run, entries):
            end = chains.chains[run.chain][run.last]
            inside = [node for node in self.changed.follow(end) if node in component]
            if len(inside) > 1:
                return None
            following[end] = inside[0]
        way: list[int] = []
        node = first
        while not way or node != first:
            run = self.changed.run(node)
            nodes = chains.nodes(run)
            if way and first in nodes:
                nodes = nodes[: nodes.index(first)]
                return [*way, *nodes, first]
            way += nodes
            node = following[way[-1]]
        return [*way, first]

    def _severity(self, first: str) -> str:
        if self._service == UNKNOWN_SERVICE:
            return WARNING
        ends = self._forwarders.scene.outcomes(Conversation(first, None, self._service, self._identifier))
        return ERROR if lost(ends) else WARNING

    def _reason(self, way: list[int]) -> Sentence:
        shown = " > ".join(self._shown(way))
        if self._service == UNKNOWN_SERVICE:
            return say(
                "Messages for a service that none of them has are forwarded in a loop until they are dropped: {way}.",
                way=shown,
            )
        return say(
            "Messages for {service} are forwarded in a loop until they are dropped: {way}.",
            service=self._service,
            way=shown,
        )

    def _shown(self, way: list[int]) -> Iterator[str]:
        """The names of the instances on the circle; of a long one, only both ends."""
        cut = way if len(way) <= SHOWN else [*way[: SHOWN - 3], None, *way[-2:]]
        for number in cut:
            yield "…" if number is None else self._forwarders.instances[number].name


def _within(component: NodeSet, sends: Sends) -> frozenset[str]:
    return frozenset(route for to, route in sends if to in component)
