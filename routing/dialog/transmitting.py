"""Messages for a peer that is elsewhere: sent over the network, kept until acknowledged, sent again (ACK-3)."""

from __future__ import annotations

from collections.abc import Iterable

from routing.adjacent.fragment import Range
from routing.common.broker_events import (
    Acknowledgement,
    MessagesSent,
    OfAcknowledgement,
    OfConversation,
    OfSent,
)
from routing.common.retry import wait
from routing.dialog.arriving import close
from routing.dialog.endpoint import Endpoint
from routing.dialog.envelope import Envelope, guard_of
from routing.dialog.fragments import count, piece
from routing.dialog.messages import Outgoing
from routing.dialog.receipts import next_sequence, said
from routing.dialog.sending import NotSent, acknowledge, begin_again, forget_settled, in_flight, note_whole, to_send
from routing.dialog.states import DO, END_ACKNOWLEDGED
from routing.dialog.transmission import Transmission
from routing.dialog.work import Place, Work
from routing.security.policy import NO_BINDING

_RECEIVED = (OfAcknowledgement.MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED, OfAcknowledgement.ACKNOWLEDGEMENT_RECEIVED)
"""What tells the sender of the messages that they were acknowledged."""


def transmit(work: Work, endpoint: Endpoint, place: Place, *, again: bool) -> None:
    """What waits in an own endpoint, to the next hop, as far as its window lets it."""
    guard = guard_of(work, endpoint)
    if guard is None:
        postpone(work, endpoint, NO_BINDING)
        return
    transmission = work.transmission(endpoint)
    endpoint.kept_route, endpoint.kept_identifier, endpoint.kept_database = place.route, place.identifier, None
    work.set_status(endpoint, 0)
    is_repeated = again and endpoint.in_flight > 0
    if again:
        _doubt(work, endpoint, place)
        begin_again(endpoint, transmission)
    limit = endpoint.fragment_bytes = endpoint.fragment_bytes or work.around.settings.fragment_bytes
    room = max(work.around.settings.window - in_flight(endpoint, transmission), 0)
    envelope = Envelope(work, endpoint, place, guard)
    is_new_to_peer = not endpoint.is_initiator and endpoint.security_timestamp is None
    received = _received(work, endpoint, is_new_to_peer)
    is_told = False
    rows, most = _affordable(work, endpoint, limit)
    left: dict[int, Outgoing] = {}
    before = work.outbound_bytes
    for row, fragment, fragments in to_send(endpoint, transmission, rows, limit, min(room, most)):
        body = row.message_body or b""
        part = piece(body, fragment, limit) if fragments > 1 else body
        work.outbound_bytes += len(part)
        envelope.sequenced(row, part, fragment, fragments, received)
        if received and not is_told:
            tell_acknowledgement(work, endpoint, OfAcknowledgement.MESSAGE_WITH_ACKNOWLEDGEMENT_SENT, received)
            work.owed.pop(endpoint.conversation_handle, None)
            is_told = True
        if not is_new_to_peer:
            received = ()
        endpoint.transmitted = max(endpoint.transmitted, row.message_sequence_number + 1)
        left[row.message_sequence_number] = row
    if left:
        _tell_sent(work, endpoint, place, left, work.outbound_bytes - before, is_repeated=is_repeated)
    if _settle(work, endpoint, transmission):
        settled(work, endpoint)
    schedule(work, endpoint)


def _tell_sent(
    work: Work, endpoint: Endpoint, place: Place, left: dict[int, Outgoing], size: int, *, is_repeated: bool
) -> None:
    """Messages Sent, of all that left of an endpoint at once."""
    first = min(left)
    work.changes.events.append(
        MessagesSent(
            OfSent.SENT_AGAIN if is_repeated else OfSent.SENT,
            endpoint.database,
            endpoint.conversation_id,
            endpoint.conversation_handle,
            endpoint.is_initiator,
            endpoint.service_name,
            endpoint.far_service,
            endpoint.far_broker_instance,
            place.route,
            place.address,
            endpoint.attempts,
            first,
            max(left),
            len(left),
            size,
            left[first].enqueue_time,
        )
    )


def _affordable(work: Work, endpoint: Endpoint, limit: int) -> tuple[list[Outgoing], int]:
    """Of what was claimed to be sent, as much as the batch still may send, and how many fragments that is."""
    left = work.around.settings.batch_bytes - work.outbound_bytes
    rows: list[Outgoing] = []
    fragments = 0
    for row in work.outgoing.get(endpoint.conversation_handle, ()):
        if left <= 0:
            break
        size = len(row.message_body or b"")
        rows.append(row)
        fragments += min(count(size, limit), count(left, limit))
        left -= size
    return rows, fragments


def _doubt(work: Work, endpoint: Endpoint, place: Place) -> None:
    """What was sent was not acknowledged in time."""
    if endpoint.in_flight:
        endpoint.attempts += 1
        work.around.doubt(place.address, endpoint.far_service)


def schedule(work: Work, endpoint: Endpoint) -> None:
    """When an own endpoint that sends over the network does so next."""
    if endpoint.next_attempt is None and endpoint.in_flight:
        endpoint.next_attempt = work.now + wait(endpoint.attempts + 1, work.choices)
    if endpoint.sending_sequence < endpoint.send_sequence and has_room(work, endpoint):
        endpoint.ready_since = work.now


def has_room(work: Work, endpoint: Endpoint) -> bool:
    """Whether more of an endpoint may be on its way: what waits for an acknowledgement does not fill its window."""
    if endpoint.transmission_status:
        return False
    transmission = work.transmissions.get(endpoint.conversation_handle)
    flying = in_flight(endpoint, transmission) if transmission else endpoint.in_flight
    return flying < work.around.settings.window


def postpone(work: Work, endpoint: Endpoint, status: int) -> None:
    """Nothing of it can go now."""
    endpoint.attempts += 1
    work.set_status(endpoint, status)
    endpoint.ready_since = None
    endpoint.next_attempt = work.now + wait(endpoint.attempts, work.choices)


def take_acknowledgement(work: Work, endpoint: Endpoint, ranges: tuple[Range, ...], kind: OfAcknowledgement) -> bool:
    """The peer of an own endpoint has these: they leave the transmission queue (ACK-5). False: it is not news."""
    tell_acknowledgement(work, endpoint, kind, ranges)
    if not endpoint.outgoing:
        return False  # of what nobody waits for any more
    transmission = work.transmission(endpoint)
    try:
        acknowledged = acknowledge(transmission.acknowledged, ranges, endpoint.transmitted)
    except NotSent:
        database, conversation = endpoint.database, endpoint.conversation_id
        work.undeliverable(database, conversation, 0, endpoint.acknowledged_sequence, 28010)
        return False
    if acknowledged == transmission.acknowledged:
        return False
    transmission.acknowledged = acknowledged
    note_whole(transmission)
    _settle(work, endpoint, transmission)
    endpoint.next_attempt = None
    settled(work, endpoint)
    schedule(work, endpoint)
    return True


def _settle(work: Work, endpoint: Endpoint, transmission: Transmission) -> bool:
    """What has arrived, in order, out of the transmission queue; whether anything has."""
    below = next_sequence(transmission.acknowledged)
    if below <= endpoint.acknowledged_sequence:
        return False
    work.settle(endpoint, below)
    forget_settled(endpoint, transmission)
    return True


def settled(work: Work, endpoint: Endpoint) -> None:
    """Messages of an own endpoint have arrived. If the one that ended the conversation has, this side is through."""
    endpoint.attempts = 0
    work.set_status(endpoint, 0)
    if endpoint.state == DO and endpoint.outgoing == 0:
        work.step(endpoint, END_ACKNOWLEDGED)
        work.tell(OfConversation.RECEIVED_END_CONVERSATION_ACK, endpoint)
        close(work, endpoint)


def _received(work: Work, endpoint: Endpoint, is_new_to_peer: bool) -> tuple[Range, ...]:
    """The acknowledgement that rides: where one is owed, and on all that a target sends while its initiator may not
    know it (RT-PIN)."""
    if not is_new_to_peer and endpoint.conversation_handle not in work.owed:
        return ()
    return tuple(map(Range._make, said(work.received(endpoint))))


def tell_acknowledgement(work: Work, endpoint: Endpoint, subclass: OfAcknowledgement, ranges: Iterable[Range]) -> None:
    """Remote Message Acknowledgement, an event for each range."""
    from_initiator = endpoint.is_initiator == (subclass in _RECEIVED)
    for first, _, last, fragment in ranges:
        work.changes.events.append(
            Acknowledgement(
                subclass, endpoint.database, endpoint.conversation_id, last, fragment, first, from_initiator
            )
        )
