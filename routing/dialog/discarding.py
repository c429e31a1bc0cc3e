"""Record of the fragments that arrive for an endpoint that has ended: acknowledged, and discarded.

The account is durable, so that no acknowledgement is taken back after a restart (ACK-5): a fragment stays without its
body in the reassembly buffer until everything before it has arrived, and then counts in `receive_sequence`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from routing.adjacent.fragment import Header
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import BufferedFragment, FragmentNumber
from routing.dialog.received_ranges import FragmentOutcome, from_store, next_sequence, record_fragment
from routing.dialog.unit_of_work import UnitOfWork


def discard(work: UnitOfWork, endpoint: Endpoint, header: Header) -> None:
    """Acknowledge and discard a fragment: this side has ended."""
    outcome, received = record_fragment(
        work.received_ranges(endpoint), header.sequence, header.fragment, header.fragments, endpoint.receive_sequence
    )
    if outcome is FragmentOutcome.REFUSED:
        return  # its sender resends it when more has arrived
    work.acks_due[endpoint.conversation_handle] = None
    if outcome is FragmentOutcome.DUPLICATE:
        work.report_duplicate(endpoint, header.sequence)
        return
    endpoint = work.for_update(endpoint)
    number = FragmentNumber(header.sequence, header.fragment, header.fragments)
    work.buffer(endpoint, _without_body(work, endpoint, number))
    work.set_received(endpoint, received)
    _advance(work, endpoint)


def empty_queue_of_ended(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Delete the queued and buffered messages of a writable endpoint that ends, and keep the account of fragments that
    were acknowledged."""
    acknowledged = sorted(_buffered(work, endpoint))
    work.empty_queue(endpoint)
    for number in acknowledged:
        work.buffer(endpoint, _without_body(work, endpoint, number))
    if acknowledged:
        work.set_received(endpoint, from_store(endpoint.receive_sequence, acknowledged))
        _advance(work, endpoint)


def _advance(work: UnitOfWork, endpoint: Endpoint) -> None:
    """Count the messages that have arrived whole, and have all before them, in `receive_sequence`."""
    below = next_sequence(work.received_ranges(endpoint))
    if below <= endpoint.receive_sequence:
        return
    endpoint.receive_sequence = below
    arrived = sorted(part for part in _buffered(work, endpoint) if part.message_sequence_number < below)
    for _, parts in groupby(arrived, key=attrgetter("message_sequence_number")):
        work.unbuffer(endpoint, [_without_body(work, endpoint, part) for part in parts])


def _without_body(work: UnitOfWork, endpoint: Endpoint, number: FragmentNumber) -> BufferedFragment:
    return BufferedFragment(endpoint.conversation_handle, *number, "", b"", work.now_ms)


def _buffered(work: UnitOfWork, endpoint: Endpoint) -> Iterable[FragmentNumber]:
    """Return the fragments in the buffer of an endpoint, stored or new."""
    if not endpoint.held:
        return ()
    handle = endpoint.conversation_handle
    gone = {number for of, number in work.changes.unbuffered if of == handle}
    stored = (part for part in work.batch.buffered.get(handle, ()) if part.message_sequence_number not in gone)
    new = (FragmentNumber(*one[1:4]) for one in work.changes.buffered if one.conversation_handle == handle)
    return {*stored, *new}
