"""What a sender still has to send: its messages without what was acknowledged, and not all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from routing.dialog.endpoint import Endpoint
from routing.dialog.fragmentation import (
    FRAGMENT_BITS,
    fragment_count,
    message_span,
    position,
    round_robin,
    split_position,
)
from routing.dialog.messages import OutboundMessage
from routing.dialog.ranges import EMPTY_RANGES, RangeSet
from routing.dialog.received_ranges import AckSpan
from routing.dialog.transmission import LargeMessage, Transmission


class AckOfUnsentError(Exception):
    """An acknowledgement of what was not sent (28010): it is not of this conversation, or its sender is broken."""


def apply_ack_ranges(acknowledged: RangeSet, ranges: Iterable[AckSpan], transmitted: int) -> RangeSet:
    """The account with an acknowledgement. `transmitted` is the first message of which nothing has left.

    An acknowledgement that comes late or twice changes nothing. Raises `NotSent`, and then nothing was taken of it.
    """
    for first_sequence, first_fragment, last_sequence, last_fragment in ranges:
        if last_sequence >= transmitted:
            raise AckOfUnsentError
        first, last = position(first_sequence, first_fragment), position(last_sequence, last_fragment)
        acknowledged = acknowledged.with_range(first, last)
    return acknowledged


def restart(endpoint: Endpoint, transmission: Transmission) -> None:
    """All that is not acknowledged counts as not sent: it is lost, as far as anybody knows (ACK-3)."""
    endpoint.sending_sequence = endpoint.acknowledged_sequence
    transmission.sent = EMPTY_RANGES
    for large in transmission.large.values():
        large.sent = 0


def mark_arrived_messages(transmission: Transmission) -> None:
    """The messages on their way of which each fragment is acknowledged have arrived."""
    for number, large in transmission.large.items():
        _mark_if_arrived(transmission, number, large.fragments)


def forget_settled(endpoint: Endpoint, transmission: Transmission) -> None:
    """Nothing is to be known of messages that have left the transmission queue."""
    below = endpoint.acknowledged_sequence
    transmission.sent = transmission.sent.without_range(0, endpoint.sending_sequence - 1)
    for number in [number for number in transmission.large if number < below]:
        del transmission.large[number]


def fragments_in_flight(endpoint: Endpoint, transmission: Transmission) -> int:
    """Fragments that were sent and not acknowledged, as far as is known."""
    acknowledged, sent = transmission.acknowledged, transmission.sent
    if endpoint.acknowledged_sequence < endpoint.sending_sequence:
        sent = sent.with_range(endpoint.acknowledged_sequence, endpoint.sending_sequence - 1)
    for first, last in _whole_messages(acknowledged):
        sent = sent.without_range(first, last)
    fragments = sent.size()
    for number, large in transmission.large.items():
        first, last = position(number, 0), position(number, large.sent - 1)
        fragments += sum(high - low + 1 for low, high in acknowledged.gaps(first, last)) - (number in sent)
    return fragments


def _whole_messages(positions: RangeSet) -> Iterator[tuple[int, int]]:
    """The numbers of the messages that are there to their last position."""
    for low, high in positions.pairs:
        first, last = -(-low >> FRAGMENT_BITS), (high + 1 >> FRAGMENT_BITS) - 1
        if first <= last:
            yield first, last


def next_fragments(
    endpoint: Endpoint, transmission: Transmission, rows: Iterable[OutboundMessage], limit: int, most: int
) -> Iterator[tuple[OutboundMessage, int, int]]:
    """Rows with the fragments that are to be sent now, at most so many, and how many fragments each has; noted as sent.

    `limit` is the size of a fragment. Only what is lost is sent again (FRAG-1), and no small message waits for a large
    one (FRAG-2).
    """
    waiting = [row for row in rows if _is_waiting(endpoint, transmission, row)]
    if _is_fast_path(endpoint, transmission, waiting, limit):
        now = waiting[:most]
        yield from ((row, 0, 1) for row in now)
        endpoint.sending_sequence += len(now)
        return
    counts = {row[1]: fragment_count(len(row.message_body or b""), limit) for row in waiting}
    turns = round_robin((row, _missing_fragments(transmission, row[1], counts[row[1]])) for row in waiting)
    for row, fragment in islice(turns, most):
        yield row, fragment, counts[row[1]]
        _mark_sent(transmission, row[1], fragment, counts[row[1]])
    for row in waiting:
        _mark_if_arrived(transmission, row[1], counts[row[1]])
        _mark_if_sent_whole(transmission, row[1], counts[row[1]])
    _advance_window(endpoint, transmission)


def _is_fast_path(endpoint: Endpoint, transmission: Transmission, waiting: list[OutboundMessage], limit: int) -> bool:
    """Whether these are small messages of which nothing is known: as nearly all are, and the others need a plan."""
    known = transmission.acknowledged.pairs
    is_known = known and known[-1][1] >= position(endpoint.sending_sequence, 0)
    if is_known or transmission.sent or transmission.large:
        return False
    return all(row[3] is None or len(row[3]) <= limit for row in waiting)


def _mark_if_arrived(transmission: Transmission, number: int, fragments: int) -> None:
    """A receiver that discards names each fragment of a message, and does not know when it is whole."""
    first, last = position(number, 0), position(number, fragments - 1)
    if transmission.acknowledged.covers(first, last):
        transmission.acknowledged = transmission.acknowledged.with_range(*message_span(number))


def _is_waiting(endpoint: Endpoint, transmission: Transmission, row: OutboundMessage) -> bool:
    number = row.message_sequence_number
    return number >= endpoint.sending_sequence and number not in transmission.sent


def _missing_fragments(transmission: Transmission, number: int, fragments: int) -> Iterator[int]:
    large = transmission.large.get(number)
    first = position(number, large.sent if large else 0)
    gaps = transmission.acknowledged.gaps(first, position(number, fragments - 1))
    return (split_position(at)[1] for low, high in gaps for at in range(low, high + 1))


def _mark_sent(transmission: Transmission, number: int, fragment: int, fragments: int) -> None:
    if fragments > 1:
        transmission.large.setdefault(number, LargeMessage(0, fragments)).sent = fragment + 1
        _mark_if_sent_whole(transmission, number, fragments)
    else:
        transmission.sent = transmission.sent.with_range(number, number)


def _mark_if_sent_whole(transmission: Transmission, number: int, fragments: int) -> None:
    """Of a large message nothing is left to send. The rest of it may have been acknowledged since it was sent last."""
    large = transmission.large.get(number)
    if large is None or any(
        transmission.acknowledged.gaps(position(number, large.sent), position(number, fragments - 1))
    ):
        return
    large.sent = fragments
    transmission.sent = transmission.sent.with_range(number, number)


def _advance_window(endpoint: Endpoint, transmission: Transmission) -> None:
    """`sending_sequence` past all that was sent whole, or has arrived without being sent again."""
    at = endpoint.sending_sequence
    while at < endpoint.send_sequence and (
        at in transmission.sent or transmission.acknowledged.covers(*message_span(at))
    ):
        at += 1
    endpoint.sending_sequence = at
    transmission.sent = transmission.sent.without_range(0, at - 1)
