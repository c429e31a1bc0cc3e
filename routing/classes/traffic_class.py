"""Divides all possible traffic of two estates into finitely many classes: entry point x service name x identifier x
reply or not.

The rules compare names and identifiers for equality only, so all names that occur in neither estate behave alike, and
all such identifiers do. One stand-in for each makes the classes complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from routing.model.address import address_in_name
from routing.model.estate import Estate, Instance

Node = tuple[str, str | None]
"""An entry point: (instance, database), or (instance, None) for messages that reach the instance from outside."""

UNKNOWN_SERVICE = "\0"
"""Stands for all service names that occur in no estate; no real name holds a NUL."""
UNKNOWN_IDENTIFIER = "*"
"""Stands for all identifiers that occur in no estate; it is no GUID."""
STAND_IN = "*"
"""How users see a stand-in."""
_UNKNOWN_ADDRESS = "tcp://*"


class TrafficClass(NamedTuple):
    """Traffic with the same target service, identifier and direction."""

    to_service: str
    to_broker_instance: str | None
    is_reply: bool

    @property
    def shown_service(self) -> str:
        """The service name, with `*` for the stand-in."""
        return self.to_service.replace(UNKNOWN_SERVICE, STAND_IN)


class Vocabulary:
    """All service names, identifiers and entry points of two estates."""

    def __init__(self, before: Estate, after: Estate) -> None:
        self.entries: dict[Node, None] = dict.fromkeys((*_entries(before), *_entries(after)))
        self.identifiers: dict[str, set[str]] = {}
        """By service name: the identifiers of its routes and of the databases that have it."""
        self.reply_identifiers: dict[str, set[str]] = {}
        """By service name: the identifiers of the databases that have it."""
        for estate in (before, after):
            self._add(estate.instances.values())
        self.addresses = {*before.by_address, *after.by_address}
        self.by_address = any(map(_names_may_be_addresses, (*before.instances.values(), *after.instances.values())))
        """True if a TRANSPORT route without a service name makes service names with an address classes of their own."""
        self._add_stand_ins()

    def with_instances(self, after: Estate, changed: Iterable[Instance]) -> Vocabulary:
        """A copy that also has the words of a second estate, which differs from the first in these instances."""
        changed = tuple(changed)
        new = object.__new__(Vocabulary)
        new.entries = self.entries | dict.fromkeys(node for one in changed for node in _entries_of(one))
        new.identifiers, new.reply_identifiers = dict(self.identifiers), dict(self.reply_identifiers)
        for words in (new.identifiers, new.reply_identifiers):
            words.update({name: set(words[name]) for name in _names_in(changed) & words.keys()})
        new._add(changed)
        new.addresses = {*self.addresses, *after.by_address}
        new.by_address = self.by_address or any(map(_names_may_be_addresses, changed))
        new._add_stand_ins()
        return new

    def _add_stand_ins(self) -> None:
        for name in (UNKNOWN_SERVICE, *self._address_names()):
            self.identifiers[name] = set()

    def _add(self, instances: Iterable[Instance]) -> None:
        for instance in instances:
            for database in instance.databases.values():
                for service in database.services:
                    known = self.identifiers.setdefault(service.name, set())
                    if database.broker_instance is not None:
                        known.add(database.broker_instance)
                        self.reply_identifiers.setdefault(service.name, set()).add(database.broker_instance)
                for name, routes in database.table.named.items():
                    self.identifiers.setdefault(name, set()).update(routes.by_identifier)

    def _address_names(self) -> Iterator[str]:
        if self.by_address:
            for address in (*sorted(self.addresses), _UNKNOWN_ADDRESS):
                yield f"{address}/{UNKNOWN_SERVICE}"

    def count(self) -> int:
        """The number of classes."""
        return len(self.entries) * self.count_of_entry()

    def count_of_entry(self) -> int:
        """The number of classes of one entry point, which is the same for each."""
        return sum(map(self.count_of_name, self.identifiers))

    def count_of_name(self, name: str) -> int:
        """The number of classes of one service name at one entry point."""
        return len(self.identifiers[name]) + 2 + len(self.reply_identifiers.get(name, ()))

    def of_name(self, name: str) -> Iterator[TrafficClass]:
        """The classes of one service name; first without an identifier, and with one that occurs nowhere."""
        for identifier in (None, UNKNOWN_IDENTIFIER, *sorted(self.identifiers[name])):
            yield TrafficClass(name, identifier, False)
        for identifier in sorted(self.reply_identifiers.get(name, ())):
            yield TrafficClass(name, identifier, True)

    def class_of(self, service: str, identifier: str | None, *, is_reply: bool) -> TrafficClass:
        """The class that a conversation belongs to."""
        name = service if service in self.identifiers else self._stand_in(service)
        if is_reply and identifier in self.reply_identifiers.get(name, ()):
            return TrafficClass(name, identifier, True)
        # A reply whose identifier is of no database with the service is matched like any other message.
        known = identifier is None or identifier in self.identifiers[name]
        return TrafficClass(name, identifier if known else UNKNOWN_IDENTIFIER, False)

    def _stand_in(self, service: str) -> str:
        address = address_in_name(service) if self.by_address else None
        if address is None:
            return UNKNOWN_SERVICE
        return f"{address.key if address.key in self.addresses else _UNKNOWN_ADDRESS}/{UNKNOWN_SERVICE}"


def _entries(estate: Estate) -> Iterator[Node]:
    for instance in estate.instances.values():
        yield from _entries_of(instance)


def _entries_of(instance: Instance) -> Iterator[Node]:
    for name in instance.databases:
        yield instance.name, name
    yield instance.name, None


def _names_in(instances: Iterable[Instance]) -> set[str]:
    names: set[str] = set()
    for instance in instances:
        for database in instance.databases.values():
            names.update(service.name for service in database.services)
            names.update(database.table.named)
    return names


def _names_may_be_addresses(instance: Instance) -> bool:
    return any(route.address.is_transport for table in instance.tables.values() for route in table.nameless)
