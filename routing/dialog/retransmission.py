"""Send messages over the network, keep them until acknowledged, retransmit them (ACK-3)."""

from __future__ import annotations

from collections.abc import Iterable

from routing.adjacent.fragment import AckRange
from routing.common.broker_events import MessagesSent
from routing.common.event_subclasses import AcknowledgementSubclass, ConversationSubclass, SentSubclass
from routing.common.network_events import Acknowledgement
from routing.common.retry import retry_delay_ms
from routing.dialog.broker_context import Destination
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragment_writer import FragmentWriter, guard_for
from routing.dialog.fragmentation import fragment_body, fragment_count
from routing.dialog.inbound_message import close_endpoint
from routing.dialog.messages import OutboundMessage
from routing.dialog.received_ranges import ack_ranges, next_sequence
from routing.dialog.send_window import (
    AckOfUnsentError,
    apply_ack_ranges,
    forget_settled,
    fragments_in_flight,
    mark_arrived_messages,
    next_fragments,
    restart,
)
from routing.dialog.states import DO, END_ACKNOWLEDGED
from routing.dialog.transmission import Transmission
from routing.dialog.unit_of_work import UnitOfWork
from routing.security.policy import NO_BINDING

_RECEIVED = (
    AcknowledgementSubclass.MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED,
    AcknowledgementSubclass.ACKNOWLEDGEMENT_RECEIVED,
)
"""Subclasses reported by the sender of the acknowledged messages."""


def transmit(work: UnitOfWork, endpoint: Endpoint, destination: Destination, *, again: bool) -> None:
    """Send the waiting messages of a writable endpoint to the next hop, up to its window. `again`: retransmit."""
    guard = guard_for(work, endpoint)
    if guard is None:
        postpone(work, endpoint, NO_BINDING)
        return
    transmission = work.transmission(endpoint)
    endpoint.kept_route, endpoint.kept_identifier, endpoint.kept_database = (
        destination.route,
        destination.identifier,
        None,
    )
    work.set_status(endpoint, 0)
    is_repeated = again and endpoint.in_flight > 0
    if again:
        _report_unacknowledged(work, endpoint, destination)
        restart(endpoint, transmission)
    limit = endpoint.fragment_bytes = endpoint.fragment_bytes or work.context.settings.fragment_bytes
    room = max(work.context.settings.window - fragments_in_flight(endpoint, transmission), 0)
    envelope = FragmentWriter(work, endpoint, destination, guard)
    is_new_to_peer = not endpoint.is_initiator and endpoint.security_timestamp is None
    received = _piggyback_ack(work, endpoint, is_new_to_peer)
    is_ack_reported = False
    rows, most = _affordable(work, endpoint, limit)
    left: dict[int, OutboundMessage] = {}
    size = 0
    for row, fragment, fragments in next_fragments(endpoint, transmission, rows, limit, min(room, most)):
        body = row.message_body or b""
        part = fragment_body(body, fragment, limit) if fragments > 1 else body
        size += len(part)
        envelope.sequenced(row, part, fragment, fragments, received)
        if received and not is_ack_reported:
            report_ack(work, endpoint, AcknowledgementSubclass.MESSAGE_WITH_ACKNOWLEDGEMENT_SENT, received)
            work.acks_due.pop(endpoint.conversation_handle, None)
            is_ack_reported = True
        if not is_new_to_peer:
            received = ()
        left[row.message_sequence_number] = row
    work.outbound_bytes += size
    if left:
        endpoint.transmitted = max(endpoint.transmitted, max(left) + 1)
        _report_sent(work, endpoint, destination, left, size, is_repeated=is_repeated)
    if _settle(work, endpoint, transmission):
        note_delivered(work, endpoint)
    schedule_next_attempt(work, endpoint)


def _report_sent(
    work: UnitOfWork,
    endpoint: Endpoint,
    destination: Destination,
    left: dict[int, OutboundMessage],
    size: int,
    *,
    is_repeated: bool,
) -> None:
    """Report one event BrokerUI:Messages Sent for all messages sent together."""
    first = min(left)
    work.changes.events.append(
        # Positional: keywords would triple the cost of this call, once per message.
        MessagesSent(
            SentSubclass.SENT_AGAIN if is_repeated else SentSubclass.SENT,
            endpoint.database,
            endpoint.conversation_id,
            endpoint.conversation_handle,
            endpoint.is_initiator,
            endpoint.service_name,
            endpoint.far_service,
            endpoint.far_broker_instance,
            destination.route,
            destination.address,
            endpoint.attempts,
            first,
            max(left),
            len(left),
            size,
            left[first].enqueue_time,
        )
    )


def _affordable(work: UnitOfWork, endpoint: Endpoint, limit: int) -> tuple[list[OutboundMessage], int]:
    """Return the claimed messages that fit into the batch's remaining bytes, and their number of fragments."""
    left = work.context.settings.batch_bytes - work.outbound_bytes
    rows: list[OutboundMessage] = []
    fragments = 0
    for row in work.outgoing.get(endpoint.conversation_handle, ()):
        if left <= 0:
            break
        size = len(row.message_body or b"")
        rows.append(row)
        fragments += 1 if size <= limit else min(fragment_count(size, limit), fragment_count(left, limit))
        left -= size
    return rows, fragments


def _report_unacknowledged(work: UnitOfWork, endpoint: Endpoint, destination: Destination) -> None:
    """Count a failed attempt and report the next hop: sent messages were not acknowledged in time."""
    if endpoint.in_flight:
        endpoint.attempts += 1
        work.context.report_unacknowledged(destination.address, endpoint.far_service)


def schedule_next_attempt(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Set the time at which a writable endpoint sends next over the network."""
    if endpoint.next_attempt is None and endpoint.in_flight:
        endpoint.next_attempt = work.now_ms + retry_delay_ms(endpoint.attempts + 1, work.choices)
    if endpoint.sending_sequence < endpoint.send_sequence and has_window_room(work, endpoint):
        endpoint.ready_since = work.now_ms


def has_window_room(work: UnitOfWork, endpoint: Endpoint) -> bool:
    """Return True if unacknowledged fragments do not fill the endpoint's window."""
    if endpoint.transmission_status:
        return False
    transmission = work.transmissions.get(endpoint.conversation_handle)
    flying = fragments_in_flight(endpoint, transmission) if transmission else endpoint.in_flight
    return flying < work.context.settings.window


def postpone(work: UnitOfWork, endpoint: Endpoint, status: int) -> None:
    """Set the reason why nothing can be sent now, and the time of the next attempt."""
    endpoint.attempts += 1
    work.set_status(endpoint, status)
    endpoint.ready_since = None
    endpoint.next_attempt = work.now_ms + retry_delay_ms(endpoint.attempts, work.choices)


def receive_ack(
    work: UnitOfWork, endpoint: Endpoint, ranges: tuple[AckRange, ...], kind: AcknowledgementSubclass
) -> bool:
    """Apply acknowledged ranges and delete those messages from the transmission queue. False: nothing new."""
    report_ack(work, endpoint, kind, ranges)
    if not endpoint.outgoing:
        return False  # nothing is waiting for it
    transmission = work.transmission(endpoint)
    try:
        acknowledged = apply_ack_ranges(transmission.acknowledged, ranges, endpoint.transmitted)
    except AckOfUnsentError:
        database, conversation = endpoint.database, endpoint.conversation_id
        work.report_undeliverable(database, conversation, 0, endpoint.acknowledged_sequence, 28010)
        return False
    if acknowledged == transmission.acknowledged:
        return False
    transmission.acknowledged = acknowledged
    mark_arrived_messages(transmission)
    _settle(work, endpoint, transmission)
    endpoint.next_attempt = None
    note_delivered(work, endpoint)
    schedule_next_attempt(work, endpoint)
    return True


def _settle(work: UnitOfWork, endpoint: Endpoint, transmission: Transmission) -> bool:
    """Delete the contiguously acknowledged messages from the transmission queue. True if there were any."""
    below = next_sequence(transmission.acknowledged)
    if below <= endpoint.acknowledged_sequence:
        return False
    work.mark_acknowledged(endpoint, below)
    forget_settled(endpoint, transmission)
    return True


def note_delivered(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Reset the retry state after an acknowledgement. Close the endpoint if its EndDialog or Error was the last one."""
    endpoint.attempts = 0
    work.set_status(endpoint, 0)
    if endpoint.state == DO and endpoint.outgoing == 0:
        work.apply_input(endpoint, END_ACKNOWLEDGED)
        work.report(ConversationSubclass.RECEIVED_END_CONVERSATION_ACK, endpoint)
        close_endpoint(work, endpoint)


def _piggyback_ack(work: UnitOfWork, endpoint: Endpoint, is_new_to_peer: bool) -> tuple[AckRange, ...]:
    """Return the acknowledgement to piggyback: if one is due, and always from a target not pinned yet (RT-PIN)."""
    if not is_new_to_peer and endpoint.conversation_handle not in work.acks_due:
        return ()
    return tuple(map(AckRange._make, ack_ranges(work.received_ranges(endpoint))))


def report_ack(
    work: UnitOfWork, endpoint: Endpoint, subclass: AcknowledgementSubclass, ranges: Iterable[AckRange]
) -> None:
    """Report event Broker:Remote Message Acknowledgement, once per range."""
    from_initiator = endpoint.is_initiator == (subclass in _RECEIVED)
    for first, _, last, fragment in ranges:
        work.changes.events.append(
            Acknowledgement(
                subclass=subclass,
                database=endpoint.database,
                conversation_id=endpoint.conversation_id,
                message_sequence_number=last,
                fragment=fragment,
                first_message_sequence_number=first,
                from_initiator=from_initiator,
            )
        )
