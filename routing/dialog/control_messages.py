"""What one side tells the other by itself: errors of the broker, and dedicated acknowledgements (DLG-UNSEQ).

Nobody cares for their delivery: if one is lost, the original comes again and makes another.
"""

from __future__ import annotations

from routing.adjacent.fragment import AckRange
from routing.adjacent.guard import FragmentGuard
from routing.common.broker_events import AcknowledgementSubclass
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragment_writer import FragmentWriter, guard_for
from routing.dialog.inbound_message import receive_error
from routing.dialog.pinning import is_other_peer, pin
from routing.dialog.received_ranges import ack_ranges
from routing.dialog.retransmission import receive_ack, report_ack
from routing.dialog.unit_of_work import UnitOfWork


def send_error(work: UnitOfWork, side: Endpoint, body: bytes, guard: FragmentGuard) -> None:
    """An Error for the peer of a side, which need not have an endpoint."""
    place = work.place(side)
    if place.address:
        FragmentWriter(work, side, place, guard).error(body)
    elif (peer := _local_peer(work, side)) is not None:
        receive_error(work, peer, body)


def send_due_acks(work: UnitOfWork) -> None:
    """What is owed and has not ridden on anything (ACK-1)."""
    for handle in work.owed:
        seen = work.seen(handle)
        if seen is not None:
            send_ack(work, seen)
    work.owed.clear()


def send_ack(work: UnitOfWork, side: Endpoint) -> None:
    """A dedicated acknowledgement of all that an endpoint has received; nothing where the peer cannot be told."""
    ranges = tuple(map(AckRange._make, ack_ranges(work.received(side))))
    guard = guard_for(work, side)
    if not ranges or guard is None:
        return
    place = work.place(side)
    if place.address:
        FragmentWriter(work, side, place, guard).acknowledgement(ranges)
        report_ack(work, side, AcknowledgementSubclass.ACKNOWLEDGEMENT_SENT, ranges)
    elif (peer := _local_peer(work, side)) is not None and receive_ack(
        work, peer, ranges, AcknowledgementSubclass.ACKNOWLEDGEMENT_RECEIVED
    ):
        pin(peer, _own_broker_instance(work, side))


def _local_peer(work: UnitOfWork, side: Endpoint) -> Endpoint | None:
    """The other side, to be changed, where routing leads back to this instance; None also where it has another peer."""
    peer = work.of(side.peer)
    if peer is None or is_other_peer(peer, _own_broker_instance(work, side)):
        return None
    return work.own(peer)


def _own_broker_instance(work: UnitOfWork, side: Endpoint) -> str | None:
    return work.around.directory(side.database).broker_instance
