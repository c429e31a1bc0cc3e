"""Evaluates the conversations of one kind at every place of a document: one small function per rule.

Each function is named after its rule. Where a rule leaves a choice open, all choices are followed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from routing.verification.document import (
    DYNAMIC_SERVICE,
    MSDB,
    BrokerDatabase,
    Entry,
    LiteralRoute,
    ReadDocument,
)
from routing.verification.values import HostPort, address_in_service_name


class Ending(NamedTuple):
    """How a message ends: its kind, the instance, and the database, address or reason."""

    kind: str
    instance: str
    detail: str


Step = Ending | HostPort
"""A message ends here, or is sent to an address."""


class ConversationKind(NamedTuple):
    """A kind of conversation, wherever it enters."""

    service: str
    identifier: str | None
    is_reply: bool


class Evaluation:
    """The endings of conversations of one kind, at every entry point of a document."""

    def __init__(self, document: ReadDocument, kind: ConversationKind) -> None:
        self._document = document
        self._service, self._identifier, self._is_reply = kind
        self._steps: dict[Entry, list[Step]] = {}

    def endings(self, entry: Entry) -> frozenset[Ending]:
        """Every ending of a conversation that enters here; none where the document lacks the entry point."""
        if not self._has(entry):
            return frozenset()
        found: set[Ending] = set()
        start = (*entry, self._document.hop_limit)
        waiting, seen = [start], {start}
        while waiting:
            instance, database, hops = waiting.pop()
            for step in self._steps_at((instance, database)):
                follows = self._follow(instance, database, hops, step)
                if isinstance(follows, Ending):
                    found.add(follows)
                elif follows not in seen:
                    seen.add(follows)
                    waiting.append(follows)
        return frozenset(found)

    def _has(self, entry: Entry) -> bool:
        instance = self._document.instances.get(entry[0])
        return instance is not None and (entry[1] is None or entry[1] in instance.databases)

    def _follow(self, instance: str, database: str | None, hops: int, step: Step) -> Ending | tuple[str, None, int]:
        """LOOP-1: sending on a message from outside costs a hop. LOOP-2: its own address is one like any other."""
        if isinstance(step, Ending):
            return step
        if database is None:
            if hops == 0:
                return Ending("dropped", instance, "hop_limit")
            hops -= 1
        owner = self._document.owners.get(step)
        return Ending("exits", instance, str(step)) if owner is None else (owner, None, hops)

    def _steps_at(self, place: Entry) -> list[Step]:
        found = self._steps.get(place)
        if found is None:
            found = self._steps[place] = list(dict.fromkeys(self._reply(place) or self._route(place)))
        return found

    # ---------------------------------------------------------------- RT-REPLY

    def _reply(self, place: Entry) -> list[Step]:
        """A reply from outside whose identifier is of a database here is delivered here, or dropped."""
        instance, origin = place
        if origin is not None or not self._is_reply or self._identifier is None:
            return []
        named = [one for one in self._databases(instance) if one.identifier == self._identifier]
        able = [one for one in named if one.takes(self._service)]
        if named and not able:
            return [self._failed(place, "service_not_found")]
        return [Ending("delivered", instance, one.name) for one in able]

    # ---------------------------------------------------------------- matching

    def _route(self, place: Entry) -> list[Step]:
        groups = self._matching(place)
        if isinstance(groups, str):
            return [self._failed(place, groups)]
        return [step for group in groups for step in self._choosing(place, group)]

    def _matching(self, place: Entry) -> list[list[LiteralRoute]] | str:
        """MATCH-1 to MATCH-7: groups of rows between which the choice is open, or the reason that there is none."""
        instance, origin = place
        table = self._document.instances[instance].databases.get(MSDB if origin is None else origin)
        named = table.named.get(self._service, []) if table else []
        nameless = [row for row in table.nameless if row.identifier is None] if table else []
        if self._identifier is not None and (found := [row for row in named if row.identifier == self._identifier]):
            return [found]  # MATCH-1
        if found := [row for row in named if row.identifier is None]:
            return [found]  # MATCH-2
        if self._identifier is None and named:
            return _by_identifier(named)  # MATCH-3
        if table and DYNAMIC_SERVICE in table.named and self._service != DYNAMIC_SERVICE:
            return "route_requested"  # MATCH-4, no request being pending
        if nameless:
            return [nameless]  # MATCH-5
        if self._identifier is not None and any(one.takes(self._service) for one in self._databases(instance)):
            return [[LiteralRoute(self._service, None, True, False, None, None)]]  # MATCH-6
        return "no_route"  # MATCH-7

    # ---------------------------------------------------------------- choosing

    def _choosing(self, place: Entry, group: list[LiteralRoute]) -> list[Step]:
        """CHOOSE-1 to CHOOSE-4: the first tier that has a row, and for LOCAL a target."""
        identifier = self._identifier or group[0].identifier
        if mirrored := [row for row in group if row.mirror is not None]:
            partners = [self._principals(row, identifier) for row in mirrored]
            return [step for addresses in partners for step in self._send(place, addresses, "no_principal")]
        if any(row.is_local for row in group) and (targets := self._locate(place, identifier)):
            return [Ending("delivered", place[0], one.name) for one in targets]
        if addresses := [row.address for row in group if row.address is not None]:
            return self._send(place, addresses, "")
        if any(row.is_transport for row in group):
            named = address_in_service_name(self._service)
            return self._send(place, [] if named is None else [named], "transport_name_not_an_address")
        return [self._failed(place, "service_not_found")]

    def _locate(self, place: Entry, identifier: str | None) -> list[BrokerDatabase]:
        """LOC-1: the database of the identifier. LOC-2: the one that began the conversation, else any."""
        able = [one for one in self._databases(place[0]) if one.takes(self._service)]
        if identifier is not None:
            return [one for one in able if one.identifier == identifier]
        return [one for one in able if one.name == place[1]] or able

    def _principals(self, row: LiteralRoute, identifier: str | None) -> list[HostPort]:
        """MIR: the partners that hold the principal; with none, those outside the estate."""
        both = [address for address in (row.address, row.mirror) if address is not None]
        claimed = [address for address in both if self._holds_principal(address, identifier)]
        return claimed or [address for address in both if address not in self._document.owners]

    def _holds_principal(self, address: HostPort, identifier: str | None) -> bool:
        owner = self._document.owners.get(address)
        return owner is not None and any(
            one.is_principal and self._service in one.services and identifier in (None, one.identifier)
            for one in self._databases(owner)
        )

    def _send(self, place: Entry, addresses: list[HostPort], without: str) -> list[Step]:
        """CHOOSE-FWD, then the address; the hop limit comes when the message is sent."""
        if place[1] is None and not self._document.instances[place[0]].forwards:
            return [self._failed(place, "forwarding_disabled")]
        return list(addresses) or [self._failed(place, without)]

    def _failed(self, place: Entry, reason: str) -> Ending:
        """MATCH-7, fixed: a message from outside is dropped where a conversation begun here is DELAYED."""
        return Ending("dropped" if place[1] is None else "delayed", place[0], reason)

    def _databases(self, instance: str) -> Iterable[BrokerDatabase]:
        return self._document.instances[instance].databases.values()


def _by_identifier(rows: list[LiteralRoute]) -> list[list[LiteralRoute]]:
    groups: dict[str | None, list[LiteralRoute]] = {}
    for row in rows:
        groups.setdefault(row.identifier, []).append(row)
    return list(groups.values())
