"""Additions, alterations and drops of a draft, by the things that pages show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from brokerui.changes.estate_view import EstateView, base_view_of
from brokerui.core.cache import LruCache
from brokerui.estate.difference import EstateDifference, difference
from brokerui.estate.refs import Ref, database, instance_ref, route
from routing.model.estate import Database, Estate
from routing.model.route import Route

ADDED, ALTERED, DROPPED = "added", "altered", "dropped"
ROUTES: Final = "routes"
_CACHE_SIZE = 32


@dataclass(frozen=True)
class DraftMarks:
    """The change of each instance, database and route by a draft."""

    base: Estate
    changed: dict[Ref, str]
    """`added` or `altered` by thing; a database is altered where anything in it is, but for its routes."""
    dropped: tuple[Ref, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.dropped)

    def of(self, things: Iterable[Ref]) -> str:
        """Return the mark of things that are drawn as one: `added` if all of them are, `altered` if some changed, or
        the empty text."""
        found = {self.changed.get(thing, "") for thing in things}
        if found <= {""}:
            return ""
        return ADDED if found == {ADDED} else ALTERED

    def counts(self) -> Counter[str]:
        """Return how many things are added, altered and dropped."""
        return Counter(self.changed.values()) + Counter(dropped=len(self.dropped))

    @cached_property
    def dropped_in(self) -> Mapping[Ref, Sequence[Ref]]:
        """The dropped databases of each instance that stays, and the dropped routes of each database that stays."""
        found: dict[Ref, list[Ref]] = defaultdict(list)
        for one in self.dropped:
            if len(one.names) > 1:
                found[database(*one.names[:2]) if len(one.names) > 2 else instance_ref(one.names[0])].append(one)
        return found

    @cached_property
    def touched(self) -> frozenset[str]:
        """The instances in which anything differs."""
        return frozenset(one.names[0] for one in (*self.changed, *self.dropped))

    def before(self, ref: Ref) -> Route:
        """Return a route as it was in the base."""
        instance, name, found = ref.names
        return self.base.instances[instance].databases[name].table.routes[found]

    def dropped_routes(self) -> Iterator[tuple[str, str, Route]]:
        """Yield the routes that the draft drops, also with a database or an instance: instance, database, route."""
        for ref in self.dropped:
            yield from _routes_of(self.base, ref)


_marks: LruCache[DraftMarks] = LruCache(_CACHE_SIZE)


def marks_of(viewed: EstateView) -> DraftMarks | None:
    """Return the marks of the draft that a request looks at; None where it looks at no draft."""
    base = base_view_of(viewed)
    if base is None:
        return None
    return _marks.get_or_make((base.key, viewed.key), lambda: marks_between(base.estate, viewed.estate))


def marks_between(before: Estate, after: Estate) -> DraftMarks:
    """Return what makes one estate of another."""
    found = difference(before, after)
    return DraftMarks(before, dict(_changed(found)), tuple(_dropped(found)))


def _changed(found: EstateDifference) -> Iterator[tuple[Ref, str]]:
    for name, member in found.members.items():
        for (instance, within), change in member.items():
            if name != ROUTES:
                yield database(instance, within), ALTERED
                continue
            yield from ((route(instance, within, one.name), ALTERED) for one in change.changed)
            yield from ((route(instance, within, one.name), ADDED) for one in change.added)
    for instance, databases in found.databases.items():
        yield from ((database(instance, one.name), ALTERED) for one in databases.changed)
        yield from _all_added(instance, databases.added)
    for server in found.instances.changed:
        yield instance_ref(server.name), ALTERED
    for server in found.instances.added:
        yield instance_ref(server.name), ADDED
        yield from _all_added(server.name, server.databases.values())


def _all_added(instance: str, databases: Iterable[Database]) -> Iterator[tuple[Ref, str]]:
    for one in databases:
        yield database(instance, one.name), ADDED
        yield from ((route(instance, one.name, name), ADDED) for name in one.table.routes)


def _dropped(found: EstateDifference) -> Iterator[Ref]:
    yield from map(instance_ref, found.instances.dropped)
    for instance, databases in found.databases.items():
        yield from (database(instance, name) for name in databases.dropped)
    for (instance, within), change in found.members.get(ROUTES, {}).items():
        yield from (route(instance, within, name) for name in change.dropped)


def _routes_of(estate: Estate, ref: Ref) -> Iterator[tuple[str, str, Route]]:
    instance = estate.instances[ref.names[0]]
    names = list(instance.databases) if len(ref.names) == 1 else [ref.names[1]]
    for name in names:
        table = instance.databases[name].table.routes
        routes = table.values() if len(ref.names) < 3 else [table[ref.names[2]]]
        yield from ((instance.name, name, one) for one in routes)
