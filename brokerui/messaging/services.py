"""The verbs of the product, for applications: each does all of what it says, inside the caller's transaction,
or in one of its own.

All of them raise `routing.dialog.problems.VerbError` with the product's number for what the product refuses, and
`brokerui.messaging.errors.MessagingError` if the instance is not hosted, or the object is missing or locked by another
transaction; after either, nothing has changed. Moments are milliseconds since 1970, bodies are bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from django.db import transaction

from brokerui.messaging import emptied_queues
from brokerui.messaging.broker_cache import check_database, check_queue
from brokerui.messaging.exchange.queue_notify import wait_for_notification
from brokerui.messaging.exchange.unreachable import unreachable_address
from brokerui.messaging.leases.errors import LeasedError
from brokerui.messaging.leases.selectors import is_leased
from brokerui.messaging.queue_names import known_queue, queue_named
from brokerui.messaging.verbs import appending, taking
from brokerui.messaging.verbs.administration import message_committed, message_rolled_back, queue_set_status
from brokerui.messaging.verbs.database_brokers import (
    broker_disable,
    broker_enable,
    broker_error_conversations,
    broker_renew,
    database_fail_over,
    fail_over_check,
)
from brokerui.messaging.verbs.rollback_counting import note_received, rollbacks_counted
from brokerui.messaging.verbs.transactions import unit_of_work
from brokerui.messaging.waiting import asked_until_found
from routing.dialog import begin_dialog as begin
from routing.dialog import conversation_timer, end_conversation, move_conversation
from routing.dialog import receive as receiving
from routing.dialog import send as sending
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import MAX_LIFETIME_S
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import PROBLEMS, VerbError
from routing.dialog.system_names import DEFAULT

__all__ = [
    "Begun",
    "Message",
    "broker_disable",
    "broker_enable",
    "broker_error_conversations",
    "broker_renew",
    "conversation_begin",
    "conversation_end",
    "conversation_end_with_cleanup",
    "conversation_end_with_error",
    "conversation_group_get",
    "conversation_id",
    "conversation_move",
    "conversation_send",
    "conversation_timer_start",
    "database_fail_over",
    "fail_over_check",
    "message_receive",
    "message_reception",
    "message_rolled_back",
    "message_wait",
    "queue_set_status",
    "transmission_status",
]


@dataclass(frozen=True, slots=True)
class Begun:
    """A conversation, as the side that has begun it names it, and as both do."""

    conversation_handle: str
    conversation_id: str
    conversation_group_id: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message to send."""

    body: bytes | None = b""
    """Empty: none. None is what the product calls NULL, and refuses (8433)."""
    message_type: str = DEFAULT


def conversation_begin(
    *,
    instance: str,
    database: str,
    from_service: str,
    to_service: str,
    to_broker_instance: str | None = None,
    contract: str = DEFAULT,
    related_conversation: str | None = None,
    related_conversation_group: str | None = None,
    lifetime_s: int = MAX_LIFETIME_S,
    encryption: bool = True,
) -> Begun:
    """BEGIN DIALOG."""
    handles = (related_conversation,) if related_conversation else ()
    groups = (related_conversation_group,) if related_conversation_group else ()
    with unit_of_work(instance, ClaimRequest(handles=handles, groups=groups)) as (broker, work):
        check_database(broker, database)
        handle = begin.begin_dialog(
            work,
            database,
            from_service,
            to_service,
            to_broker_instance=to_broker_instance,
            contract=contract,
            related_conversation=related_conversation,
            related_conversation_group=related_conversation_group,
            lifetime_s=lifetime_s,
            encryption=encryption,
        )
        endpoint = work.require(handle)
        return Begun(handle, endpoint.conversation_id, endpoint.conversation_group_id)


def conversation_id(*, instance: str, handle: str) -> str:
    """Return the identifier that both sides of an endpoint's conversation share."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,))) as (_, work):
        return work.require(handle).conversation_id


def conversation_send(*, instance: str, handles: Sequence[str], messages: Sequence[Message]) -> None:
    """SEND: each message on each of the conversations, in this order; all of them or none."""
    pairs = [(message.message_type, message.body) for message in messages if message.body is not None]
    if len(handles) == 1 and len(pairs) == len(messages) and appending.is_appended(instance, handles[0], pairs):
        return
    with unit_of_work(instance, ClaimRequest(handles=tuple(dict.fromkeys(handles)))) as (_, work):
        for message in messages:
            if message.body is None:
                raise VerbError(8433)
            sending.send(work, handles, message.message_type, message.body)


def conversation_group_get(*, instance: str, database: str, queue: str, wait_s: float = 0.0) -> str | None:
    """GET CONVERSATION GROUP: the next group that has messages and is not locked; None: there is none.

    It stays locked until the transaction around it ends: then `message_receive` with this `conversation_group_id`
    gives its messages, and no other receive can. `wait_s`: how long it waits for one, in seconds, as WAITFOR does; on
    SQLite with the bounds of `message_receive`."""
    place = queue_named(instance, database, queue)
    request = ReceiveRequest((place.database, place.queue), top=0)
    return asked_until_found(partial(_next_group, instance, request), lambda: place, wait_s)


def _next_group(instance: str, request: ReceiveRequest) -> str | None:
    with unit_of_work(instance, ClaimRequest(receive=request)) as (broker, work):
        check_queue(broker, request.queue)
        return receiving.get_conversation_group(work, request)


def message_receive(
    *,
    instance: str,
    database: str,
    queue: str,
    top: int | None = None,
    conversation_handle: str | None = None,
    conversation_group_id: str | None = None,
    wait_s: float = 0.0,
) -> tuple[QueuedMessage, ...]:
    """RECEIVE: messages of one conversation group, which stays locked until the transaction around it ends; empty where
    there are none that are not locked. `wait_s`: seconds that it waits for the first of them, as WAITFOR does.
    On SQLite a transaction of the caller's gives the write lock back meanwhile; one that has written is refused
    (`WriteLockHeldError`)."""
    request = ReceiveRequest((database, queue), top, conversation_handle, conversation_group_id)
    return asked_until_found(
        partial(_received, instance, request), partial(known_queue, instance, *request.queue), wait_s
    )


def message_wait(*, instance: str, database: str, queue: str, seconds: float) -> None:
    """Wait until there may be something new in a queue, at most `seconds`, often less. For callers that want no open
    transaction while they wait."""
    wait_for_notification(queue_named(instance, database, queue), seconds)


def _received(instance: str, named: ReceiveRequest) -> tuple[QueuedMessage, ...]:
    """Receive by the name of a queue as the user has written it."""
    place = known_queue(instance, *named.queue)
    request = named if place[1:] == named.queue else replace(named, queue=place[1:])
    batch = taking.received_at_once(instance, request)
    if batch is None:
        place = queue_named(instance, *named.queue)
        request = replace(named, queue=place[1:])
        with unit_of_work(instance, ClaimRequest(receive=request)) as (broker, work):
            check_queue(broker, request.queue)
            receiving.receive(work, request)
            batch = work.batch
    messages = batch.received
    if messages and request.queue in batch.rollbacks:
        transaction.on_commit(partial(message_committed, **place._asdict()), robust=True)
    if messages and batch.is_rest_empty:
        transaction.on_commit(partial(emptied_queues.note, place))
    if messages:
        note_received(place)
    return messages


@contextmanager
def message_reception() -> Iterator[None]:
    """A transaction in which an application receives, and works on what it got. An exception rolls everything back,
    which counts against the queues that it has received from (`message_rolled_back`)."""
    with rollbacks_counted(), transaction.atomic(durable=True):
        yield


def conversation_end(*, instance: str, handle: str) -> None:
    """END CONVERSATION."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,))) as (_, work):
        end_conversation.end_conversation(work, handle)


def conversation_end_with_error(*, instance: str, handle: str, code: int, description: str) -> None:
    """END CONVERSATION WITH ERROR."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,))) as (_, work):
        end_conversation.end_with_error(work, handle, code, description)


def conversation_end_with_cleanup(*, instance: str, handle: str) -> None:
    """END CONVERSATION WITH CLEANUP: the other side is not told."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,))) as (_, work):
        end_conversation.end_with_cleanup(work, handle)


def conversation_move(*, instance: str, handle: str, conversation_group_id: str) -> None:
    """MOVE CONVERSATION. Refused where messages of its group are leased."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,), groups=(conversation_group_id,))) as (_, work):
        if is_leased(instance, work.require(handle).conversation_group_id):
            raise LeasedError
        move_conversation.move_conversation(work, handle, conversation_group_id)


def conversation_timer_start(*, instance: str, handle: str, timeout_s: int) -> None:
    """BEGIN CONVERSATION TIMER."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,))) as (_, work):
        conversation_timer.begin_conversation_timer(work, handle, timeout_s)


def transmission_status(*, instance: str, handle: str) -> str:
    """GET_TRANSMISSION_STATUS: why the first message that waits does; empty where none waits, or nothing has failed."""
    with unit_of_work(instance, ClaimRequest(handles=(handle,))) as (_, work):
        endpoint = work.require(handle)
        number = endpoint.transmission_status
        if number:
            return f"{number}: {PROBLEMS[number].text}"
        if not endpoint.outgoing:
            return ""
        failure = unreachable_address(instance, work.destination(endpoint).address)
        return f"{failure.number}: {failure.text}" if failure else ""
