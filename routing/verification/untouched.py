"""Classes for which two documents say the same, so that they end as before.

For a conversation to a name, the rules read nothing but: the hop limit; of each instance its addresses and whether it
forwards; of each database its identifier, whether it can be a target, its role, and whether it has the service; and of
a routing table the live routes with this name, those without a name, and whether there is one to the dynamic routing
service. The table is that of msdb, or, at the first hop alone, that of the database in which the conversation begins
(RT-TABLE). So where only tables of other databases than msdb differ, only conversations that begin there are touched.
"""

from __future__ import annotations

from collections.abc import Hashable

from routing.verification.document import DYNAMIC_SERVICE, MSDB, BrokerDatabase, Entry, ReadDocument

Facts = dict[Entry, Hashable]
NOWHERE: frozenset[Entry] = frozenset()


class Untouched:
    """Answers for two documents at which entry points a change touches conversations to a name."""

    def __init__(self, before: ReadDocument, after: ReadDocument) -> None:
        self._is_common_ground = _common(before) == _common(after)
        self._tables = _differing(_nameless(before), _nameless(after))
        """Databases whose tables differ for every name."""
        self._holders = _holders(before), _holders(after)
        self._named = _named(before), _named(after)

    def touched(self, service: str) -> frozenset[Entry] | None:
        """The entry points from which the change may touch conversations to this name; None: all of them."""
        before, after = (holders.get(service) for holders in self._holders)
        if not self._is_common_ground or before != after:
            return None
        named = _differing(*(names.get(service, {}) for names in self._named))
        tables = self._tables | named
        return None if any(database == MSDB for _, database in tables) else tables


def _common(document: ReadDocument) -> Hashable:
    """All that the rules read for every name, but for routes."""
    return document.hop_limit, frozenset(
        (one.name, frozenset(one.addresses), one.forwards, frozenset(map(_about, one.databases.values())))
        for one in document.instances.values()
    )


def _about(database: BrokerDatabase) -> Hashable:
    return database.name, database.identifier, database.is_able, database.is_principal


def _nameless(document: ReadDocument) -> Facts:
    """By database: what its table says for every name."""
    return {
        (instance.name, database.name): (frozenset(database.nameless), DYNAMIC_SERVICE in database.named)
        for instance in document.instances.values()
        for database in instance.databases.values()
    }


def _named(document: ReadDocument) -> dict[str, Facts]:
    """By service name and database: the live routes for the name."""
    found: dict[str, Facts] = {}
    for instance in document.instances.values():
        for database in instance.databases.values():
            for service, rows in database.named.items():
                found.setdefault(service, {})[instance.name, database.name] = frozenset(rows)
    return found


def _holders(document: ReadDocument) -> dict[str, set[Entry]]:
    """By service name: the databases that have it."""
    found: dict[str, set[Entry]] = {}
    for instance in document.instances.values():
        for database in instance.databases.values():
            for service in database.services:
                found.setdefault(service, set()).add((instance.name, database.name))
    return found


def _differing(before: Facts, after: Facts) -> frozenset[Entry]:
    return frozenset(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
