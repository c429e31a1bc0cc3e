"""``diff`` by literally enumerating every class of two documents, with the naive evaluator.

A class is (entry point, name, identifier, reply or not), as interfaces define them. The
result is complete: no limit, no groups, nothing skipped because an edit cannot reach it.

Three labels stand for values that occur nowhere, and are evaluated with such a value:

- name ``*``: some name that occurs nowhere and holds no address;
- name ``tcp://HOST:PORT/*``: a name that begins with this address of an instance;
- name ``tcp://*/*``: a name with an address of no instance. Its host is invented, so an
  outcome ``exits`` to it is shown with the address ``tcp://*:4022``;
- identifier ``*``: some identifier that occurs nowhere.

Where a name of the documents is itself one of these labels, both mean a class of their
own, and both are counted. Entry points are the databases that are written: an msdb that
neither document writes is none. An entry point that one side only has is ``[]`` on the
other, verdict moved; so is the msdb of an instance that only one side writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from tests.naive import outcomes
from tests.naive.message import Json, Outcome, databases_of, identifier_of, service_names
from tests.naive.values import Address, address_in_name, is_keyword, parse_address, show_address

GOODNESS = ("delivered", "exits", "delayed", "dropped")  # best first
VERDICTS = ("worse", "better", "moved", "unchanged")

STRANGE_NAME = "Occurs/Nowhere"
STRANGE_HOST = "occurs-nowhere.invalid"
STRANGE_IDENTIFIER = "00c0ffee-0000-4000-8000-{:012x}"
LABEL_OF_STRANGE_HOST = "tcp://*:4022"


class Name(NamedTuple):
    """A name as the class shows it, and as it is asked for."""

    label: str
    service: str


Origin = tuple[tuple[str, str], ...]


class Class(NamedTuple):
    """One class: the key that is shown, and the conversation that stands for it."""

    origin: Origin
    name: Name
    identifier: str | None
    is_reply: bool


@dataclass
class Documents:
    """Both documents, and what occurs in either (found once, since it is asked often)."""

    before: Json
    after: Json

    @cached_property
    def points_before(self) -> set[Origin]:
        return entry_points(self.before)

    @cached_property
    def points_after(self) -> set[Origin]:
        return entry_points(self.after)

    @cached_property
    def invented_host(self) -> str:
        return invented_host(self)

    @cached_property
    def invented_identifier(self) -> str:
        return strange_identifier(self)

    @property
    def instances(self) -> list[Json]:
        return [*self.before["instances"], *self.after["instances"]]

    @property
    def databases(self) -> list[Json]:
        return [database for instance in self.instances for database in databases_of(instance)]

    @property
    def routes(self) -> list[Json]:
        return [route for database in self.databases for route in database.get("routes", [])]


# ---------------------------------------------------------------- entry points


def entry_points(estate: Json) -> set[Origin]:
    """Every (instance, database) and every (outside, instance)."""
    points: set[Origin] = set()
    for instance in estate["instances"]:
        points.add((("outside", instance["name"]),))
        for database in databases_of(instance):
            points.add((("instance", instance["name"]), ("database", database["name"])))
    return points


# ---------------------------------------------------------------- names


def written_names(both: Documents) -> set[str]:
    """Every service name in services and routes of either document."""
    services = {name for database in both.databases for name in service_names(database)}
    names = {route.get("remote_service_name") for route in both.routes}
    return services | {name for name in names if name is not None}


def all_names(both: Documents) -> set[Name]:
    """The written names, and those that stand for all others."""
    written = written_names(both)
    names = {Name(name, name) for name in written}
    names.add(Name("*", strange(STRANGE_NAME, written)))
    if any(is_transport_without_name(route) for route in both.routes):
        names |= names_with_addresses(both, written)
    return names


def is_transport_without_name(route: Json) -> bool:
    """CHOOSE-4 can meet any name there. The route may also be expired."""
    return is_keyword(route["address"], "TRANSPORT") and route.get("remote_service_name") is None


def names_with_addresses(both: Documents, written: set[str]) -> set[Name]:
    """A name for each address of an instance, and one for an address of none."""
    owned = {show_address(address) for address in owned_addresses(both)}
    names = {Name(f"{address}/*", strange(f"{address}/Else", written)) for address in owned}
    invented = strange(f"tcp://{both.invented_host}/Else", written)
    return names | {Name("tcp://*/*", invented)}


def owned_addresses(both: Documents) -> set[Address]:
    texts = [text for instance in both.instances for text in instance.get("addresses", [])]
    return {address for text in texts if (address := parse_address(text)) is not None}


def invented_host(both: Documents) -> str:
    """A host of no instance, of no route and in no name."""
    texts = [route.get(key) for route in both.routes for key in ("address", "mirror_address")]
    parsed = {parse_address(text) for text in texts if text is not None}
    parsed |= {address_in_name(name) for name in written_names(both)} | owned_addresses(both)
    return strange(STRANGE_HOST, {address[0] for address in parsed if address is not None})


def strange(stem: str, known: set[str]) -> str:
    """The stem, with as many more letters as make it occur nowhere."""
    return stem if stem not in known else strange(f"{stem}x", known)


# ---------------------------------------------------------------- identifiers


def identifiers_of_routes(both: Documents, name: str) -> set[str]:
    """Those on routes of exactly this name."""
    routes = [route for route in both.routes if route.get("remote_service_name") == name]
    return {one for route in routes if (one := identifier_of(route)) is not None}


def identifiers_of_databases(both: Documents, name: str) -> set[str]:
    """Those of databases with this service."""
    databases = [database for database in both.databases if name in service_names(database)]
    return {one for database in databases if (one := identifier_of(database)) is not None}


def strange_identifier(both: Documents) -> str:
    """An identifier that occurs nowhere."""
    known = {identifier_of(row) for row in [*both.databases, *both.routes]}
    candidates = (STRANGE_IDENTIFIER.format(number) for number in range(len(known) + 1))
    return next(one for one in candidates if one not in known)


# ---------------------------------------------------------------- classes


def all_classes(both: Documents) -> Iterator[Class]:
    """Every class, each once."""
    points = sorted(both.points_before | both.points_after)
    for name in sorted(all_names(both)):
        targets: set[str | None] = set(identifiers_of_databases(both, name.service))
        forward = targets | identifiers_of_routes(both, name.service) | {None, "*"}
        for origin in points:
            yield from (Class(origin, name, identifier, False) for identifier in forward)
            yield from (Class(origin, name, identifier, True) for identifier in targets)


def ask(both: Documents, estate: Json, one: Class, at: datetime) -> list[Outcome]:
    """The outcomes of the class in one of the documents."""
    identifier = both.invented_identifier if one.identifier == "*" else one.identifier
    conversation = {
        "from": dict(one.origin),
        "to_service": one.name.service,
        "to_broker_instance": identifier,
        "is_reply": one.is_reply,
    }
    ends = outcomes(estate, conversation, at)
    if one.name.label == one.name.service:
        return ends
    return [hide_invented_host(both, end) for end in ends]


def hide_invented_host(both: Documents, end: Outcome) -> Outcome:
    """``tcp://*:4022`` for the host that only this module knows."""
    invented = show_address((both.invented_host, 4022))
    return {**end, "address": LABEL_OF_STRANGE_HOST} if end.get("address") == invented else end


# ---------------------------------------------------------------- the verdict


def how_good(ends: list[Outcome]) -> tuple[int, int]:
    """A set is as good as its worst member, then as its best. Lower is better."""
    ranks = [GOODNESS.index(end["outcome"]) for end in ends]
    return max(ranks), min(ranks)


def as_set(ends: list[Outcome]) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(end.items()) for end in ends}


def judge(before: list[Outcome], after: list[Outcome]) -> str:
    """Moved: equally good but different, or an entry point that one side only has."""
    if as_set(before) == as_set(after):
        return "unchanged"
    if not (before and after) or how_good(after) == how_good(before):
        return "moved"
    return "worse" if how_good(after) > how_good(before) else "better"


def row(both: Documents, one: Class, at: datetime) -> Json:
    """The class as a row of ``changed``, without messages. Without its entry point a
    document has no outcome of it."""
    before = ask(both, both.before, one, at) if one.origin in both.points_before else []
    after = ask(both, both.after, one, at) if one.origin in both.points_after else []
    return {
        "from": dict(one.origin),
        "to_service": one.name.label,
        "to_broker_instance": one.identifier,
        "is_reply": one.is_reply,
        "before": before,
        "after": after,
        "verdict": judge(before, after),
    }


def naive_diff(before: Json, after: Json, at: datetime) -> Json:
    """``classes``, ``changed`` (worst first) and ``summary``, over every class."""
    both = Documents(before, after)
    rows = [row(both, one, at) for one in all_classes(both)]
    count = Counter(one["verdict"] for one in rows)
    changed = [one for one in rows if one["verdict"] != "unchanged"]
    return {
        "classes": len(rows),
        "changed": sorted(changed, key=lambda one: VERDICTS.index(one["verdict"])),
        "summary": {verdict: count[verdict] for verdict in VERDICTS},
    }
