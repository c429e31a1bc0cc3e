"""Every hop is one that routing decides for the estate and the moment; and a choice, once made, is kept (RT-STICKY)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.adjacent.fragment import Header
from routing.common.broker_events import MessageClassify
from routing.common.event_subclasses import ClassifySubclass
from routing.common.identifier import identifier_of
from routing.common.moment import from_milliseconds
from routing.common.sentence import say
from routing.dialog.system_names import SYSTEM_SERVICE
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import (
    HOP_LIMIT,
    NO_PRINCIPAL,
    ROUTE_REQUESTED,
    Decision,
    Delay,
    Deliver,
    Drop,
    Send,
)
from routing.rules.router import route
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import (
    BrokerStarted,
    Committed,
    FrameArrived,
    FrameSent,
)

RoutingQuestion = tuple[str | None, str, str | None, bool]
"""Database or None for a message from outside, service, identifier, is_reply."""


class DecidingChecker(Checker):
    promise = "routed-by-the-rules"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._estates: dict[str, Estate] = {}
        self._mirrored = self._partners()
        self._left: dict[int, Header] = {}
        self._changed: set[tuple[str, bytes]] = set()
        """By broker: messages with a damaged fragment among those that arrived."""
        self._circling: set[tuple[str, bytes, bool]] = set()
        """Broker, conversation and side whose fragments have arrived there: the broker may forward them."""
        self._kept: dict[str, tuple[str, str | None]] = {}
        """By handle: the next hop of its messages, and the broker identifier that they name."""

    def _partners(self) -> dict[str, str]:
        """The partner of each address of a mirrored route."""
        found = {}
        for instance in self.world.estate.instances.values():
            for database in instance.databases.values():
                for one in database.table.routes.values():
                    if one.mirror_address is not None:
                        found[one.address.key] = one.mirror_address.key
                        found[one.mirror_address.key] = one.address.key
        return found

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {BrokerStarted: self._start, Committed: self._commit, FrameSent: self._leave, FrameArrived: self._arrive}

    def _start(self, started: BrokerStarted) -> None:
        self._estates[started.broker] = started.estate

    def _arrive(self, arrived: FrameArrived) -> None:
        if arrived.number in self._left:
            header = self._left[arrived.number]
            self._circling.add((arrived.broker, header.conversation_id, header.is_initiator))
            if arrived.harm:
                self._changed.add((arrived.broker, header.message_id))

    # ------------------------------------------------------------ what the events say

    def _commit(self, commit: Committed) -> None:
        for event in commit.events:
            if isinstance(event, MessageClassify) and not event.is_from_network:
                self._check_event(commit, event)

    def _check_event(self, commit: Committed, event: MessageClassify) -> None:
        questions = self._questions(commit.broker, event)
        if not questions:
            return  # the endpoint came and went in this very commit
        if not any(self._agrees(commit.broker, question, commit.now, event) for question in questions):
            what = say(
                "The message for {service} was classed {how} {where}, which no rule says.",
                service=event.to_service,
                how=event.subclass.name,
                where=event.next_hop,
            )
            self.broken(commit.at, what, self._handle(commit.broker, event))

    def _questions(self, broker: str, event: MessageClassify) -> set[RoutingQuestion]:
        database, service, identifier = event.database, event.to_service, event.to_broker_instance
        sides = (
            is_initiator
            for is_initiator in (True, False)
            for handle in self.ledger.sides.get((event.conversation_id, is_initiator), [])
            if self.ledger.where[handle] == broker and self.ledger.last[handle].far_service == service
        )
        return {(database, service, identifier, not is_initiator) for is_initiator in sides}

    def _handle(self, broker: str, event: MessageClassify) -> str:
        handles = (
            handle
            for is_initiator in (True, False)
            for handle in self.ledger.sides.get((event.conversation_id, is_initiator), [])
            if self.ledger.where[handle] == broker
        )
        return next(handles, "")

    def _agrees(self, broker: str, question: RoutingQuestion, now: int, event: MessageClassify) -> bool:
        if event.to_service == SYSTEM_SERVICE and event.subclass == ClassifySubclass.LOCAL:
            return True  # every database has it, and no estate lists it
        if not self._estates[broker].instances[broker].databases[event.database].broker_enabled:
            return event.subclass == ClassifySubclass.DELAYED
        decisions = self._decisions(broker, question, now)
        if event.subclass == ClassifySubclass.LOCAL:
            return any(isinstance(decision, Deliver) for decision in decisions)
        if event.subclass == ClassifySubclass.REMOTE:
            return event.next_hop in self._addresses(decisions)
        return any(isinstance(decision, Delay | Drop) for decision in decisions) or bool(
            self._addresses(decisions) & self._mirrored.keys()
        )

    # ------------------------------------------------------------ what the network sees

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is None:
            return
        self._left[left.number] = header
        if (left.broker, header.message_id) in self._changed:
            return
        names = header.names
        addresses: set[str] = set()
        for database in (None, *self._writers(left.broker, header)):
            question = (database, names.to_service, names.to_broker_instance, not header.is_initiator)
            addresses |= self._addresses(self._decisions(left.broker, question, left.now))
        if left.address not in addresses:
            what = say(
                "A fragment for {service} left {broker} for {address}.",
                service=names.to_service,
                broker=left.broker,
                address=left.address,
            )
            self.broken(left.at, what, next(iter(self._own(left.broker, header)), ""))
        elif header.is_sequenced and self._is_sent(left.broker, header):
            self._check_kept(left, header, addresses)

    def _writers(self, broker: str, header: Header) -> set[str]:
        """Return the databases of the broker that may have written the fragment. An error message can come from a
        database without an endpoint."""
        if header.is_sequenced:
            return {self.ledger.last[handle].database for handle in self._own(broker, header)}
        databases = self._estates[broker].instances[broker].databases.values()
        service = header.names.from_service
        return {one.name for one in databases if service == SYSTEM_SERVICE or one.has_service(service)}

    def _is_sent(self, broker: str, header: Header) -> bool:
        """Whether the broker wrote the fragment itself, and does not forward it."""
        return (broker, header.conversation_id, header.is_initiator) not in self._circling

    def _own(self, broker: str, header: Header) -> list[str]:
        side = (identifier_of(header.conversation_id), header.is_initiator)
        return [handle for handle in self.ledger.sides.get(side, []) if self.ledger.where[handle] == broker]

    def _check_kept(self, left: FrameSent, header: Header, addresses: set[str]) -> None:
        for handle in self._own(left.broker, header):
            now = (left.address, header.names.to_broker_instance)
            before = self._kept.get(handle, now)
            self._kept[handle] = now
            moved = before[0] != now[0] and before[1] == now[1]
            if moved and before[0] in addresses and before[0] not in self._mirrored:
                what = say("The messages left for {now}, and {before} was chosen.", now=now[0], before=before[0])
                self.broken(left.at, what, handle)

    # ------------------------------------------------------------ what the rules say

    def _decisions(self, broker: str, question: RoutingQuestion, now: int) -> set[Decision]:
        """Return every decision that the rules allow, after the passes of LOOP-2."""
        database, service, identifier, is_reply = question
        estate = self._estates[broker]
        conversation = Conversation(broker, database, service, identifier, is_reply)
        found = set(route(estate, conversation, from_milliseconds(now)))
        if any(isinstance(one, Delay | Drop) and one.reason == ROUTE_REQUESTED for one in found):
            found |= set(route(estate, conversation, from_milliseconds(now), pending=(service,)))
        if any(isinstance(one, Send) and one.to == broker for one in found):
            if database is not None:
                found |= self._decisions(broker, (None, service, identifier, is_reply), now)
            else:
                found.add(Drop(broker, HOP_LIMIT))  # round and round in this instance
        return found

    def _addresses(self, decisions: set[Decision]) -> set[str]:
        """Return the next hops; both partners of a mirrored route, whose principal only run time shows (MIR-2)."""
        found = {decision.address.key for decision in decisions if isinstance(decision, Send)}
        mirrored = {self._mirrored[key] for key in found if key in self._mirrored}
        if any(isinstance(one, Delay | Drop) and one.reason == NO_PRINCIPAL for one in decisions):
            mirrored |= self._mirrored.keys()
        return found | mirrored
