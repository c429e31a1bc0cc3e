"""Outbound messages: enqueue directly at a local target, else put them into the transmission queue."""

from __future__ import annotations

from routing.common.broker_events import MessageClassify
from routing.common.event_subclasses import ClassifySubclass
from routing.dialog.broker_context import Destination
from routing.dialog.endpoint import Endpoint
from routing.dialog.inbound_message import ReceiptAnswer, receive_error, receive_message
from routing.dialog.messages import InboundMessage, OutboundMessage
from routing.dialog.retransmission import has_window_room, note_delivered, postpone, transmit
from routing.dialog.unit_of_work import UnitOfWork


def enqueue(
    work: UnitOfWork,
    endpoint: Endpoint,
    message_type: str,
    body: bytes | None,
    is_end_of_dialog: bool = False,
    is_conversation_error: bool = False,
) -> None:
    """Send the next message of a writable endpoint.

    It goes directly into the target queue if that is local and on, and no earlier message waits (TOB-3)."""
    # Positional: keywords would triple the cost of this call, once per message.
    message = OutboundMessage(
        endpoint.conversation_handle,
        endpoint.send_sequence,
        message_type,
        body,
        work.now_ms,
        is_end_of_dialog,
        is_conversation_error,
    )
    endpoint.send_sequence += 1
    if endpoint.outgoing:
        work.add_outgoing(endpoint, message)
        if endpoint.ready_since is None and has_window_room(work, endpoint):
            endpoint.ready_since = work.now_ms
        return
    destination = work.destination(endpoint)
    if destination.address:
        work.add_outgoing(endpoint, message)
        endpoint.ready_since = work.now_ms  # sent by the next turn, after the commit
        return
    _report_classified(work, endpoint, destination)
    answer = _deliver_locally(work, endpoint, message, destination)
    if answer.taken:
        note_delivered(work, endpoint)
    elif answer.error is not None:
        receive_error(work, endpoint, answer.error)
    else:
        work.add_outgoing(endpoint, message)
        postpone(work, endpoint, answer.waits)


def attempt_delivery(work: UnitOfWork, endpoint: Endpoint, *, again: bool) -> None:
    """Send the waiting messages of a writable endpoint. `again`: also resend those without an acknowledgement."""
    endpoint.ready_since = None
    if again:
        endpoint.next_attempt = None
    if not endpoint.outgoing:
        return
    destination = work.destination(endpoint)
    _report_classified(work, endpoint, destination)
    if destination.address:
        transmit(work, endpoint, destination, again=again)
    elif again or not endpoint.in_flight:
        _attempt_locally(work, endpoint, destination)
    else:
        endpoint.next_attempt = work.now_ms  # the target is local now: resend in order with those in flight


def _attempt_locally(work: UnitOfWork, endpoint: Endpoint, destination: Destination) -> None:
    """Deliver waiting messages to a local target, in order, until one is not accepted."""
    for message in work.outgoing.get(endpoint.conversation_handle, ()):
        answer = _deliver_locally(work, endpoint, message, destination)
        if answer.error is not None:
            receive_error(work, endpoint, answer.error)
            return
        if not answer.taken:
            postpone(work, endpoint, answer.waits)
            return
        note_delivered(work, endpoint)
    if endpoint.outgoing:
        endpoint.next_attempt = work.now_ms


def _deliver_locally(
    work: UnitOfWork, endpoint: Endpoint, message: OutboundMessage, destination: Destination
) -> ReceiptAnswer:
    """Deliver one message to the peer endpoint if its database is on this instance."""
    here = destination.directory
    if here is None:
        return ReceiptAnswer(taken=False, waits=destination.status)
    endpoint.kept_route, endpoint.kept_identifier = destination.route, destination.identifier
    endpoint.kept_database = here.database
    answer = receive_message(work, here, _as_inbound(work, endpoint, message))
    if answer.taken:
        if endpoint.outgoing:
            work.mark_acknowledged(endpoint, message.message_sequence_number + 1)
        else:
            _skip_transmission_queue(endpoint)
        endpoint.far_broker_instance = here.broker_instance  # RT-PIN
        _note_replay_impossible(work, endpoint)
    return answer


def _skip_transmission_queue(endpoint: Endpoint) -> None:
    """Count the message as acknowledged without ever entering the transmission queue (TOB-3)."""
    endpoint.acknowledged_sequence = endpoint.sending_sequence = endpoint.transmitted = endpoint.send_sequence


def _as_inbound(work: UnitOfWork, endpoint: Endpoint, message: OutboundMessage) -> InboundMessage:
    # Positional: keywords would triple the cost of this call, once per message.
    return InboundMessage(
        endpoint.conversation_id,
        endpoint.is_initiator,
        endpoint.service_name,
        work.context.directory(endpoint.database).broker_instance,
        endpoint.far_service,
        endpoint.far_broker_instance,
        endpoint.service_contract_name,
        endpoint.lifetime,
        endpoint.encryption,
        message.message_sequence_number,
        message.message_type_name,
        message.message_body,
        message.is_end_of_dialog,
        message.is_conversation_error,
    )


def _note_replay_impossible(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Tell the local target that its initiator deletes the first message in the same commit."""
    if (
        endpoint.is_initiator
        and endpoint.acknowledged_sequence == 1
        and (target := work.by_key(endpoint.peer)) is not None
    ):
        work.for_update(target).security_timestamp = work.now_ms


def _report_classified(work: UnitOfWork, endpoint: Endpoint, destination: Destination) -> None:
    if destination.directory is not None:
        kind = ClassifySubclass.LOCAL
    else:
        kind = ClassifySubclass.DELAYED if destination.status else ClassifySubclass.REMOTE
    work.changes.events.append(
        # Positional: keywords would triple the cost of this call, once per message.
        MessageClassify(
            kind,
            endpoint.database,
            endpoint.conversation_id,
            endpoint.far_service,
            endpoint.far_broker_instance,
            destination.address,
            False,
            destination.status,
            endpoint.service_name,
            endpoint.is_initiator,
            destination.route,
        )
    )
