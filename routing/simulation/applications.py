"""Applications of a world: they begin, send, receive, reply and end, and retry when a broker was down."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from routing.dialog.batch import ClaimRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.conversation_timer import begin_conversation_timer
from routing.dialog.end_conversation import end_conversation, end_with_cleanup, end_with_error
from routing.dialog.endpoint import QueueKey
from routing.dialog.messages import QueuedMessage
from routing.dialog.move_conversation import move_conversation
from routing.dialog.problems import VerbError
from routing.dialog.send import send
from routing.dialog.system_names import DEFAULT, END_DIALOG_TYPE, ERROR_TYPE, MISSING_ROUTE_TYPE, TIMER_TYPE
from routing.dialog.unit_of_work import UnitOfWork
from routing.simulation.application_records import (
    ApplicationEnded,
    ApplicationReceived,
    ApplicationSent,
    DialogBegan,
    VerbRefused,
    body_of,
)
from routing.simulation.chance import Chance
from routing.simulation.clock import START, Scheduler
from routing.simulation.dynamic_routing import DynamicRoutingService
from routing.simulation.landscape import (
    ASK,
    CONTRACT,
    TELL,
    XML,
    Repair,
)
from routing.simulation.plans import ConversationPlan, PlanStep
from routing.simulation.poison_handling import PoisonHandling, SetQueueStatus
from routing.simulation.records import Record
from routing.simulation.simulated_broker import SimulatedBroker
from routing.simulation.world import World
from routing.simulation.world_context import (
    BUSY,
    COMMITTED,
    EMPTY,
    GONE,
    REFUSED,
)

RETRY_AFTER_MS: Final = {GONE: 1_000, BUSY: 50}
"""Milliseconds after which an application retries, by outcome."""
MAX_REPLY_BYTES: Final = 3_000
_CODE: Final = re.compile(rb"<Code>(-?[0-9]+)</Code>")


class ConversationRun:
    """Progress of a conversation's initiator."""

    __slots__ = ("chance", "conversation_id", "group", "handle", "plan", "sent", "step")

    def __init__(self, plan: ConversationPlan, chance: Chance) -> None:
        self.plan = plan
        self.chance = chance
        self.handle = ""
        self.conversation_id = ""
        self.group = ""
        self.step = 0
        self.sent = 0


class Applications:
    """All applications of a world."""

    def __init__(self, world: World, agenda: Scheduler) -> None:
        self._world = world
        self._agenda = agenda
        self._hosts: Mapping[str, SimulatedBroker] = {}
        self._runs = {
            plan.number: ConversationRun(plan, world.chance("conversation", plan.number))
            for plan in world.conversations
        }
        self._of: dict[str, ConversationRun] = {}
        """By conversation id."""
        self._readers: dict[tuple[str, QueueKey], Chance] = {}
        self._awake: set[tuple[str, QueueKey]] = set()
        self._configuring = DynamicRoutingService(agenda, world.configurations)
        self._poisoning = PoisonHandling(world, agenda)
        self.is_calm = False
        self.unfinished = len(self._runs)

    def begin(
        self, hosts: Mapping[str, SimulatedBroker], repair: Callable[[Repair], None], turn: SetQueueStatus
    ) -> None:
        self._hosts = hosts
        self._configuring.begin(hosts, repair)
        self._poisoning.begin(hosts, turn)
        for run in self._runs.values():
            self._agenda.at(START + run.plan.begins, self._begin, run)

    # ------------------------------------------------------------ initiators

    def _begin(self, run: ConversationRun) -> None:
        plan = run.plan
        pairing = plan.pairing
        related = self._related(run)
        host = self._hosts[pairing.instance]

        def act(work: UnitOfWork) -> Sequence[Record]:
            run.handle = begin_dialog(
                work,
                pairing.database,
                pairing.from_service,
                pairing.to_service,
                to_broker_instance=plan.identifier,
                contract=plan.contract,
                related_conversation=related.handle if related else None,
                lifetime_s=plan.lifetime_s,
                encryption=plan.number in self._world.encrypted,
            )
            endpoint = work.require(run.handle)
            run.conversation_id, run.group = endpoint.conversation_id, endpoint.conversation_group_id
            self._of[run.conversation_id] = run
            return [
                DialogBegan(
                    at=self._agenda.now,
                    broker=host.name,
                    conversation=plan.number,
                    conversation_id=run.conversation_id,
                    handle=run.handle,
                    database=pairing.database,
                    from_service=pairing.from_service,
                    to_service=pairing.to_service,
                    identifier=plan.identifier,
                    encryption=endpoint.encryption,
                    lifetime=endpoint.lifetime,
                )
            ]

        def done(how: str) -> None:
            if how in RETRY_AFTER_MS:
                self._agenda.after(RETRY_AFTER_MS[how], self._begin, run)
            elif how == COMMITTED:
                self._next(run)
            else:
                self.unfinished -= 1  # the related conversation is gone

        wanted = ClaimRequest(handles=(related.handle,) if related else ())
        host.transact(wanted, act, done, self._open_for(run.chance))

    def _related(self, run: ConversationRun) -> ConversationRun | None:
        """Return the conversation whose group it joins, if that uses the same queue."""
        number = run.plan.related
        other = self._runs.get(number) if number is not None else None
        return other if other and other.handle and other.plan.pairing == run.plan.pairing else None

    def _next(self, run: ConversationRun) -> None:
        """Schedule the next step, or finish."""
        if run.step == len(run.plan.steps):
            self.unfinished -= 1
        else:
            self._agenda.after(run.plan.steps[run.step].after, self._step, run)

    def _step(self, run: ConversationRun) -> None:
        step = run.plan.steps[run.step]
        if not self._world.mask.takes(f"message {run.step} of {run.plan.number}"):
            run.step += 1
            self._next(run)
            return
        host = self._hosts[run.plan.pairing.instance]
        mover = self._mover(run) if step.verb == "move" else ""
        wanted = ClaimRequest(handles=(run.handle,), groups=(mover,) if mover else ())

        def act(work: UnitOfWork) -> Sequence[Record]:
            try:
                return self._verb(work, host, run, step, mover)
            except VerbError as refused:
                return [VerbRefused(self._agenda.now, host.name, step.verb, run.handle, refused.number)]

        def done(how: str) -> None:
            if how in RETRY_AFTER_MS:
                self._agenda.after(RETRY_AFTER_MS[how], self._step, run)
                return
            run.step += 1
            self._next(run)

        host.transact(wanted, act, done, self._open_for(run.chance), is_send=step.verb == "send")

    def _mover(self, run: ConversationRun) -> str:
        """Return the group of another conversation of the same queue, or its own."""
        groups = [
            other.group for other in self._runs.values() if other.group and other.plan.pairing == run.plan.pairing
        ]
        return run.chance.pick(groups)

    def _verb(
        self, work: UnitOfWork, host: SimulatedBroker, run: ConversationRun, step: PlanStep, mover: str
    ) -> Sequence[Record]:
        handle = run.handle
        if step.verb == "send":
            message_type, body = _message(
                run.plan.contract, True, self._world.chance("body", run.plan.number, run.step), step.size
            )
            return _sent(work, self._agenda.now, host.name, handle, message_type, body)
        if step.verb == "timer":
            begin_conversation_timer(work, handle, step.size)
            return []
        if step.verb == "move":
            move_conversation(work, handle, mover)
            run.group = mover
            return []
        return _ended(work, self._agenda.now, host.name, handle, step.verb)

    # ------------------------------------------------------------ those who receive

    def wake(self, broker: str, queue: QueueKey) -> None:
        """Schedule a RECEIVE: the queue has messages."""
        key = (broker, queue)
        if key in self._awake:
            return
        self._awake.add(key)
        chance = self._readers.get(key)
        if chance is None:
            chance = self._readers[key] = self._world.chance("reader", broker, *queue)
        self._agenda.after(chance.below(chance.pick((1, 50, 3_000))), self._read, broker, queue, chance)

    def _read(self, broker: str, queue: QueueKey, chance: Chance) -> None:
        host = self._hosts[broker]
        rolls_back = self._goes_wrong("rollbacks", chance, self._world.level.rollbacks)
        rolls_back = self._poisoning.rolls_back(broker, queue) or rolls_back

        hear = partial(_received, self._agenda, host.name)

        def act(work: UnitOfWork, messages: Sequence[QueuedMessage]) -> Sequence[Record] | None:
            records = [*hear(messages), *self._answers(work, host, messages)]
            return None if rolls_back else records

        def done(how: str) -> None:
            self._awake.discard((broker, queue))
            self._poisoning.tell(broker, queue, how)
            # Otherwise a restarted broker or a queue switched on wakes it.
            others_hold_it = how == EMPTY and host.open
            if others_hold_it or (how not in (EMPTY, REFUSED) and host.is_up):
                self.wake(broker, queue)

        top, open_for = chance.pick((1, 3, 50)), self._open_for(chance)
        how = "" if rolls_back or open_for else host.take(queue, top, hear, partial(self._react, host))
        if how:
            done(how)
        else:
            host.transact_received(queue, top, act, done, open_for)

    def _react(self, host: SimulatedBroker, messages: Sequence[QueuedMessage]) -> None:
        """React, in a transaction of its own, to messages that have been received for good."""

        def done(how: str) -> None:
            if how in RETRY_AFTER_MS:
                self._agenda.after(RETRY_AFTER_MS[how], self._react, host, messages)

        handles = tuple(dict.fromkeys(message.conversation_handle for message in messages))
        host.transact(ClaimRequest(handles=handles), lambda work: self._answers(work, host, messages), done)

    def _answers(self, work: UnitOfWork, host: SimulatedBroker, messages: Sequence[QueuedMessage]) -> Sequence[Record]:
        records: list[Record] = []
        for message in messages:
            self._answer(work, host, message, records)
        return records

    def _answer(self, work: UnitOfWork, host: SimulatedBroker, message: QueuedMessage, records: list[Record]) -> None:
        """React to one received message."""
        handle, number, kind = message.conversation_handle, message.message_sequence_number, message.message_type_name
        now = self._agenda.now
        endpoint = work.get(handle)
        if endpoint is None or kind == TIMER_TYPE:
            return
        if kind == MISSING_ROUTE_TYPE:
            self._configuring.request_received(host.name, handle, message.message_body)
            return
        run = self._of.get(endpoint.conversation_id)
        if run is None:
            return  # not begun by any application: a forger may have begun it
        policy = run.plan.target
        try:
            if kind in (END_DIALOG_TYPE, ERROR_TYPE):
                if endpoint.is_initiator or not policy.forgets:
                    records.extend(_ended(work, now, host.name, handle, "end"))
            elif not endpoint.is_initiator:
                chance = self._world.chance("reply", run.plan.number, number)
                if chance.happens(policy.replies):
                    size = chance.below(chance.pick((1, 200, MAX_REPLY_BYTES)))
                    records.extend(
                        _sent(work, now, host.name, handle, *_message(run.plan.contract, False, chance, size))
                    )
                if policy.ends_after == number + 1:
                    records.extend(_ended(work, now, host.name, handle, policy.how))
        except VerbError as refused:
            records.append(VerbRefused(now, host.name, "in answer", handle, refused.number))

    # ------------------------------------------------------------ what goes wrong

    def _goes_wrong(self, part: str, chance: Chance, share: int) -> bool:
        drawn = chance.happens(share)
        return drawn and not self.is_calm and self._world.mask.takes(part)

    def _open_for(self, chance: Chance) -> int:
        """Draw the milliseconds for which a transaction stays open."""
        span = chance.pick((10, 300, 5_000))
        return span if self._goes_wrong("slow", chance, self._world.level.slow) else 0


def _received(agenda: Scheduler, broker: str, messages: Sequence[QueuedMessage]) -> Sequence[Record]:
    return [
        ApplicationReceived(
            at=agenda.now,
            broker=broker,
            handle=message.conversation_handle,
            sequence=message.message_sequence_number,
            message_type=message.message_type_name,
            body=body_of(message.message_body),
            code=_code(message),
        )
        for message in messages
    ]


def _code(message: QueuedMessage) -> int:
    found = _CODE.search(message.message_body or b"") if message.message_type_name == ERROR_TYPE else None
    return int(found[1]) if found else 0


def _message(contract: str, is_initiator: bool, chance: Chance, size: int) -> tuple[str, bytes | None]:
    """Draw a message type of the contract and a body, occasionally an invalid one."""
    if contract != CONTRACT:
        return DEFAULT, chance.randbytes(size) if size else chance.pick((None, b""))
    if chance.happens(750):
        return ASK if is_initiator else TELL, chance.randbytes(size)
    if chance.happens(60):
        return XML, b"<m>" + chance.randbytes(size).hex().encode()
    return XML, b"<m>" + chance.randbytes(size).hex().encode() + b"</m>"


def _sent(
    work: UnitOfWork, at: int, broker: str, handle: str, message_type: str, body: bytes | None
) -> Sequence[Record]:
    send(work, (handle,), message_type, body)
    return [ApplicationSent(at, broker, handle, message_type, body_of(body))]


def _ended(work: UnitOfWork, at: int, broker: str, handle: str, how: str) -> Sequence[Record]:
    if how == "end":
        end_conversation(work, handle)
    elif how == "error":
        end_with_error(work, handle, 1, "no")
    else:
        end_with_cleanup(work, handle)
    return [ApplicationEnded(at, broker, handle, how)]
