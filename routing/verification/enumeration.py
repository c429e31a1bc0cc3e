"""Every class of conversations of two documents: entry point, service name, identifier, reply or not.

The rules compare names and identifiers for equality only. So one name stands for all that occur in neither document,
and one identifier for all such identifiers; where a TRANSPORT route without a name can meet any name, one more name
stands for all that begin with each address of an instance, and one for all that begin with any other address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from routing.verification.document import Entry, ReadDocument
from routing.verification.evaluation import ConversationKind

ANY_OTHER = "*"
"""How a certificate writes a stand-in."""
_NO_NAME = "\0"
"""Ends a name that occurs nowhere: no name of a document holds a NUL."""


class ClaimedName(NamedTuple):
    """A service name of a certificate."""

    label: str
    """The name, or that of a stand-in: `*`, `tcp://HOST:PORT/*` or `tcp://*/*`."""
    stands_in: bool
    """Whether it stands for names that occur in neither document."""

    @property
    def service(self) -> str:
        """The service name that is asked for."""
        return self.label[: -len(ANY_OTHER)] + _NO_NAME if self.stands_in else self.label


class Enumeration:
    """The entry points, names and identifiers of two documents."""

    def __init__(self, before: ReadDocument, after: ReadDocument) -> None:
        self._both = (before, after)
        self.entries = sorted({*before.entries(), *after.entries()}, key=in_order)
        self._targets: dict[str, set[str]] = {}
        self._routed: dict[str, set[str]] = {}
        for document in self._both:
            for database in document.databases():
                self._add_services(database.services, database.identifier)
                for row in database.rows:
                    if row.service is not None:
                        known = self._routed.setdefault(row.service, set())
                        known.update(() if row.identifier is None else (row.identifier,))
        self.names = frozenset(self._names())

    def _add_services(self, services: Iterable[str], identifier: str | None) -> None:
        for service in services:
            self._targets.setdefault(service, set()).update(() if identifier is None else (identifier,))

    def _names(self) -> Iterator[ClaimedName]:
        yield from (ClaimedName(name, False) for name in self._targets.keys() | self._routed.keys())
        yield ClaimedName(ANY_OTHER, True)
        rows = (row for document in self._both for database in document.databases() for row in database.rows)
        if any(row.is_transport and row.service is None for row in rows):
            for address in {address for document in self._both for address in document.owners}:
                yield ClaimedName(f"{address}/{ANY_OTHER}", True)
            yield ClaimedName(f"tcp://{ANY_OTHER}/{ANY_OTHER}", True)

    def kinds(self, name: ClaimedName) -> Iterator[ConversationKind]:
        """Every identifier and direction of a name, at any entry point."""
        targets = set() if name.stands_in else self._targets.get(name.label, set())
        routed = set() if name.stands_in else self._routed.get(name.label, set())
        for identifier in (None, ANY_OTHER, *sorted(targets | routed)):
            yield ConversationKind(name.service, identifier, False)
        for identifier in sorted(targets):
            yield ConversationKind(name.service, identifier, True)

    @property
    def count(self) -> int:
        """The number of classes."""
        return len(self.entries) * sum(1 for name in self.names for _ in self.kinds(name))


def in_order(entry: Entry) -> tuple[str, bool, str]:
    """The order of entry points in a certificate: by instance, first from outside, then by database."""
    return entry[0], entry[1] is not None, entry[1] or ""
