"""Receive fragments from the network: reassemble, order and deduplicate them.

A fragment is kept and acknowledged; or not kept, and its sender resends it; or refused for good, and its sender gets an
error. A complete message in turn takes the same path as a local one (`inbound_message`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from routing.adjacent.errors import Corrupted, RemoteProtocolError
from routing.adjacent.fragment import END, ERROR, INITIATOR, UNSEQUENCED, Fragment, Header
from routing.adjacent.guard import FragmentGuard
from routing.adjacent.limits import MAX_TIME_MS
from routing.common.event_subclasses import AcknowledgementSubclass, AuditSubclass, UndeliverableSubclass
from routing.common.identifier import identifier_of
from routing.common.network_events import AuditBrokerConversation, CorruptedMessage, MessageUndeliverable
from routing.common.retry import probe_delay_ms
from routing.common.sentence import say
from routing.dialog.control_messages import send_error
from routing.dialog.directory import Directory
from routing.dialog.discarding import discard
from routing.dialog.endpoint import MAX_LIFETIME_S, Endpoint
from routing.dialog.error_message import broker_error
from routing.dialog.inbound_message import (
    OTHER_DATABASE,
    ReceiptAnswer,
    create_target,
    receive_error,
    refuse,
    refuse_first,
)
from routing.dialog.messages import InboundMessage
from routing.dialog.pinning import TAKEN_BY_OTHER_TARGET, is_from_known_peer, is_other_peer, pin
from routing.dialog.reassembly import (
    buffer,
    buffered_fragment_count,
    deliver,
    reject_if_invalid,
    remove_if_empty,
)
from routing.dialog.received_ranges import FragmentOutcome, has_whole, record_fragment
from routing.dialog.retransmission import receive_ack
from routing.dialog.states import CD, DO, NONE, PART, SI, STRAY, DialogInput, next_state
from routing.dialog.unit_of_work import UnitOfWork
from routing.security.instance_security import DialogProtection
from routing.security.policy import SECURED, Undeliverable, open_fragment

MESSAGE_TOO_LONG: Final = 8459
"""Reason for not keeping a fragment of a message larger than `DialogSettings.message_bytes`. Not acknowledged; the
sender keeps it."""

_AUDIT_SUBCLASS: Final[Mapping[int | None, AuditSubclass]] = {
    11229: AuditSubclass.NO_CERTIFICATE,
    11232: AuditSubclass.NO_SECURITY_HEADER,
}
_OTHER_FRAGMENT_COUNT: Final = Corrupted(
    "fragments", say("are another number than other fragments of the same message state")
)


def receive_fragment(work: UnitOfWork, here: Directory, fragment: Fragment, endpoint: Endpoint | None) -> None:
    """Receive a fragment that routing delivers to the database `here` of this instance. `endpoint`: the one that it is
    addressed to, if there is any."""
    header = fragment.header
    conversation = identifier_of(header.conversation_id)
    if endpoint is not None and endpoint.database != here.database:
        _report_undeliverable(work, here, conversation, header, OTHER_DATABASE)
        return
    try:
        guard = _guard_of(work, here, fragment, endpoint)
        body = open_fragment(fragment, guard)
    except Corrupted as corrupted:
        report_corrupted(work, here.database, conversation, corrupted)
        if fragment.integrity in SECURED:
            _report_audit(work, here, conversation, AuditSubclass.INVALID_SIGNATURE, corrupted)
    except Undeliverable as objection:
        _report_undeliverable(work, here, conversation, header, objection.number or 0)
        if (subclass := _AUDIT_SUBCLASS.get(objection.number)) is not None:
            _report_audit(work, here, conversation, subclass, objection)
    else:
        _receive_opened(work, here, header, conversation, endpoint, guard, body)


def report_corrupted(work: UnitOfWork, database: str, conversation: str, corrupted: RemoteProtocolError) -> None:
    """Report event Broker:Corrupted Message; the fragment is discarded and not acknowledged (INT-1)."""
    work.changes.events.append(CorruptedMessage(database, conversation, str(corrupted), corrupted.number or 0))


def _report_audit(
    work: UnitOfWork, here: Directory, conversation: str, subclass: AuditSubclass, objection: RemoteProtocolError
) -> None:
    work.changes.events.append(AuditBrokerConversation(subclass, here.database, conversation, str(objection)))


def _guard_of(work: UnitOfWork, here: Directory, fragment: Fragment, endpoint: Endpoint | None) -> FragmentGuard:
    """Return the guard of the dialog; without an endpoint, the guard that its first fragment names."""
    named = endpoint if endpoint is not None and endpoint.integrity else fragment
    protection = DialogProtection(named.integrity, named.key_id)
    header = fragment.header
    return work.context.security.guard(here.database, protection, header.conversation_id, not header.is_initiator)


def _report_undeliverable(work: UnitOfWork, here: Directory, conversation: str, header: Header, reason: int) -> None:
    kind = UndeliverableSubclass.SEQUENCED_MESSAGE if header.is_sequenced else UndeliverableSubclass.UNSEQUENCED_MESSAGE
    work.changes.events.append(MessageUndeliverable(kind, here.database, conversation, header.sequence, -1, reason))


# ---------------------------------------------------------------- whom it is for


def _receive_opened(
    work: UnitOfWork,
    here: Directory,
    header: Header,
    conversation: str,
    endpoint: Endpoint | None,
    guard: FragmentGuard,
    body: bytes,
) -> None:
    message = _message(work, header, conversation, body)
    if endpoint is None:
        endpoint = _create_target_for(work, here, header, message, guard)
        if endpoint is None:
            return
    elif is_other_peer(endpoint, header.names.from_broker_instance):
        _refuse_other_target(work, here, endpoint, message, guard)
        return
    if header.acknowledged or (header.has_begun and endpoint.security_timestamp is None):
        endpoint = _receive_piggybacked(work, endpoint, header)
        if work.get(endpoint.conversation_handle) is None:
            return  # its end was acknowledged; the endpoint is removed
    if not header.is_sequenced:
        if header.is_error:
            _receive_broker_error(work, work.for_update(endpoint), body)
    elif is_from_known_peer(endpoint, header.names.from_broker_instance):
        _receive_sequenced(work, here, endpoint, header, message, guard)
        remove_if_empty(work, endpoint)
    else:  # its acknowledgement comes first, and with it again
        _report_undeliverable(work, here, conversation, header, 11217)


def _message(work: UnitOfWork, header: Header, conversation: str, body: bytes) -> InboundMessage:
    names, flags = header.names, header.flags
    left = header.time_to_live - header.time_consumed
    is_endless = header.time_to_live == MAX_TIME_MS
    # Positional: keywords would triple the cost of this call, once per message.
    return InboundMessage(
        conversation,
        bool(flags & INITIATOR),
        names.from_service,
        names.from_broker_instance,
        names.to_service,
        names.to_broker_instance,
        names.contract,
        work.now_ms + (MAX_LIFETIME_S * 1000 if is_endless else max(left, 0)),
        False,
        header.sequence,
        names.message_type,
        body,
        bool(flags & END),
        flags & (ERROR | UNSEQUENCED) == ERROR,
    )


def _create_target_for(
    work: UnitOfWork, here: Directory, header: Header, message: InboundMessage, guard: FragmentGuard
) -> Endpoint | None:
    """Create the target endpoint for a first fragment; None if the fragment cannot begin a conversation."""
    if not header.is_sequenced and header.is_error:
        return None  # the conversation has ended here too
    if header.is_sequenced and header.time_consumed >= header.time_to_live:
        _report_undeliverable(work, here, message.conversation_id, header, 11291)
        return None  # expired: not acknowledged; the sender's own clock ends it
    refusal = refuse_first(work, here, message, is_stray=header.has_begun or not header.is_sequenced)
    if refusal is not None:
        _send_answer(work, _absent_endpoint(work, here, message), refusal, guard)
        return None
    endpoint = create_target(work, here, message, PART)
    endpoint.next_attempt = work.now_ms + probe_delay_ms(0, work.choices)
    endpoint.integrity, endpoint.key_id = guard.integrity, guard.key_id
    return endpoint


def _absent_endpoint(work: UnitOfWork, here: Directory, message: InboundMessage) -> Endpoint:
    """Return a temporary endpoint for the addressed side, which does not exist, to send the answer from."""
    return Endpoint(
        conversation_handle="",
        conversation_id=message.conversation_id,
        is_initiator=not message.from_initiator,
        database=here.database,
        service_name=message.to_service,
        queue="",
        far_service=message.from_service,
        far_broker_instance=message.from_broker_instance,
        service_contract_name=message.service_contract_name,
        conversation_group_id="",
        lifetime=message.lifetime,
        state=NONE,
        priority=0,
    )


def _send_answer(work: UnitOfWork, side: Endpoint, answer: ReceiptAnswer, guard: FragmentGuard) -> None:
    if answer.error is not None:
        send_error(work, side, answer.error, guard)


def _refuse_other_target(
    work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage, guard: FragmentGuard
) -> None:
    """Refuse a message from a second target: the first target to acknowledge owns the conversation (RT-STICKY)."""
    if endpoint.is_initiator:
        send_error(work, _absent_endpoint(work, here, message), broker_error(TAKEN_BY_OTHER_TARGET), guard)
    else:
        refuse(work, here, message, endpoint.receive_sequence, 11209)


# ---------------------------------------------------------------- what it says besides its body


def _receive_piggybacked(work: UnitOfWork, endpoint: Endpoint, header: Header) -> Endpoint:
    """Apply the piggybacked acknowledgement and the "begun" flag. Returns the endpoint after that."""
    if header.acknowledged:
        endpoint = work.for_update(endpoint)
        kinds = AcknowledgementSubclass
        rides = header.is_sequenced
        kind = kinds.MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED if rides else kinds.ACKNOWLEDGEMENT_RECEIVED
        if receive_ack(work, endpoint, header.acknowledged, kind):
            pin(endpoint, header.names.from_broker_instance)
        elif endpoint.is_initiator:
            _confirm_begun(work, endpoint)
    if header.has_begun and endpoint.security_timestamp is None:
        endpoint = work.for_update(endpoint)
        _note_replay_impossible(work, endpoint)
    return endpoint


def _confirm_begun(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Answer the probe of a closed target, which repeats its acknowledgement until it knows that the first message
    cannot arrive again."""
    if endpoint.acknowledged_sequence and endpoint.receive_sequence:
        work.acks_due[endpoint.conversation_handle] = None


def _note_replay_impossible(work: UnitOfWork, endpoint: Endpoint) -> None:
    endpoint.security_timestamp = work.now_ms
    if endpoint.state == CD:
        endpoint.next_attempt = None


def _receive_broker_error(work: UnitOfWork, endpoint: Endpoint, body: bytes) -> None:
    """Apply a broker error immediately. A closed target learns from it that its initiator is gone."""
    if endpoint.state == CD:
        _note_replay_impossible(work, endpoint)
    else:
        receive_error(work, endpoint, body)


# ---------------------------------------------------------------- sequenced ones


def _receive_sequenced(
    work: UnitOfWork, here: Directory, endpoint: Endpoint, header: Header, message: InboundMessage, guard: FragmentGuard
) -> None:
    number = message.message_sequence_number
    if number < endpoint.receive_sequence:
        work.acks_due[endpoint.conversation_handle] = None  # ACK-4
        work.report_duplicate(endpoint, number)
        return
    given: DialogInput = STRAY if endpoint.state == SI and _lacks_the_first(work, endpoint, header) else PART
    to = next_state(endpoint.is_initiator, endpoint.state, given)
    if isinstance(to, int):
        _send_answer(work, endpoint, refuse(work, here, message, endpoint.receive_sequence, to), guard)
    elif endpoint.state == DO:
        discard(work, endpoint, header)
    elif (objection := _limit_exceeded(work, endpoint, header, message)) != 0:
        work.report_undeliverable(here.database, message.conversation_id, number, endpoint.receive_sequence, objection)
    else:
        _accept(work, here, endpoint, header, message)


def _lacks_the_first(work: UnitOfWork, endpoint: Endpoint, header: Header) -> bool:
    """Whether a target in SI that a later message created will never get the first one: an endpoint before it
    acknowledged the first message, and was removed."""
    return header.has_begun and not has_whole(work.received_ranges(endpoint), 0)


def _limit_exceeded(work: UnitOfWork, endpoint: Endpoint, header: Header, message: InboundMessage) -> int:
    """Return the reason if a limit forbids to keep the fragment, else 0. Limits what any peer can store here."""
    size = len(message.message_body or b"")
    settings = work.context.settings
    if header.fragment + 1 < header.fragments and (header.fragments - 1) * size > settings.message_bytes:
        return MESSAGE_TOO_LONG
    in_turn_now = header.sequence == endpoint.receive_sequence
    return 11217 if not in_turn_now and endpoint.held_bytes + size > settings.held_bytes else 0


def _accept(work: UnitOfWork, here: Directory, endpoint: Endpoint, header: Header, message: InboundMessage) -> None:
    is_next = header.sequence == endpoint.receive_sequence
    if is_next and header.fragments == 1 and not endpoint.held and not work.is_queue_off(endpoint.queue_key):
        # Fast path for nearly all messages: one fragment, in turn, empty buffer.
        work.acks_due[endpoint.conversation_handle] = None
        endpoint = work.for_update(endpoint)
        work.clear_received(endpoint)
        deliver(work, here, endpoint, message)
    else:
        _accept_out_of_order(work, here, endpoint, header, message)


def _accept_out_of_order(
    work: UnitOfWork, here: Directory, endpoint: Endpoint, header: Header, message: InboundMessage
) -> None:
    before = work.received_ranges(endpoint)
    fate, received = record_fragment(
        before, header.sequence, header.fragment, header.fragments, endpoint.receive_sequence
    )
    if fate is FragmentOutcome.REFUSED:
        work.report_undeliverable(
            here.database, message.conversation_id, header.sequence, endpoint.receive_sequence, 11217
        )
        return
    work.acks_due[endpoint.conversation_handle] = None
    if fate is FragmentOutcome.DUPLICATE:
        work.report_duplicate(endpoint, header.sequence)
        return
    if buffered_fragment_count(work, endpoint, header.sequence) not in (0, header.fragments):
        # Fragments of two different fragmentations cannot be joined.
        report_corrupted(work, here.database, message.conversation_id, _OTHER_FRAGMENT_COUNT)
        work.acks_due.pop(endpoint.conversation_handle)
        return
    endpoint = work.for_update(endpoint)
    waits = header.sequence != endpoint.receive_sequence or work.is_queue_off(endpoint.queue_key)
    if waits and header.fragments == 1 and reject_if_invalid(work, here, endpoint, message):
        return
    work.set_received(endpoint, received)
    if waits or header.fragments > 1:
        buffer(work, endpoint, header, message)
    elif not deliver(work, here, endpoint, message):
        if endpoint.held:
            work.set_received(endpoint, before)
        else:  # the buffer is empty, or was cleared because the endpoint is in error
            work.clear_received(endpoint)
