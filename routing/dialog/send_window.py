"""Send window: which fragments to send next, without those acknowledged, up to the window."""

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
    """Acknowledgement of a message that was not sent (28010): of another conversation, or from a broken peer."""


def apply_ack_ranges(acknowledged: RangeSet, ranges: Iterable[AckSpan], transmitted: int) -> RangeSet:
    """Return the acknowledged positions with these ranges. `transmitted`: number of the first message never sent.

    A late or repeated acknowledgement changes nothing. Raises `AckOfUnsentError`; then no range was applied.
    """
    for first_sequence, first_fragment, last_sequence, last_fragment in ranges:
        if last_sequence >= transmitted:
            raise AckOfUnsentError
        first, last = position(first_sequence, first_fragment), position(last_sequence, last_fragment)
        acknowledged = acknowledged.with_range(first, last)
    return acknowledged


def restart(endpoint: Endpoint, transmission: Transmission) -> None:
    """Mark everything not acknowledged as not sent, for retransmission (ACK-3)."""
    endpoint.sending_sequence = endpoint.acknowledged_sequence
    transmission.sent = EMPTY_RANGES
    for large in transmission.large.values():
        large.sent = 0


def mark_arrived_messages(transmission: Transmission) -> None:
    """Mark large messages in flight as arrived if every fragment is acknowledged."""
    for number, large in transmission.large.items():
        _mark_if_arrived(transmission, number, large.fragments)


def forget_settled(endpoint: Endpoint, transmission: Transmission) -> None:
    """Forget the state of messages that have left the transmission queue."""
    below = endpoint.acknowledged_sequence
    transmission.sent = transmission.sent.without_range(0, endpoint.sending_sequence - 1)
    for number in [number for number in transmission.large if number < below]:
        del transmission.large[number]


def fragments_in_flight(endpoint: Endpoint, transmission: Transmission) -> int:
    """Return the number of fragments sent and not acknowledged, as far as known."""
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
    """Yield first and last number of the messages whose positions are all in the set."""
    for low, high in positions.pairs:
        first, last = -(-low >> FRAGMENT_BITS), (high + 1 >> FRAGMENT_BITS) - 1
        if first <= last:
            yield first, last


def next_fragments(
    endpoint: Endpoint, transmission: Transmission, rows: Iterable[OutboundMessage], limit: int, most: int
) -> Iterator[tuple[OutboundMessage, int, int]]:
    """Yield up to `most` fragments to send now as (message, fragment, fragment count), and mark them as sent.

    `limit`: bytes per fragment. Acknowledged fragments are not resent (FRAG-1). Messages take turns, so a small one
    does not wait for a large one (FRAG-2).
    """
    first, sent = endpoint.sending_sequence, transmission.sent
    waiting = [row for row in rows if row[1] >= first and not (sent and row[1] in sent)]
    if _is_fast_path(endpoint, transmission, waiting, limit):
        now_ms = waiting[:most]
        yield from ((row, 0, 1) for row in now_ms)
        endpoint.sending_sequence += len(now_ms)
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
    """Return True for the fast path: only single-fragment messages, none sent or acknowledged yet."""
    known = transmission.acknowledged.pairs
    is_known = known and known[-1][1] >= position(endpoint.sending_sequence, 0)
    if is_known or transmission.sent or transmission.large:
        return False
    return all(row[3] is None or len(row[3]) <= limit for row in waiting)


def _mark_if_arrived(transmission: Transmission, number: int, fragments: int) -> None:
    """Mark a message as arrived if all its fragments are acknowledged.

    A receiver that discards messages acknowledges single fragments without knowing when the message is complete.
    """
    first, last = position(number, 0), position(number, fragments - 1)
    if transmission.acknowledged.covers(first, last):
        transmission.acknowledged = transmission.acknowledged.with_range(*message_span(number))


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
    """Mark a large message as sent if its remaining fragments were sent or acknowledged."""
    large = transmission.large.get(number)
    if large is None or any(
        transmission.acknowledged.gaps(position(number, large.sent), position(number, fragments - 1))
    ):
        return
    large.sent = fragments
    transmission.sent = transmission.sent.with_range(number, number)


def _advance_window(endpoint: Endpoint, transmission: Transmission) -> None:
    """Advance `sending_sequence` past all messages sent completely or acknowledged."""
    at = endpoint.sending_sequence
    while at < endpoint.send_sequence and (
        at in transmission.sent or transmission.acknowledged.covers(*message_span(at))
    ):
        at += 1
    endpoint.sending_sequence = at
    transmission.sent = transmission.sent.without_range(0, at - 1)
