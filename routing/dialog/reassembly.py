"""Reassembly buffer: fragments whose message is incomplete, out of order, or addressed to a queue that is off."""

from __future__ import annotations

from collections.abc import Iterator

from routing.adjacent.fragment import Header
from routing.common.retry import LONGEST_MS
from routing.dialog.control_messages import send_error
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragment_writer import guard_for
from routing.dialog.fragmentation import message_span, position
from routing.dialog.inbound_message import accept_in_turn, validate
from routing.dialog.messages import BufferedFragment, InboundMessage
from routing.dialog.received_ranges import has_whole
from routing.dialog.states import SI
from routing.dialog.unit_of_work import UnitOfWork


def buffer(work: UnitOfWork, endpoint: Endpoint, header: Header, message: InboundMessage) -> None:
    """Buffer a fragment (FRAG-3, NET-2) and note whether its message is now complete."""
    work.buffer(
        endpoint,
        BufferedFragment(
            conversation_handle=endpoint.conversation_handle,
            message_sequence_number=header.sequence,
            fragment=header.fragment,
            fragments=header.fragments,
            message_type_name=message.message_type_name,
            body=message.message_body or b"",
            enqueue_time=work.now_ms,
            is_end_of_dialog=message.is_end_of_dialog,
            is_conversation_error=message.is_conversation_error,
        ),
    )
    if header.fragments > 1 and has_whole(work.received_ranges(endpoint), header.sequence):
        work.completed[endpoint.conversation_handle, header.sequence] = None
    mark_if_ready(work, endpoint)


def buffered_fragment_count(work: UnitOfWork, endpoint: Endpoint, number: int) -> int:
    """Return the fragment count of a message with buffered fragments; 0 if none is buffered."""
    if not endpoint.held:
        return 0
    kept = work.batch.buffered.get(endpoint.conversation_handle, ())
    found = next((part.fragments for part in kept if part.message_sequence_number == number), 0)
    key = (endpoint.conversation_handle, number)
    return found or next((one.fragments for one in work.changes.buffered if one.key == key), 0)


def mark_if_ready(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Mark the endpoint ready if its next expected message is complete."""
    if endpoint.held and has_whole(work.received_ranges(endpoint), endpoint.receive_sequence):
        work.ready[endpoint.conversation_handle] = None


def bodies_needed(work: UnitOfWork) -> tuple[tuple[str, int], ...]:
    """Return the stored messages, by handle and number, whose bodies `release_ready` must load."""
    wanted = dict.fromkeys(_completed_to_validate(work))
    for handle in work.ready:
        endpoint = work.get(handle)
        if endpoint is None or work.is_queue_off(endpoint.queue_key):
            continue
        kept = _stored_messages(work, handle)
        number = endpoint.receive_sequence
        while has_whole(work.received_ranges(endpoint), number):
            if number in kept:
                wanted[handle, number] = None
            number += 1
    return tuple(wanted)


def _completed_to_validate(work: UnitOfWork) -> Iterator[tuple[str, int]]:
    """Yield messages completed in this batch whose bodies must be validated."""
    for handle, number in work.completed:
        endpoint = work.get(handle)
        new = _new_fragments(work, handle, number)
        if endpoint is None or not new or number not in _stored_messages(work, handle):
            continue
        if work.context.directory(endpoint.database).validation(new[0].message_type_name) != "NONE":
            yield handle, number


def _stored_messages(work: UnitOfWork, handle: str) -> set[int]:
    """Return the numbers of messages with fragments already stored in the buffer."""
    return {part.message_sequence_number for part in work.batch.buffered.get(handle, ())}


def _new_fragments(work: UnitOfWork, handle: str, number: int) -> list[BufferedFragment]:
    """Return the fragments of a message that this batch buffers."""
    return [one for one in work.changes.buffered if one.key == (handle, number)]


def release_ready(work: UnitOfWork) -> None:
    """Move complete, in-order messages from the buffer to their queue. Drop complete but invalid ones."""
    for handle in tuple(work.ready):
        seen = work.get(handle)
        if seen is not None:
            _release(work, work.for_update(seen))
    work.ready.clear()
    for handle, number in work.completed:
        _drop_if_invalid(work, handle, number)
    work.completed.clear()


def _release(work: UnitOfWork, endpoint: Endpoint) -> None:
    endpoint.take_up_at = None
    here = work.context.directory(endpoint.database)
    while endpoint.held and has_whole(work.received_ranges(endpoint), endpoint.receive_sequence):
        if work.is_queue_off(endpoint.queue_key):
            endpoint.take_up_at = work.now_ms + LONGEST_MS  # fallback if the switch-on is missed
            return
        handle, number = endpoint.conversation_handle, endpoint.receive_sequence
        fragments = _all_fragments(work, handle, number)
        is_judged = (handle, number) not in work.completed
        if not deliver(work, here, endpoint, _joined(work, endpoint, fragments), is_judged=is_judged):
            _leave_to_sender(work, endpoint, number)
            return
        if endpoint.held:  # a closed endpoint has an empty buffer already
            work.unbuffer(endpoint, fragments)


def _drop_if_invalid(work: UnitOfWork, handle: str, number: int) -> None:
    endpoint = work.get(handle)
    if endpoint is None or not _new_fragments(work, handle, number):
        return
    here = work.context.directory(endpoint.database)
    if reject_if_invalid(work, here, endpoint, _joined(work, endpoint, _all_fragments(work, handle, number))):
        _leave_to_sender(work, work.for_update(endpoint), number)


def reject_if_invalid(work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage) -> bool:
    """Report a complete, out-of-order message as undeliverable if it is invalid; return True if so.

    It is not acknowledged: its sender resends it until it is in turn. If it were acknowledged now and the error to the
    sender were lost, no second error would be sent (DLG-UNSEQ)."""
    _, objection = validate(here, endpoint, message)
    if objection is not None:
        number, expected = message.message_sequence_number, endpoint.receive_sequence
        work.report_undeliverable(here.database, message.conversation_id, number, expected, objection.reason)
    return objection is not None


def _leave_to_sender(work: UnitOfWork, endpoint: Endpoint, number: int) -> None:
    """Keep one fragment of a message completed in this batch out of the buffer, so that it is not acknowledged."""
    if new := _new_fragments(work, endpoint.conversation_handle, number):
        left = max(new, key=lambda one: one.fragment)
        work.unbuffer_new(endpoint, left)
        others = (
            part.fragment for part in work.batch.buffered.get(endpoint.conversation_handle, ()) if part[0] == number
        )
        received = work.received_ranges(endpoint).without_range(*message_span(number))
        for fragment in (*others, *(one.fragment for one in new if one is not left)):
            received = received.with_range(position(number, fragment), position(number, fragment))
        work.set_received(endpoint, received)


def remove_if_empty(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Remove an endpoint created in this batch if its first fragment was not kept."""
    if endpoint.state == SI and not endpoint.held and work.is_new(endpoint):
        work.remove(endpoint)


def _all_fragments(work: UnitOfWork, handle: str, number: int) -> tuple[BufferedFragment, ...]:
    kept = work.batch.bodies.get((handle, number), ())
    return tuple(sorted((*kept, *_new_fragments(work, handle, number)), key=lambda one: one.fragment))


def _joined(work: UnitOfWork, endpoint: Endpoint, fragments: tuple[BufferedFragment, ...]) -> InboundMessage:
    first = fragments[0]
    return InboundMessage(
        conversation_id=endpoint.conversation_id,
        from_initiator=not endpoint.is_initiator,
        from_service=endpoint.far_service,
        from_broker_instance=endpoint.far_broker_instance,
        to_service=endpoint.service_name,
        to_broker_instance=work.context.directory(endpoint.database).broker_instance,
        service_contract_name=endpoint.service_contract_name,
        lifetime=endpoint.lifetime,
        encryption=endpoint.encryption,
        message_sequence_number=first.message_sequence_number,
        message_type_name=first.message_type_name,
        message_body=b"".join(one.body for one in fragments),
        is_end_of_dialog=first.is_end_of_dialog,
        is_conversation_error=first.is_conversation_error,
    )


def deliver(
    work: UnitOfWork, here: Directory, endpoint: Endpoint, message: InboundMessage, *, is_judged: bool = False
) -> bool:
    """Deliver the next expected message, complete, to a queue that is on. False: refused; the sender got the error."""
    answer = accept_in_turn(work, here, endpoint, message, is_judged=is_judged)
    if answer.taken:
        mark_if_ready(work, endpoint)
        return True
    work.acks_due.pop(endpoint.conversation_handle, None)
    guard = guard_for(work, endpoint)
    if answer.error is not None and guard is not None:
        send_error(work, endpoint, answer.error, guard)
    return False
