"""Deliver a complete message to its endpoint: accept it, refuse it, or leave it with its sender.

The sender keeps a message until the receiver accepts it (ACK-3). Accepted means: enqueued now, accepted before (ACK-4),
or its conversation has ended here. The same rules apply to messages from the network and from this instance.
"""

from __future__ import annotations

from typing import NamedTuple

from routing.common.event_subclasses import ConversationSubclass
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
"""Error sent to a peer whose conversation has no live endpoint here."""
OTHER_DATABASE = 9795
"""Reason to wait: another database of this instance has the endpoint of the conversation (RT-STICKY)."""
_REASONS_REPORTED = frozenset((11209, 11212, 11213, 11217))
"""Undeliverable reasons for which the sender gets `REMOTE_ENDPOINT_GONE`; for others it keeps retrying."""


_RECEIVING_STATES = frozenset((SI, CO))
"""States in which arriving messages are enqueued for the application."""


class ReceiptAnswer(NamedTuple):
    """The receiver's answer to the sender."""

    taken: bool
    """True: acknowledge; the sender deletes the message (after the commit, ACK-5)."""
    error: bytes | None = None
    """Body of a broker error for the sender (DLG-UNSEQ): its conversation ends."""
    waits: int = 0
    """Error number of `problems` if the message was not accepted but may be later."""


ACCEPTED = ReceiptAnswer(taken=True)
DROPPED_SILENTLY = ReceiptAnswer(taken=False)


def receive_message(work: UnitOfWork, here: Directory, message: InboundMessage) -> ReceiptAnswer:
    """Deliver a complete sequenced message to a service of the database `here`."""
    endpoint = work.by_key((message.conversation_id, not message.from_initiator))
    if endpoint is None:
        return _receive_first(work, here, message)
    if endpoint.database != here.database:
        return ReceiptAnswer(taken=False, waits=OTHER_DATABASE)
    number, expected = message.message_sequence_number, endpoint.receive_sequence
    if number < expected:
        work.report_duplicate(endpoint, number)
        return ACCEPTED
    if work.is_queue_off(endpoint.queue_key):
        return _refuse_queue_off(work, here, message, expected)
    if number > expected:
        work.report_undeliverable(here.database, message.conversation_id, number, expected, 11217)
        return ReceiptAnswer(taken=False, waits=11217)
    return accept_in_turn(work, here, endpoint, message)


def _refuse_queue_off(work: UnitOfWork, here: Directory, message: InboundMessage, expected: int) -> ReceiptAnswer:
    """Leave the message with its sender: the target queue is off (NET-2)."""
    number = message.message_sequence_number
    work.report_undeliverable(here.database, message.conversation_id, number, expected, 11219)
    return ReceiptAnswer(taken=False, waits=9749)


# ---------------------------------------------------------------- no endpoint


def _receive_first(work: UnitOfWork, here: Directory, message: InboundMessage) -> ReceiptAnswer:
    refusal = refuse_first(work, here, message)
    if refusal is not None:
        return refusal
    objection = here.objection(message.service_contract_name, message.message_type_name, message.message_body, True)
    if objection is not None:
        work.report_undeliverable(here.database, message.conversation_id, 0, 0, objection.reason)
        return _answer_objection(objection)
    queue = (here.database, here.queue(message.to_service))
    if work.is_queue_off(queue):
        return _refuse_queue_off(work, here, message, 0)
    endpoint = create_target(work, here, message, MESSAGE)
    endpoint.receive_sequence = 1
    _enqueue(work, here, endpoint, message)
    return ACCEPTED


def refuse_first(
    work: UnitOfWork, here: Directory, message: InboundMessage, *, is_stray: bool | None = None
) -> ReceiptAnswer | None:
    """Return the refusal if this message or fragment cannot begin a conversation here; None if it can.

    `is_stray`: the first message of the conversation will not arrive (again). None: derive it from the sequence number,
    since messages of this instance arrive in order.
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
        work.report_undeliverable(here.database, message.conversation_id, number, 0, objection.reason)
        return _answer_objection(objection)
    assert isinstance(reason, int), "nobody there takes anything but a first message"
    return refuse(work, here, message, 0, reason)


def refuse(work: UnitOfWork, here: Directory, message: InboundMessage, expected: int, reason: int) -> ReceiptAnswer:
    """Report the message as undeliverable; the sender gets an error for `_REASONS_REPORTED`."""
    work.report_undeliverable(here.database, message.conversation_id, message.message_sequence_number, expected, reason)
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
    """Create the target endpoint for the first message or fragment of a conversation."""
    service, far, contract = message.to_service, message.from_service, message.service_contract_name
    endpoint = Endpoint(
        conversation_handle=work.choices.identifier(),
        conversation_id=message.conversation_id,
        is_initiator=False,
        database=here.database,
        service_name=service,
        queue=here.queue(service),
        far_service=far,
        far_broker_instance=message.from_broker_instance,
        service_contract_name=contract,
        conversation_group_id=work.choices.identifier(),
        lifetime=message.lifetime,
        state=NONE,
        priority=here.priority(contract, service, far),
        encryption=message.encryption,
    )
    work.apply_input(endpoint, given)
    work.add(endpoint)
    work.report(ConversationSubclass.DIALOG_CREATED, endpoint)
    return endpoint


# ---------------------------------------------------------------- an endpoint, and the message in its turn


def accept_in_turn(
    work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage, *, is_judged: bool = False
) -> ReceiptAnswer:
    """Accept or refuse the next expected message, complete, for a queue that is on.

    `is_judged`: it passed validation on arrival and was acknowledged then."""
    given, objection = (_input_of(message), None) if is_judged else validate(here, endpoint, message)
    to = next_state(endpoint.is_initiator, endpoint.state, given)
    number = message.message_sequence_number
    if isinstance(to, int):
        return refuse(work, here, message, endpoint.receive_sequence, to)
    before = endpoint.state
    endpoint = work.for_update(endpoint)
    if objection is not None and before != DO:
        return _reject_invalid(work, endpoint, objection, number)
    work.enter(endpoint, to)
    endpoint.receive_sequence = number + 1
    if before == SI:
        endpoint.attempts, endpoint.next_attempt = 0, None  # an accepted target need not probe its initiator
    if endpoint.state in (CD, NONE):
        close_endpoint(work, endpoint)
    elif before in _RECEIVING_STATES:
        _enqueue(work, here, endpoint, message)
        if endpoint.state != CO:
            # The peer has ended and would discard them: "the remote service drops the unsent messages".
            stop_sending(work, endpoint)
    return ACCEPTED


def _input_of(message: InboundMessage) -> DialogInput:
    if message.is_end_of_dialog:
        return END_DIALOG
    return ERROR if message.is_conversation_error else MESSAGE


def validate(here: Directory, endpoint: Endpoint, message: InboundMessage) -> tuple[DialogInput, Objection | None]:
    """Return the endpoint input for a complete message, and the objection if it is invalid."""
    kind = _input_of(message)
    if kind != MESSAGE:
        return kind, None
    objection = here.objection(
        endpoint.service_contract_name, message.message_type_name, message.message_body, message.from_initiator
    )
    return (MESSAGE, None) if objection is None else (INVALID, objection)


def _reject_invalid(work: UnitOfWork, endpoint: Endpoint, objection: Objection, number: int) -> ReceiptAnswer:
    """Discard an invalid message and end the conversation with an error on both sides.

    An invalid first message creates no endpoint. An endpoint that exists in SI holds acknowledged fragments: it stays,
    and the peer resends the rest of the first message until it has received the error.
    """
    work.report_undeliverable(
        endpoint.database, endpoint.conversation_id, number, endpoint.receive_sequence, objection.reason
    )
    if endpoint.state == SI and not work.is_new(endpoint):
        return _answer_objection(objection)
    fail_endpoint(work, endpoint, INVALID, broker_error(objection.here, **objection.values))
    work.report(ConversationSubclass.BROKER_INITIATED_ERROR, endpoint)
    return _answer_objection(objection)


def _enqueue(work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage) -> None:
    """Enqueue the message as EndDialog, Error or application message, and report it."""
    number = message.message_sequence_number
    if message.is_end_of_dialog:
        work.enqueue(endpoint, number, END_DIALOG_TYPE, None, "E")
        work.report(ConversationSubclass.RECEIVED_END_CONVERSATION, endpoint, number)
    elif message.is_conversation_error:
        work.enqueue(endpoint, number, ERROR_TYPE, message.message_body, "X")
        size = len(message.message_body or b"")
        work.report(ConversationSubclass.RECEIVED_END_CONVERSATION_WITH_ERROR, endpoint, number, size)
    else:
        validation = VALIDATION_CODE[here.validation(message.message_type_name)]
        body = message.message_body or None  # nothing on the wire tells an empty body from none
        work.enqueue(endpoint, number, message.message_type_name, body, validation)
        work.report(ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE, endpoint, number, len(body) if body else 0)


# ---------------------------------------------------------------- ends


def receive_error(work: UnitOfWork, endpoint: Endpoint, body: bytes) -> None:
    """Apply a broker error of the peer immediately, regardless of sequence."""
    fail_endpoint(work, endpoint, ERROR, body)
    work.report(ConversationSubclass.RECEIVED_BROKER_ERROR_MESSAGE, endpoint)


def fail_endpoint(work: UnitOfWork, endpoint: Endpoint, given: DialogInput, body: bytes) -> None:
    """Apply an error to a writable endpoint and enqueue an Error message, unless it ended or had an error before.

    The Error is enqueued even if the queue is off: no other copy exists.
    """
    before: DialogState = endpoint.state
    if work.apply_input(endpoint, given):
        return
    if endpoint.state in (CD, NONE):
        close_endpoint(work, endpoint)
    elif endpoint.state == ER and before != ER:
        stop_sending(work, endpoint)
        work.drop_buffered(endpoint)
        work.enqueue(endpoint, 0, ERROR_TYPE, body, "X")


def stop_sending(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Drop everything that a writable endpoint still had to send."""
    work.drop_outgoing(endpoint)
    endpoint.next_attempt = endpoint.ready_since = None
    endpoint.attempts = 0
    work.set_status(endpoint, 0)


def close_endpoint(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Delete a writable endpoint without a state; keep a CLOSED one without messages until no replay is possible."""
    stop_sending(work, endpoint)
    if endpoint.state == NONE:
        work.remove(endpoint)
        return
    work.empty_queue(endpoint)
    if endpoint.security_timestamp is None:
        endpoint.next_attempt = work.now_ms + probe_delay_ms(0, work.choices)
