"""Service names for which two documents say the same, so that their conversations end as before.

For a conversation to a name, the rules read nothing but: the hop limit; of each instance its addresses and whether it
forwards; of each database its identifier, whether it can be a target, its role, its live routes without a name, and
whether it has a live route to the dynamic routing service; and, for this name alone, the live routes with it and the
databases that have it. Where all of that is equal in both documents, so is every answer.
"""

from __future__ import annotations

from collections.abc import Hashable

from routing.verification.document import DYNAMIC_SERVICE, BrokerDatabase, ReadDocument

Facts = dict[tuple[str, str], Hashable]


class Untouched:
    """Answers for two documents which names a change does not touch."""

    def __init__(self, before: ReadDocument, after: ReadDocument) -> None:
        self._is_common_ground = _common(before) == _common(after)
        self._before, self._after = _by_name(before), _by_name(after)

    def has(self, service: str) -> bool:
        """Whether both documents say the same about this service name."""
        return self._is_common_ground and self._before.get(service) == self._after.get(service)


def _common(document: ReadDocument) -> Hashable:
    """All that the rules read for every name."""
    return document.hop_limit, frozenset(
        (one.name, frozenset(one.addresses), one.forwards, frozenset(map(_about, one.databases.values())))
        for one in document.instances.values()
    )


def _about(database: BrokerDatabase) -> Hashable:
    asks = DYNAMIC_SERVICE in database.named
    facts = database.name, database.identifier, database.is_able, database.is_principal, asks
    return facts, frozenset(database.nameless)


def _by_name(document: ReadDocument) -> dict[str, Facts]:
    """By service name: of each database whether it has the service, and its live routes for it."""
    found: dict[str, Facts] = {}
    for instance in document.instances.values():
        for database in instance.databases.values():
            for service in database.services | database.named.keys():
                facts = service in database.services, frozenset(database.named.get(service, ()))
                found.setdefault(service, {})[instance.name, database.name] = facts
    return found
