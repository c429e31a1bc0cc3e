"""Unsequenced control messages: broker errors and standalone acknowledgements (DLG-UNSEQ).

They are not retransmitted: if one is lost, the peer resends the original message, which triggers another.
"""

from __future__ import annotations

from routing.adjacent.fragment import AckRange
from routing.adjacent.guard import FragmentGuard
from routing.common.event_subclasses import AcknowledgementSubclass
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragment_writer import FragmentWriter, guard_for
from routing.dialog.inbound_message import receive_error
from routing.dialog.pinning import is_other_peer, pin
from routing.dialog.received_ranges import ack_ranges
from routing.dialog.retransmission import receive_ack, report_ack
from routing.dialog.unit_of_work import UnitOfWork


def send_error(work: UnitOfWork, side: Endpoint, body: bytes, guard: FragmentGuard | None) -> None:
    """Send a broker error to the peer of `side`, which need not be a stored endpoint. `guard` None: its database lacks
    the keys, and nothing can be sent over the network."""
    destination = work.destination(side)
    if destination.address:
        if guard is not None:
            FragmentWriter(work, side, destination, guard).error(body)
    elif (peer := _local_peer(work, side)) is not None:
        receive_error(work, peer, body)


def send_due_acks(work: UnitOfWork) -> None:
    """Send a standalone acknowledgement for every endpoint whose acknowledgement was not piggybacked (ACK-1)."""
    for handle in work.acks_due:
        seen = work.get(handle)
        if seen is not None:
            send_ack(work, seen)
    work.acks_due.clear()


def send_ack(work: UnitOfWork, side: Endpoint) -> None:
    """Send a standalone acknowledgement of everything received; nothing if the peer cannot be reached."""
    ranges = tuple(map(AckRange._make, ack_ranges(work.received_ranges(side))))
    guard = guard_for(work, side)
    if not ranges or guard is None:
        return
    destination = work.destination(side)
    if destination.address:
        FragmentWriter(work, side, destination, guard).acknowledgement(ranges)
        report_ack(work, side, AcknowledgementSubclass.ACKNOWLEDGEMENT_SENT, ranges)
    elif (peer := _local_peer(work, side)) is not None and receive_ack(
        work, peer, ranges, AcknowledgementSubclass.ACKNOWLEDGEMENT_RECEIVED
    ):
        pin(peer, _own_broker_instance(work, side))


def _local_peer(work: UnitOfWork, side: Endpoint) -> Endpoint | None:
    """Return a writable copy of the peer endpoint if it is on this instance and its peer is `side`, else None."""
    peer = work.by_key(side.peer)
    if peer is None or is_other_peer(peer, _own_broker_instance(work, side)):
        return None
    return work.for_update(peer)


def _own_broker_instance(work: UnitOfWork, side: Endpoint) -> str | None:
    return work.context.directory(side.database).broker_instance
