"""Fragments that cannot be received yet: their message is not whole, or before its turn, or its queue is off."""

from __future__ import annotations

from routing.adjacent.fragment import Header
from routing.dialog.answering import tell_error
from routing.dialog.arriving import in_turn
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint
from routing.dialog.envelope import guard_of
from routing.dialog.messages import Arriving, Held
from routing.dialog.receipts import has_whole
from routing.dialog.retry import LONGEST_MS
from routing.dialog.work import Work


def hold(work: Work, endpoint: Endpoint, header: Header, message: Arriving) -> None:
    """FRAG-3: in the target queue with status 2, or in the transmission queue while that is off (NET-2)."""
    work.hold(
        endpoint,
        Held(
            endpoint.conversation_handle,
            header.sequence,
            header.fragment,
            header.fragments,
            message.message_type_name,
            message.message_body or b"",
            work.now,
            message.is_end_of_dialog,
            message.is_conversation_error,
        ),
    )
    look_for_ready(work, endpoint)


def held_as(work: Work, endpoint: Endpoint, number: int) -> int:
    """How many fragments a message has of which some are held; 0: none is."""
    if not endpoint.held:
        return 0
    kept = work.batch.held.get(endpoint.conversation_handle, ())
    found = next((part.fragments for part in kept if part.message_sequence_number == number), 0)
    key = (endpoint.conversation_handle, number)
    return found or next((one.fragments for one in work.changes.held if one.key == key), 0)


def look_for_ready(work: Work, endpoint: Endpoint) -> None:
    """Note an endpoint whose next message is here, whole."""
    if endpoint.held and has_whole(work.received(endpoint), endpoint.receive_sequence):
        work.ready[endpoint.conversation_handle] = None


def bodies_wanted(work: Work) -> tuple[tuple[str, int], ...]:
    """The held messages, by handle and number, that `take_up` needs and the batch does not have."""
    wanted = []
    for handle in work.ready:
        endpoint = work.seen(handle)
        if endpoint is None or work.is_off(endpoint.queue_key):
            continue
        kept = {part.message_sequence_number for part in work.batch.held.get(handle, ())}
        number = endpoint.receive_sequence
        while has_whole(work.received(endpoint), number):
            if number in kept:
                wanted.append((handle, number))
            number += 1
    return tuple(wanted)


def take_up(work: Work) -> None:
    """What was held and can be received now, into its queue, in its order."""
    for handle in tuple(work.ready):
        seen = work.seen(handle)
        if seen is not None:
            _take_up(work, work.own(seen))
    work.ready.clear()


def _take_up(work: Work, endpoint: Endpoint) -> None:
    endpoint.take_up_at = None
    here = work.around.directory(endpoint.database)
    while endpoint.held and has_whole(work.received(endpoint), endpoint.receive_sequence):
        if work.is_off(endpoint.queue_key):
            endpoint.take_up_at = work.now + LONGEST_MS  # should nobody say that it is on again
            return
        fragments = _fragments(work, endpoint.conversation_handle, endpoint.receive_sequence)
        work.unhold(endpoint, fragments)
        if not deliver(work, here, endpoint, _joined(work, endpoint, fragments)):
            return


def _fragments(work: Work, handle: str, number: int) -> tuple[Held, ...]:
    new = [one for one in work.changes.held if one.key == (handle, number)]
    return tuple(sorted((*work.batch.bodies.get((handle, number), ()), *new), key=lambda one: one.fragment))


def _joined(work: Work, endpoint: Endpoint, fragments: tuple[Held, ...]) -> Arriving:
    first = fragments[0]
    return Arriving(
        endpoint.conversation_id,
        not endpoint.is_initiator,
        endpoint.far_service,
        endpoint.far_broker_instance,
        endpoint.service_name,
        work.around.directory(endpoint.database).broker_instance,
        endpoint.service_contract_name,
        endpoint.lifetime,
        endpoint.encryption,
        first.message_sequence_number,
        first.message_type_name,
        b"".join(one.body for one in fragments),
        first.is_end_of_dialog,
        first.is_conversation_error,
    )


def deliver(work: Work, here: Directory, endpoint: Endpoint, message: Arriving) -> bool:
    """A whole message in its turn, whose queue is on, for an own endpoint. False: nothing of its sender is taken any
    more, and it was told."""
    answer = in_turn(work, here, endpoint, message)
    if answer.taken:
        look_for_ready(work, endpoint)
        return True
    work.owed.pop(endpoint.conversation_handle, None)
    guard = guard_of(work, endpoint)
    if answer.error is not None and guard is not None:
        tell_error(work, endpoint, answer.error, guard)
    return False
