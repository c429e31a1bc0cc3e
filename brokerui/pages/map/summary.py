"""The map of many instances: boxes with numbers, one line for all routes from one box to another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from statistics import median_low

from brokerui.estate.refs import ALL_OUTSIDE, GROUP, INSTANCE, Ref, between, instance_ref
from brokerui.pages.map.detail import BUNDLED, Unbundled, forwarding, instance_box
from brokerui.pages.map.name_groups import name_groups
from brokerui.pages.map.network import InstanceCounts, RouteNetwork
from brokerui.pages.map.plan import (
    GROUPS,
    INSTANCES,
    LOCAL,
    REST,
    SUM,
    TRANSPORT,
    MapBox,
    MapCell,
    MapPlan,
    MapRow,
    Text,
)
from brokerui.pages.map.scope import Scope
from routing.common.sentence import Sentence, say, say_counted

MAX_LINES = 150
MAX_UNREDUCED_LINES = {INSTANCES: MAX_LINES, GROUPS: 60}
"""Up to this many lines are all drawn. Above it, each box draws those that stand for the most routes:"""
MAX_LINES_OF_BOX = {INSTANCES: 6, GROUPS: 3}
MAX_HUBS, HUB_FACTOR = 12, 3
"""Limit of hubs that are drawn by themselves, and how many times as many neighbours as the median a hub has."""
MAX_GROUPS = 16
WEIGHT_STEPS = (10, 100, 1000)
"""Numbers of routes from which on a line is drawn wider."""


def instances(network: RouteNetwork, scope: Scope, at: datetime, unbundled: Unbundled = BUNDLED) -> MapPlan:
    """A box for each instance of the scope."""
    boxes = {instance_ref(name): (name,) for name in scope.instances}
    return _Summary(network, scope, boxes, at, unbundled).plan(INSTANCES)


def groups(network: RouteNetwork, scope: Scope, at: datetime, unbundled: Unbundled = BUNDLED) -> MapPlan:
    """A box for the instance in the middle and each that many others are joined to, one for each group of the rest."""
    alone = _hubs(network, scope.instances)
    if scope.focus:
        alone[scope.focus] = None
    boxes: dict[Ref, Sequence[str]] = {instance_ref(name): (name,) for name in alone}
    for names in name_groups(sorted(name for name in scope.instances if name not in alone), MAX_GROUPS):
        ref = instance_ref(names[0]) if len(names) == 1 else Ref(GROUP, (names[0], names[-1]))
        boxes[ref] = names
    return _Summary(network, scope, boxes, at, unbundled).plan(GROUPS)


def _hubs(network: RouteNetwork, names: Iterable[str]) -> dict[str, None]:
    joined = {name: sum(1 for _ in network.neighbours(name)) for name in names}
    usual = median_low(joined.values())
    most = sorted(joined, key=lambda name: -joined[name])[:MAX_HUBS]
    return {name: None for name in most if joined[name] > HUB_FACTOR * max(usual, 1)}


class _Summary:
    """Adds up the routes of each box."""

    def __init__(
        self,
        network: RouteNetwork,
        scope: Scope,
        boxes: Mapping[Ref, Sequence[str]],
        at: datetime,
        unbundled: Unbundled,
    ) -> None:
        self.unbundled = unbundled
        self.network = network
        self.scope = scope
        self.boxes = boxes
        self.at = at
        self.owner = {name: ref for ref, names in boxes.items() for name in names}
        self.flows: dict[Ref, Counter[Ref]] = defaultdict(Counter)
        self.mirrors: dict[Ref, Counter[Ref]] = defaultdict(Counter)
        self.local: Counter[Ref] = Counter()
        self.transport: Counter[Ref] = Counter()
        self.hidden: Counter[Ref] = Counter()
        for name, ref in self.owner.items():
            self._add(name, ref)

    def plan(self, level: str) -> MapPlan:
        """The boxes with the heaviest lines of each."""
        plan = MapPlan(level)
        middle = self._middle()
        drawn = self._drawn(level, middle)
        for ref, names in self.boxes.items():
            is_middle = middle is not None and middle.ref == ref
            plan.boxes[ref] = middle if is_middle and middle else self._box(ref, names, drawn.get(ref, set()))
        if any(ALL_OUTSIDE in row.to for row in plan.rows()):
            plan.boxes[ALL_OUTSIDE] = self._outside()
        return plan

    def _middle(self) -> MapBox | None:
        """The instance around which the map is, with every database and route, unless they are too many."""
        if not self.scope.focus:
            return None
        box = instance_box(self.network, self.scope, self.scope.focus, self.at, self.unbundled)
        for row in box.rows():
            row.to = tuple(dict.fromkeys(map(self._owner, row.to)))
        return box if sum(len(row.to) for row in box.rows()) + len(box.cells) <= MAX_LINES else None

    def _owner(self, place: Ref) -> Ref:
        """The box that stands for a place."""
        return self.owner[place.name] if place.kind == INSTANCE else ALL_OUTSIDE

    def _add(self, name: str, ref: Ref) -> None:
        sums = self._sums(name)
        self.local[ref] += sums.local
        self.transport[ref] += sums.transport
        for place, flow in sums.flows.items():
            if not self.scope.draws(name, place):
                self.hidden[ref] += flow.routes
                continue
            to = self._owner(place)
            self.flows[ref][to] += flow.routes
            self.mirrors[ref][to] += flow.mirrors

    def _sums(self, name: str) -> InstanceCounts:
        """The counts of an instance, of the routes that the scope keeps; the others count as hidden."""
        sums = self.network.sums[name]
        if self.scope.service is None:
            return sums
        kept = InstanceCounts()
        for database in self.network.estate.instances[name].databases.values():
            self.network.add(kept, filter(self.scope.keeps, database.table.routes.values()))
        self.hidden[self.owner[name]] += sums.routes - kept.routes
        return kept

    def _drawn(self, level: str, middle: MapBox | None) -> dict[Ref, set[Ref]]:
        """The lines that are drawn: all, or those for the most routes."""
        lines = {
            ref: {to: count + self.mirrors[ref][to] for to, count in flows.items() if to != ref}
            for ref, flows in self.flows.items()
            if middle is None or ref != middle.ref
        }
        count = sum(map(len, lines.values()))
        most = count if count <= MAX_UNREDUCED_LINES[level] else MAX_LINES_OF_BOX[level]
        heavy = [(n, ref, to) for ref, flows in lines.items() for to, n in _heaviest(flows, most)]
        heavy.sort(key=lambda one: -one[0])
        drawn: dict[Ref, set[Ref]] = defaultdict(set)
        for _, ref, to in heavy[:MAX_LINES]:
            drawn[ref].add(to)
        return drawn

    def _box(self, ref: Ref, names: Sequence[str], drawn: set[Ref]) -> MapBox:
        instances = [self.network.estate.instances[name] for name in names]
        databases = sum(len(instance.databases) for instance in instances)
        routes = sum(self.network.sums[name].routes for name in names)
        cell = MapCell(ref, "", (_databases(databases), _routes(routes)), rows=list(self._rows(ref, drawn)))
        about = frozenset(map(instance_ref, names))
        if ref.kind == INSTANCE:
            address = next((one.text for one in instances[0].addresses), "")
            return MapBox(ref, ref.name, (forwarding(instances[0]),), [cell], about, address=address)
        title = say("{first} … {last}", first=names[0], last=names[-1])
        count = say_counted(len(names), "one instance", "{count} instances")
        return MapBox(ref, title, (count,), [cell], about, len(names))

    def _rows(self, ref: Ref, drawn: set[Ref]) -> Iterator[MapRow]:
        flows, mirrors = self.flows[ref], self.mirrors[ref]
        rest = self.hidden[ref]
        for to, count in _heaviest(flows, len(flows)):
            if to == ref and count:
                yield MapRow(between(ref, ref), LOCAL, _routes(count), (self._inside(ref),), routes=count)
            elif to in drawn:
                yield _sum(ref, to, count, mirrors[to])
            else:
                rest += count
        if self.local[ref]:
            yield MapRow(ref, LOCAL, _routes(self.local[ref]), (say("stay here"),), routes=self.local[ref])
        if self.transport[ref]:
            note = say("to the address in the service name")
            yield MapRow(ref, TRANSPORT, _routes(self.transport[ref]), (note,), routes=self.transport[ref])
        if rest:
            text = say_counted(rest, "one more route", "{count} more routes")
            yield MapRow(ref, REST, text, (say("not drawn"),), routes=rest)

    def _inside(self, ref: Ref) -> Sentence:
        return say("between them") if ref.kind == GROUP else say("to itself")

    def _outside(self) -> MapBox:
        addresses = {
            place
            for name in self.owner
            for place in self.network.sums[name].flows
            if place.kind != INSTANCE and self.scope.draws(name, place)
        }
        title = say_counted(len(addresses), "one address", "{count} addresses")
        note = say("no instance of this estate")
        return MapBox(ALL_OUTSIDE, title, (note,), about=frozenset(addresses), stands_for=len(addresses))


def _heaviest(flows: Mapping[Ref, int], most: int) -> list[tuple[Ref, int]]:
    """The largest counts first; equal ones in the order of the mapping."""
    return sorted(flows.items(), key=lambda one: -one[1])[:most]


def _sum(ref: Ref, to: Ref, count: int, mirrors: int) -> MapRow:
    notes: list[Text] = [_towards(to)]
    text = _routes(count) if count else say_counted(mirrors, "one mirror", "{count} mirrors")
    if count and mirrors:
        notes.append(say_counted(mirrors, "and one mirror", "and {count} mirrors"))
    weight = 1 + sum(count + mirrors >= least for least in WEIGHT_STEPS)
    return MapRow(between(ref, to), SUM, text, tuple(notes), (to,), count, weight=weight)


def _towards(to: Ref) -> Sentence:
    if to == ALL_OUTSIDE:
        return say("to outside")
    if to.kind == GROUP:
        return say("to {first} …", first=to.names[0])
    return say("to {name}", name=to.name)


def _routes(count: int) -> Sentence:
    return say_counted(count, "one route", "{count} routes")


def _databases(count: int) -> Sentence:
    return say_counted(count, "one database", "{count} databases")
