"""Messages that are forwarded in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from routing.classes import NOWHERE
from routing.conversation import Conversation
from routing.decision import Send
from routing.finding import ERROR, WARNING, Finding
from routing.lint.cycles import circle, cycles
from routing.lint.scene import Scene, lost
from routing.names import MSDB
from routing.sentence import Sentence, say


def forwarding_loop(scene: Scene) -> Iterator[Finding]:
    """Instances that forward messages for one service, or for all that none of them has, in a circle (LOOP-1).

    What each does is asked of the engine for every service name in an msdb that forwards, with and without each
    identifier that stands beside it, and for a name that is nowhere. One finding a circle, at the route by which
    its first instance sends the message on. An error where a message that comes there ends nowhere else.
    """
    told: set[frozenset[tuple[str, str]]] = set()
    for service, identifier, starts in _asked(scene):
        loops = _Loops(scene, service, identifier)
        for component in cycles(starts, loops.onward):
            edges = loops.edges(component)
            if edges not in told:
                told.add(edges)
                yield loops.finding(component)


def _asked(scene: Scene) -> Iterator[tuple[str, str | None, list[str]]]:
    """What to ask for, and from where on. Only who forwards can be on a circle, and one of them needs a route."""
    forwarding = [i for i in scene.estate.instances.values() if i.forwarding and i.msdb.routes]
    yield NOWHERE, None, [instance.name for instance in forwarding]
    starts: dict[str, list[str]] = {}
    identifiers: dict[str, dict[str | None, None]] = {}
    for instance in forwarding:
        for service, named in instance.msdb.named.items():
            starts.setdefault(service, []).append(instance.name)
            identifiers.setdefault(service, {None: None}).update(dict.fromkeys(named.by_identifier))
    for service, among in identifiers.items():
        for identifier in among:
            yield service, identifier, starts[service]


class _Loops:
    """The circles of one service name and identifier."""

    def __init__(self, scene: Scene, service: str, identifier: str | None) -> None:
        self._scene = scene
        self._service = service
        self._identifier = identifier

    def _sends(self, instance: str) -> Iterator[tuple[str, str]]:
        """To which instances a message from outside is sent on, and by which route."""
        for decision in self._scene.from_outside(instance, self._service, self._identifier):
            if isinstance(decision, Send) and decision.to is not None:
                yield decision.to, decision.route

    def onward(self, instance: str) -> list[str]:
        return [to for to, _ in self._sends(instance)]

    def edges(self, component: Iterable[str]) -> frozenset[tuple[str, str]]:
        """The routes that lead from an instance of the component to one of it."""
        inside = set(component)
        return frozenset((name, route) for name in inside for to, route in self._sends(name) if to in inside)

    def finding(self, component: list[str]) -> Finding:
        inside = set(component)
        first = next(name for name in self._scene.estate.instances if name in inside)
        way = circle(component, first, self.onward)
        route = next(route for to, route in self._sends(first) if to == way[1])
        return Finding("forwarding-loop", self._severity(first), first, MSDB, route, self._reason(way))

    def _severity(self, first: str) -> str:
        if self._service == NOWHERE:
            return WARNING
        ends = self._scene.outcomes(Conversation(first, None, self._service, self._identifier))
        return ERROR if lost(ends) else WARNING

    def _reason(self, way: list[str]) -> Sentence:
        shown = " > ".join(way)
        if self._service == NOWHERE:
            return say(
                "Messages for a service that none of them has go round until they are dropped: {way}.", way=shown
            )
        return say("Messages for {service} go round until they are dropped: {way}.", service=self._service, way=shown)
