"""A message before the endpoint it is meant for: taken, refused, or left with its sender for a while.

The sender keeps a message until it is taken (ACK-3), and here is decided what taken means: it stands in the queue, or
was taken before (ACK-4), or there is nobody any more who would receive it. The same holds for messages from the
network and for those of the same instance that go straight into the queue.
"""

from __future__ import annotations

from typing import NamedTuple

from routing.common.broker_events import ConversationSubclass
from routing.common.retry import probe_delay_ms
from routing.dialog.directory import Directory, Objection
from routing.dialog.endpoint import Endpoint
from routing.dialog.error_message import broker_error
from routing.dialog.messages import InboundMessage
from routing.dialog.states import (
    CD,
    CO,
    DO,
    END_DIALOG,
    ER,
    ERROR,
    INVALID,
    MESSAGE,
    NONE,
    SI,
    STRAY,
    DialogInput,
    DialogState,
    next_state,
)
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE
from routing.dialog.unit_of_work import UnitOfWork
from routing.dialog.validation import VALIDATION_CODE

REMOTE_ENDPOINT_GONE = 8462
"""What a sender is told whose messages nobody takes any more."""
OTHER_DATABASE = 9795
"""Why a message waits whose conversation another database of this instance holds: that one takes it (RT-STICKY)."""
_REASONS_REPORTED = frozenset((11209, 11212, 11213, 11217))
"""The reasons for which it is told so; for others it tries again, in vain or not."""


_RECEIVING_STATES = frozenset((SI, CO))
"""The states in which the application wants to hear what arrives."""


class ReceiptAnswer(NamedTuple):
    """What the sender learns."""

    taken: bool
    """Acknowledge it: the sender may delete it (after the commit, ACK-5)."""
    error: bytes | None = None
    """The body of an Error by the broker (DLG-UNSEQ): the conversation is over."""
    waits: int = 0
    """Not taken now; tried again, it may be. A number of `problems`."""


ACCEPTED = ReceiptAnswer(taken=True)
DROPPED_SILENTLY = ReceiptAnswer(taken=False)


def receive_message(work: UnitOfWork, here: Directory, message: InboundMessage) -> ReceiptAnswer:
    """A whole sequenced message for a service of this database."""
    endpoint = work.of((message.conversation_id, not message.from_initiator))
    if endpoint is None:
        return _receive_first(work, here, message)
    if endpoint.database != here.database:
        return ReceiptAnswer(taken=False, waits=OTHER_DATABASE)
    number, expected = message.message_sequence_number, endpoint.receive_sequence
    if number < expected:
        return ACCEPTED
    if work.is_off(endpoint.queue_key):
        return _refuse_queue_off(work, here, message, expected)
    if number > expected:
        work.undeliverable(here.database, message.conversation_id, number, expected, 11217)
        return ReceiptAnswer(taken=False, waits=11217)
    return accept_in_turn(work, here, endpoint, message)


def _refuse_queue_off(work: UnitOfWork, here: Directory, message: InboundMessage, expected: int) -> ReceiptAnswer:
    """NET-2: into the queue of the target only while it is on."""
    number = message.message_sequence_number
    work.undeliverable(here.database, message.conversation_id, number, expected, 11219)
    return ReceiptAnswer(taken=False, waits=9749)


# ---------------------------------------------------------------- no endpoint


def _receive_first(work: UnitOfWork, here: Directory, message: InboundMessage) -> ReceiptAnswer:
    refusal = refuse_first(work, here, message)
    if refusal is not None:
        return refusal
    objection = here.objection(message.service_contract_name, message.message_type_name, message.message_body, True)
    if objection is not None:
        work.undeliverable(here.database, message.conversation_id, 0, 0, objection.reason)
        return _answer_objection(objection)
    queue = (here.database, here.queue(message.to_service))
    if work.is_off(queue):
        return _refuse_queue_off(work, here, message, 0)
    endpoint = create_target(work, here, message, MESSAGE)
    endpoint.receive_sequence = 1
    _enqueue(work, here, endpoint, message)
    return ACCEPTED


def refuse_first(
    work: UnitOfWork, here: Directory, message: InboundMessage, *, is_stray: bool | None = None
) -> ReceiptAnswer | None:
    """Why no conversation can begin with a message, or with a part of one: what its sender is told. None: one can.

    `is_stray`: the first message of the conversation will not come (again); what is of this instance comes in order.
    """
    number = message.message_sequence_number
    if is_stray is None:
        is_stray = number > 0
    if is_stray or not message.from_initiator:
        reason = next_state(not message.from_initiator, NONE, STRAY)
    elif number == 0 and (message.is_end_of_dialog or message.is_conversation_error):
        reason = next_state(False, NONE, END_DIALOG)
    else:
        identified = message.to_broker_instance is not None
        objection = here.objection_to_first(message.to_service, message.service_contract_name, identified)
        if objection is None:
            return None
        work.undeliverable(here.database, message.conversation_id, number, 0, objection.reason)
        return _answer_objection(objection)
    assert isinstance(reason, int), "nobody there takes anything but a first message"
    return refuse(work, here, message, 0, reason)


def refuse(work: UnitOfWork, here: Directory, message: InboundMessage, expected: int, reason: int) -> ReceiptAnswer:
    """Nobody takes it any more: whoever sent it is told so, for the reasons of `_TOLD`."""
    work.undeliverable(here.database, message.conversation_id, message.message_sequence_number, expected, reason)
    return (
        ReceiptAnswer(taken=False, error=broker_error(REMOTE_ENDPOINT_GONE))
        if reason in _REASONS_REPORTED
        else DROPPED_SILENTLY
    )


def _answer_objection(objection: Objection) -> ReceiptAnswer:
    if not objection.to_sender:
        return DROPPED_SILENTLY
    return ReceiptAnswer(taken=False, error=broker_error(objection.to_sender, **objection.values))


def create_target(work: UnitOfWork, here: Directory, message: InboundMessage, given: DialogInput) -> Endpoint:
    """The endpoint of the target, made by the first that comes of a conversation: a whole message or a part."""
    service, far, contract = message.to_service, message.from_service, message.service_contract_name
    endpoint = Endpoint(
        work.choices.identifier(),
        message.conversation_id,
        False,
        here.database,
        service,
        here.queue(service),
        far,
        message.from_broker_instance,
        contract,
        work.choices.identifier(),
        message.lifetime,
        NONE,
        here.priority(contract, service, far),
        message.encryption,
    )
    work.step(endpoint, given)
    work.add(endpoint)
    work.tell(ConversationSubclass.DIALOG_CREATED, endpoint)
    return endpoint


# ---------------------------------------------------------------- an endpoint, and the message in its turn


def accept_in_turn(
    work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage, *, is_judged: bool = False
) -> ReceiptAnswer:
    """The message that an endpoint expects next, whole; its queue is on. `is_judged`: it was found valid when it came,
    and acknowledged."""
    given, objection = (_input_of(message), None) if is_judged else validate(here, endpoint, message)
    to = next_state(endpoint.is_initiator, endpoint.state, given)
    number = message.message_sequence_number
    if isinstance(to, int):
        return refuse(work, here, message, endpoint.receive_sequence, to)
    before = endpoint.state
    endpoint = work.own(endpoint)
    if objection is not None and before != DO:
        return _reject_invalid(work, endpoint, objection, number)
    work.step(endpoint, given)
    endpoint.receive_sequence = number + 1
    if before == SI:
        endpoint.attempts, endpoint.next_attempt = 0, None  # it asks no more whether its initiator has gone
    if endpoint.state in (CD, NONE):
        close_endpoint(work, endpoint)
    elif before in _RECEIVING_STATES:
        _enqueue(work, here, endpoint, message)
        if endpoint.state != CO:
            # The peer has ended, and would discard it: "the remote service drops the unsent messages".
            stop_sending(work, endpoint)
    return ACCEPTED


def _input_of(message: InboundMessage) -> DialogInput:
    if message.is_end_of_dialog:
        return END_DIALOG
    return ERROR if message.is_conversation_error else MESSAGE


def validate(here: Directory, endpoint: Endpoint, message: InboundMessage) -> tuple[DialogInput, Objection | None]:
    """What a whole message is to an endpoint, and why it is invalid where it is."""
    kind = _input_of(message)
    if kind != MESSAGE:
        return kind, None
    objection = here.objection(
        endpoint.service_contract_name, message.message_type_name, message.message_body, message.from_initiator
    )
    return (MESSAGE, None) if objection is None else (INVALID, objection)


def _reject_invalid(work: UnitOfWork, endpoint: Endpoint, objection: Objection, number: int) -> ReceiptAnswer:
    """Validated on receipt: discarded, and both sides get an error; the order cannot go on without it.

    A first message makes no endpoint. One that is there holds parts of it, or what follows, and these were
    acknowledged: it stays as it is, and the rest of the first message comes again until its sender knows of the error.
    """
    work.undeliverable(endpoint.database, endpoint.conversation_id, number, endpoint.receive_sequence, objection.reason)
    if endpoint.state == SI and not work.is_new(endpoint):
        return _answer_objection(objection)
    fail_endpoint(work, endpoint, INVALID, broker_error(objection.here, **objection.values))
    work.tell(ConversationSubclass.BROKER_INITIATED_ERROR, endpoint)
    return _answer_objection(objection)


def _enqueue(work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage) -> None:
    """Into the queue, as what it is."""
    number = message.message_sequence_number
    if message.is_end_of_dialog:
        work.enqueue(endpoint, number, END_DIALOG_TYPE, None, "E")
        work.tell(ConversationSubclass.RECEIVED_END_CONVERSATION, endpoint, number)
    elif message.is_conversation_error:
        work.enqueue(endpoint, number, ERROR_TYPE, message.message_body, "X")
        size = len(message.message_body or b"")
        work.tell(ConversationSubclass.RECEIVED_END_CONVERSATION_WITH_ERROR, endpoint, number, size)
    else:
        validation = VALIDATION_CODE[here.validation(message.message_type_name)]
        body = message.message_body or None  # nothing on the wire tells an empty body from none
        work.enqueue(endpoint, number, message.message_type_name, body, validation)
        work.tell(ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE, endpoint, number, len(body) if body else 0)


# ---------------------------------------------------------------- ends


def receive_error(work: UnitOfWork, endpoint: Endpoint, body: bytes) -> None:
    """An Error that the broker of the peer has made, at once and in no order."""
    fail_endpoint(work, endpoint, ERROR, body)
    work.tell(ConversationSubclass.RECEIVED_BROKER_ERROR_MESSAGE, endpoint)


def fail_endpoint(work: UnitOfWork, endpoint: Endpoint, given: DialogInput, body: bytes) -> None:
    """An own endpoint meets an error: its application is told, unless it has ended or was told before.

    The Error comes into the queue even while this is off: nobody else keeps it.
    """
    before: DialogState = endpoint.state
    if work.step(endpoint, given):
        return
    if endpoint.state in (CD, NONE):
        close_endpoint(work, endpoint)
    elif endpoint.state == ER and before != ER:
        stop_sending(work, endpoint)
        work.drop_held(endpoint)
        work.enqueue(endpoint, 0, ERROR_TYPE, body, "X")


def stop_sending(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Nothing of an own endpoint is sent any more."""
    work.drop_outgoing(endpoint)
    endpoint.next_attempt = endpoint.ready_since = None
    endpoint.attempts = 0
    work.set_status(endpoint, 0)


def close_endpoint(work: UnitOfWork, endpoint: Endpoint) -> None:
    """An own endpoint that is CD stays without messages, until no replay is possible; one without a state goes."""
    stop_sending(work, endpoint)
    if endpoint.state == NONE:
        work.remove(endpoint)
        return
    work.empty_queue(endpoint)
    if endpoint.security_timestamp is None:
        endpoint.next_attempt = work.now + probe_delay_ms(0, work.choices)
