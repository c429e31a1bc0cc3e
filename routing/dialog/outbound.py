"""Where a message goes that is sent: straight into the queue of a local target, else into the transmission queue."""

from __future__ import annotations

from routing.common.broker_events import ClassifySubclass, MessageClassify
from routing.dialog.endpoint import Endpoint
from routing.dialog.inbound_message import ReceiptAnswer, receive_error, receive_message
from routing.dialog.messages import InboundMessage, OutboundMessage
from routing.dialog.retransmission import has_window_room, note_delivered, postpone, transmit
from routing.dialog.unit_of_work import Destination, UnitOfWork


def enqueue(
    work: UnitOfWork,
    endpoint: Endpoint,
    message_type: str,
    body: bytes | None,
    is_end_of_dialog: bool = False,
    is_conversation_error: bool = False,
) -> None:
    """The next message of an own endpoint. TOB-3: straight into the queue where that is local and on, and nothing
    of the conversation waits before it."""
    message = OutboundMessage(
        endpoint.conversation_handle,
        endpoint.send_sequence,
        message_type,
        body,
        work.now,
        is_end_of_dialog,
        is_conversation_error,
    )
    endpoint.send_sequence += 1
    if endpoint.outgoing:
        work.post(endpoint, message)
        if has_window_room(work, endpoint):
            endpoint.ready_since = endpoint.ready_since or work.now
        return
    place = work.place(endpoint)
    if place.address:
        work.post(endpoint, message)
        endpoint.ready_since = work.now  # the drain sends it, after the commit
        return
    _report_classified(work, endpoint, place)
    answer = _deliver_locally(work, endpoint, message, place)
    if answer.taken:
        note_delivered(work, endpoint)
    elif answer.error is not None:
        receive_error(work, endpoint, answer.error)
    else:
        work.post(endpoint, message)
        postpone(work, endpoint, answer.waits)


def attempt_delivery(work: UnitOfWork, endpoint: Endpoint, *, again: bool) -> None:
    """What waits in an own endpoint, as far as it can go now. `again`: also what was sent and not acknowledged."""
    endpoint.ready_since = None
    if again:
        endpoint.next_attempt = None
    if not endpoint.outgoing:
        return
    place = work.place(endpoint)
    _report_classified(work, endpoint, place)
    if place.address:
        transmit(work, endpoint, place, again=again)
    elif again or not endpoint.in_flight:
        _attempt_locally(work, endpoint, place)
    else:
        endpoint.next_attempt = work.now  # its way has become a local one: with what is in flight, in order


def _attempt_locally(work: UnitOfWork, endpoint: Endpoint, place: Destination) -> None:
    """In its order, as far as it is taken now."""
    for message in work.outgoing.get(endpoint.conversation_handle, ()):
        answer = _deliver_locally(work, endpoint, message, place)
        if answer.error is not None:
            receive_error(work, endpoint, answer.error)
            return
        if not answer.taken:
            postpone(work, endpoint, answer.waits)
            return
        note_delivered(work, endpoint)
    if endpoint.outgoing:
        endpoint.next_attempt = work.now


def _deliver_locally(
    work: UnitOfWork, endpoint: Endpoint, message: OutboundMessage, place: Destination
) -> ReceiptAnswer:
    """To the endpoint's peer, if its database is of this instance."""
    here = place.directory
    if here is None:
        return ReceiptAnswer(taken=False, waits=place.status)
    endpoint.kept_route, endpoint.kept_identifier = place.route, place.identifier
    endpoint.kept_database = here.database
    answer = receive_message(work, here, _as_inbound(work, endpoint, message))
    if answer.taken:
        if endpoint.outgoing:
            work.settle(endpoint, message.message_sequence_number + 1)
        else:
            _skip_transmission_queue(endpoint)
        endpoint.far_broker_instance = here.broker_instance  # RT-PIN
        _note_replay_impossible(work, endpoint)
    return answer


def _skip_transmission_queue(endpoint: Endpoint) -> None:
    """TOB-3: the message has arrived without ever standing in the transmission queue."""
    endpoint.acknowledged_sequence = endpoint.sending_sequence = endpoint.transmitted = endpoint.send_sequence


def _as_inbound(work: UnitOfWork, endpoint: Endpoint, message: OutboundMessage) -> InboundMessage:
    return InboundMessage(
        endpoint.conversation_id,
        endpoint.is_initiator,
        endpoint.service_name,
        work.around.directory(endpoint.database).broker_instance,
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
    """The first message is gone from its sender with the same commit: its target knows."""
    if endpoint.is_initiator and endpoint.acknowledged_sequence == 1 and (target := work.of(endpoint.peer)) is not None:
        work.own(target).security_timestamp = work.now


def _report_classified(work: UnitOfWork, endpoint: Endpoint, place: Destination) -> None:
    if place.directory is not None:
        kind = ClassifySubclass.LOCAL
    else:
        kind = ClassifySubclass.DELAYED if place.status else ClassifySubclass.REMOTE
    work.changes.events.append(
        MessageClassify(
            kind,
            endpoint.database,
            endpoint.conversation_id,
            endpoint.far_service,
            endpoint.far_broker_instance,
            place.address,
            False,
            place.status,
            endpoint.service_name,
            endpoint.is_initiator,
            place.route,
        )
    )
