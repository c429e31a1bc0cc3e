"""Caches routing decisions of a running instance: one decision for all conversations with the same routing inputs.

Cached decisions hold until a route of the instance expires; a change of the estate needs a new `DecisionCache`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Mapping
from datetime import timedelta
from typing import Final, NamedTuple, TypeVar

from routing.common.choices import Choices
from routing.common.moment import EPOCH, from_milliseconds
from routing.common.names import MSDB
from routing.dialog.batch import RouteRequestKey
from routing.dialog.broker_context import (
    Destination,
    SendingSide,
)
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint
from routing.dialog.system_names import SYSTEM_SERVICE
from routing.mirror.registry import PrincipalRegistry
from routing.model.address import Address
from routing.model.conversation import Conversation
from routing.model.estate import MIRROR, Estate, Instance
from routing.model.route import Route
from routing.rules.decision import (
    FORWARDING_DISABLED,
    HOP_LIMIT,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Decision,
    Delay,
    Deliver,
    Drop,
    Send,
    StickyChoice,
    delayed,
    dropped,
)
from routing.rules.hop import NOTHING_PENDING
from routing.rules.router import route

STATUS_OF_REASON: Final[Mapping[str, int]] = {
    NO_ROUTE: 9793,
    SERVICE_NOT_FOUND: 9796,
    ROUTE_REQUESTED: 9770,
    NO_PRINCIPAL: 9753,
    NOT_AN_ADDRESS: 9785,
    FORWARDING_DISABLED: 9792,
    HOP_LIMIT: 9793,
}
"""`transmission_status` by routing's reason, as SQL Server's message number."""
BROKER_DISABLED: Final = 9791
DATABASE_IS_MIRROR: Final = 954
"""`transmission_status` if the sender's own database sends nothing: its broker is disabled, or it is a mirror."""
NEVER: Final = 1 << 63
"""A moment after all others, in milliseconds."""
MAX_CACHED_DECISIONS: Final = 100_000
"""The cache is emptied when it holds this many decisions."""

_T = TypeVar("_T")


class ForwardDecision(NamedTuple):
    """The decision for a message from outside."""

    decision: Deliver | Send | Drop
    hops: int
    """Hops remaining when it leaves this instance; a LOOP-2 pass costs one as well."""


class DecisionCache:
    """Decisions of one instance of an estate, with the principals that the instance knows at run time."""

    def __init__(
        self,
        estate: Estate,
        instance: str,
        directories: Mapping[str, Directory],
        choices: Choices,
        principals: PrincipalRegistry,
    ) -> None:
        self._estate = estate
        self._instance = instance
        self._directories = directories
        self._choices = choices
        self._roles = _Watched(principals)
        self._silent = _silent(estate.instances[instance])
        """By database that sends nothing: the transmission status that says why."""
        self._expiries = _expiries(estate, instance)
        self._passed = -1
        self._cached: dict[tuple[object, ...], tuple[Decision, ...]] = {}
        self._onwards: dict[tuple[object, ...], ForwardDecision] = {}
        """Decisions for messages from outside that involved neither a random choice nor a principal."""
        self._varies = False

    def place(self, sender: SendingSide | Endpoint, now: int, pending: Container[RouteRequestKey]) -> Destination:
        """Where the messages of one side of a conversation go. Draws at random where the rules leave a choice."""
        if self._silent and sender.database in self._silent:
            return Destination(None, self._silent[sender.database])
        kept = StickyChoice(sender.kept_route, sender.kept_identifier, sender.kept_database)
        decision = first = self._drawn(self._decisions(sender, sender.database, kept, now, pending))
        hops = self._estate.hop_limit
        if isinstance(decision, Send) and decision.to == self._instance:
            # LOOP-2: routed again as if from outside. The first pass costs no hop.
            choice = StickyChoice(database=sender.kept_database)
            decision, hops = self._from_outside(sender, choice, hops, now, pending)
            hops -= isinstance(decision, Send)
        return self._place(decision, first, hops, sender.database)

    def certain_between(
        self, sender: SendingSide | Endpoint, now: int, pending: Container[RouteRequestKey]
    ) -> tuple[int, int] | None:
        """From which moment on and before which one `place` answers as it does now; None: it may differ each time."""
        self._varies = False
        self.place(sender, now, pending)
        passed = bisect_right(self._expiries, now)
        moments = (0, *self._expiries, NEVER)
        return None if self._varies else (moments[passed], moments[passed + 1])

    def onward(
        self, sender: SendingSide, database: str | None, hops: int, now: int, pending: Container[RouteRequestKey]
    ) -> ForwardDecision:
        """The decision for a message from outside with `hops` hops left. `database`: the one that already holds its
        conversation (RT-STICKY); `sender`: the side that sent it."""
        self._forget_what_expired(now)
        is_pending = (MSDB, sender.far_service) in pending
        key = (sender.far_service, sender.far_broker_instance, sender.is_initiator, database, hops, is_pending)
        found = self._onwards.get(key)
        if found is None:
            self._varies = False
            found = self._from_outside(sender, StickyChoice(database=database), hops, now, pending)
            if not self._varies:
                _cache(self._onwards, key, found)
        return found

    def _from_outside(
        self,
        sender: SendingSide | Endpoint,
        kept: StickyChoice,
        hops: int,
        now: int,
        pending: Container[RouteRequestKey],
    ) -> ForwardDecision:
        decision = self._drawn(self._decisions(sender, None, kept, now, pending))
        while isinstance(decision, Send) and decision.to == self._instance:
            if hops == 0:
                return ForwardDecision(dropped(self._instance, HOP_LIMIT), 0)
            hops -= 1
            decision = self._drawn(self._decisions(sender, None, kept, now, pending))
        if isinstance(decision, Send) and hops == 0:
            return ForwardDecision(dropped(self._instance, HOP_LIMIT), 0)
        assert not isinstance(decision, Delay), "a message from outside has no conversation here to delay"
        return ForwardDecision(decision, hops)

    def _decisions(
        self,
        sender: SendingSide | Endpoint,
        database: str | None,
        kept: StickyChoice,
        now: int,
        pending: Container[RouteRequestKey],
    ) -> tuple[Decision, ...]:
        if (found := self._of_system(sender, database, kept)) is not None:
            return found
        self._forget_what_expired(now)
        destination_key = (sender.far_service, sender.far_broker_instance, not sender.is_initiator)
        is_pending = (database or MSDB, sender.far_service) in pending
        key = (database, *destination_key, kept, is_pending)
        found = self._cached.get(key)
        if found is None:
            service, identifier, is_reply = destination_key
            conversation = Conversation(self._instance, database, service, identifier, is_reply=is_reply)
            requested = (service,) if is_pending else NOTHING_PENDING
            self._roles.were_consulted = False
            found = route(
                self._estate, conversation, from_milliseconds(now), pending=requested, kept=kept, roles=self._roles
            )
            if self._roles.were_consulted:
                self._varies = True
            else:
                _cache(self._cached, key, found)
        return found

    def _of_system(
        self, sender: SendingSide | Endpoint, database: str | None, kept: StickyChoice
    ) -> tuple[Decision, ...] | None:
        """Replies to SQL Server's own service, which every database has and no estate lists: they go to the database
        that sent the request (RT-REPLY), unless its broker is disabled or it is a mirror (LOC)."""
        if sender.far_service != SYSTEM_SERVICE or sender.is_initiator:
            return None
        identified = self._estate.instances[self._instance].identified
        named = identified.get(sender.far_broker_instance) if sender.far_broker_instance else None
        name = named.name if named else kept.database
        if not name:
            return None
        if self._estate.instances[self._instance].databases[name].can_be_target:
            return (Deliver(self._instance, name),)
        return (delayed(self._instance, SERVICE_NOT_FOUND) if database else dropped(self._instance, SERVICE_NOT_FOUND),)

    def _forget_what_expired(self, now: int) -> None:
        passed = bisect_right(self._expiries, now)
        if passed != self._passed:
            self._passed = passed
            self._cached.clear()
            self._onwards.clear()

    def _drawn(self, decisions: tuple[Decision, ...]) -> Decision:
        """One of the decisions that the rules leave open (MATCH-3, CHOOSE-3, LOC-2)."""
        if len(decisions) == 1:
            return decisions[0]
        self._varies = True
        return decisions[self._choices.below(len(decisions))]

    def _place(self, decision: Decision, first: Decision, hops: int, database: str) -> Destination:
        by, identifier = (first.route, first.identifier) if isinstance(first, (Deliver, Send)) else (None, None)
        if isinstance(decision, Deliver):
            return Destination(self._directories[decision.database], 0, by, identifier)
        if isinstance(decision, Send):
            return Destination(None, 0, by, identifier, decision.address.key, hops)
        asking = "" if decision.reason != ROUTE_REQUESTED else database if isinstance(decision, Delay) else MSDB
        return Destination(None, STATUS_OF_REASON[decision.reason], route_request_database=asking)


def _cache(cached: dict[tuple[object, ...], _T], key: tuple[object, ...], value: _T) -> None:
    if len(cached) >= MAX_CACHED_DECISIONS:
        cached.clear()
    cached[key] = value


class _Watched:
    """Records whether a decision asked for a principal: such a decision is not cached."""

    def __init__(self, principals: PrincipalRegistry) -> None:
        self._principals = principals
        self.were_consulted = False

    def principals(self, route: Route, service: str, identifier: str | None) -> tuple[Address, ...]:
        self.were_consulted = True
        return self._principals.principals(route, service, identifier)


def _silent(instance: Instance) -> dict[str, int]:
    databases = instance.databases.values()
    found = {database.name: BROKER_DISABLED for database in databases if not database.broker_enabled}
    return found | {database.name: DATABASE_IS_MIRROR for database in databases if database.mirroring_role == MIRROR}


def _expiries(estate: Estate, instance: str) -> list[int]:
    """The first millisecond at which each route of an instance is expired, ascending."""
    databases = estate.instances[instance].databases.values()
    lifetimes = (route.lifetime for database in databases for route in database.table.routes.values())
    return sorted(-((EPOCH - lifetime) // timedelta(milliseconds=1)) for lifetime in lifetimes if lifetime is not None)
