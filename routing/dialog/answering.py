"""What one side tells the other by itself: errors of the broker, and dedicated acknowledgements (DLG-UNSEQ).

Nobody cares for their delivery: if one is lost, the original comes again and makes another.
"""

from __future__ import annotations

from routing.adjacent.fragment import Range
from routing.adjacent.guard import Guard
from routing.common.broker_events import OfAcknowledgement
from routing.dialog.arriving import take_error
from routing.dialog.endpoint import Endpoint
from routing.dialog.envelope import Envelope, guard_of
from routing.dialog.pinning import pin, stranger
from routing.dialog.receipts import said
from routing.dialog.transmitting import take_acknowledgement, tell_acknowledgement
from routing.dialog.work import Work


def tell_error(work: Work, side: Endpoint, body: bytes, guard: Guard) -> None:
    """An Error for the peer of a side, which need not have an endpoint."""
    place = work.place(side)
    if place.address:
        Envelope(work, side, place, guard).error(body)
    elif (peer := _peer_here(work, side)) is not None:
        take_error(work, peer, body)


def acknowledge_dedicated(work: Work) -> None:
    """What is owed and has not ridden on anything (ACK-1)."""
    for handle in work.owed:
        seen = work.seen(handle)
        if seen is not None:
            say_received(work, seen)
    work.owed.clear()


def say_received(work: Work, side: Endpoint) -> None:
    """A dedicated acknowledgement of all that an endpoint has received; nothing where the peer cannot be told."""
    ranges = tuple(map(Range._make, said(work.received(side))))
    guard = guard_of(work, side)
    if not ranges or guard is None:
        return
    place = work.place(side)
    if place.address:
        Envelope(work, side, place, guard).acknowledgement(ranges)
        tell_acknowledgement(work, side, OfAcknowledgement.ACKNOWLEDGEMENT_SENT, ranges)
    elif (peer := _peer_here(work, side)) is not None and take_acknowledgement(
        work, peer, ranges, OfAcknowledgement.ACKNOWLEDGEMENT_RECEIVED
    ):
        pin(peer, _identifier(work, side))


def _peer_here(work: Work, side: Endpoint) -> Endpoint | None:
    """The other side, to be changed, where routing leads back to this instance; None also where it has another peer."""
    peer = work.of(side.peer)
    if peer is None or stranger(peer, _identifier(work, side)):
        return None
    return work.own(peer)


def _identifier(work: Work, side: Endpoint) -> str | None:
    return work.around.directory(side.database).broker_instance
