"""Received, acknowledged and resent ranges: case by case, and over a network that loses, doubles and reorders."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent.limits import MAX_RANGES
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragmentation import fragment_body, fragment_count, message_span, position
from routing.dialog.messages import FragmentNumber, OutboundMessage
from routing.dialog.pinning import is_other_peer, pin
from routing.dialog.ranges import EMPTY_RANGES, RangeSet
from routing.dialog.received_ranges import (
    MAX_ACK_RANGES,
    MAX_MESSAGES_AHEAD,
    MAX_RECEIVED_RANGES,
    FragmentOutcome,
    ack_ranges,
    from_store,
    has_whole,
    next_sequence,
    record_fragment,
)
from routing.dialog.send_window import (
    AckOfUnsentError,
    apply_ack_ranges,
    forget_settled,
    fragments_in_flight,
    next_fragments,
    restart,
)
from routing.dialog.transmission import new_transmission
from tests.routing.runtime.store.conformance import NOW, endpoint


def fates(*fragments: tuple[int, int, int]) -> list[FragmentOutcome]:
    received = EMPTY_RANGES
    found = []
    for fragment in fragments:
        fate, received = record_fragment(received, *fragment, next_sequence(received))
        found.append(fate)
    return found


# ---------------------------------------------------------------- receiving


def test_small_messages_in_order_are_ready_one_by_one() -> None:
    assert fates((0, 0, 1), (1, 0, 1), (2, 0, 1)) == [FragmentOutcome.READY] * 3


def test_a_message_is_ready_with_its_last_fragment_whichever_that_is() -> None:
    assert fates((0, 2, 3), (0, 0, 3), (0, 1, 3)) == [FragmentOutcome.PART, FragmentOutcome.PART, FragmentOutcome.READY]


def test_what_comes_before_its_turn_is_held() -> None:
    assert fates((1, 0, 1), (2, 1, 2), (2, 0, 2), (0, 0, 1)) == [
        FragmentOutcome.HELD,
        FragmentOutcome.PART,
        FragmentOutcome.HELD,
        FragmentOutcome.READY,
    ]


def test_what_came_before_is_a_duplicate() -> None:
    twice = [(0, 0, 1), (2, 1, 3)] * 2 + [(0, 0, 1)]
    assert fates(*twice) == [FragmentOutcome.READY, FragmentOutcome.PART] + [FragmentOutcome.DUPLICATE] * 3


def test_too_far_ahead_is_not_kept() -> None:
    assert fates((MAX_MESSAGES_AHEAD - 1, 0, 1), (MAX_MESSAGES_AHEAD, 0, 1), (0, 0, 1), (MAX_MESSAGES_AHEAD, 0, 1)) == [
        FragmentOutcome.HELD,
        FragmentOutcome.REFUSED,
        FragmentOutcome.READY,
        FragmentOutcome.HELD,
    ]


@pytest.mark.parametrize("turn", [0, 1])
def test_too_scattered_is_not_kept_but_the_first_gap_can_always_be_filled(turn: int) -> None:
    """Also where the scattered message is the one whose turn it is."""
    received = EMPTY_RANGES
    for number in range(MAX_RECEIVED_RANGES):
        fate, received = record_fragment(received, 1 - turn, 2 * number + 1, 2**20)
        assert fate is FragmentOutcome.PART
    assert record_fragment(received, 1 - turn, 2 * MAX_RECEIVED_RANGES + 1, 2**20) == (
        FragmentOutcome.REFUSED,
        received,
    )
    assert record_fragment(received, 2, 0, 1) == (FragmentOutcome.REFUSED, received)
    # What joins two ranges makes it less scattered.
    assert record_fragment(received, 1 - turn, 2, 2**20)[0] is FragmentOutcome.PART
    fate, begun = record_fragment(received, 0, 0, 2**20)
    assert fate is FragmentOutcome.PART
    assert len(begun.pairs) <= MAX_RECEIVED_RANGES + 1


@pytest.mark.parametrize("seed", range(5))
def test_no_sender_can_make_the_account_large(seed: int) -> None:
    draw = random.Random(seed)
    received = EMPTY_RANGES
    for _ in range(2 * MAX_RECEIVED_RANGES):
        _, received = record_fragment(received, draw.randrange(3), draw.randrange(2**20), 2**20)
    assert len(received.pairs) <= MAX_RECEIVED_RANGES + 1


@pytest.mark.parametrize(
    ("pairs", "turn"),
    [
        ([], 0),
        ([(0, 5)], 0),
        ([message_span(1)], 0),
        ([message_span(0)], 1),
        ([(0, position(1, 3))], 1),
        ([(0, message_span(6)[1]), message_span(8)], 7),
    ],
)
def test_whose_turn_it_is(pairs: list[tuple[int, int]], turn: int) -> None:
    assert next_sequence(RangeSet(pairs)) == turn


def test_an_acknowledgement_says_the_lowest_ranges() -> None:
    received = RangeSet([(position(n, 1), position(n, 2)) for n in range(MAX_ACK_RANGES + 9)])
    assert ack_ranges(received)[:2] == ((0, 1, 0, 2), (1, 1, 1, 2))
    assert len(ack_ranges(received)) == MAX_ACK_RANGES == MAX_RANGES


# ---------------------------------------------------------------- sending

LIMIT = 8


class Sender:
    """An endpoint with messages of such sizes in the transmission queue."""

    def __init__(self, *sizes: int) -> None:
        self.endpoint = endpoint("1i", send_sequence=len(sizes), outgoing=len(sizes))
        self.transmission = new_transmission("1i", 0)
        self.rows = [OutboundMessage("1i", number, "DEFAULT", bytes(size), NOW) for number, size in enumerate(sizes)]

    def sends(self, most: int = 1000) -> list[tuple[int, int]]:
        """Numbers and fragments, in the order in which they leave."""
        rows = self.rows[self.endpoint.sending_sequence :]
        found = [
            (row[1], fragment)
            for row, fragment, _ in next_fragments(self.endpoint, self.transmission, rows, LIMIT, most)
        ]
        self.endpoint.transmitted = max([self.endpoint.transmitted, *(number + 1 for number, _ in found)])
        return found

    def hears(self, *ranges: tuple[int, int, int, int]) -> None:
        now = apply_ack_ranges(self.transmission.acknowledged, ranges, self.endpoint.transmitted)
        self.transmission.acknowledged = now
        self.endpoint.acknowledged_sequence = next_sequence(now)
        self.endpoint.sending_sequence = max(self.endpoint.sending_sequence, next_sequence(now))
        forget_settled(self.endpoint, self.transmission)

    def begins_again(self) -> None:
        restart(self.endpoint, self.transmission)

    @property
    def in_flight(self) -> int:
        return fragments_in_flight(self.endpoint, self.transmission)


ALL = 2**20 - 1


def test_everything_is_sent_once_the_small_message_between_the_fragments_of_the_large_one() -> None:
    sender = Sender(30, 5)
    assert sender.sends() == [(0, 0), (1, 0), (0, 1), (0, 2), (0, 3)]
    assert (sender.endpoint.sending_sequence, sender.in_flight) == (2, 5)
    assert sender.sends() == []


def test_only_what_is_lost_is_sent_again() -> None:
    sender = Sender(30, 5)
    sender.sends()
    sender.hears((0, 0, 0, 1), (0, 3, 0, 3), (1, 0, 1, ALL))
    assert sender.in_flight == 1
    sender.begins_again()
    assert sender.in_flight == 0
    assert sender.sends() == [(0, 2)]
    assert (sender.endpoint.sending_sequence, sender.in_flight) == (2, 1)
    sender.hears((0, 0, 1, ALL))
    assert (sender.endpoint.acknowledged_sequence, sender.in_flight) == (2, 0)
    assert sender.transmission.large == {}


def test_a_window_goes_on_where_it_ended() -> None:
    sender = Sender(30, 5, 5)
    assert sender.sends(2) == [(0, 0), (1, 0)]
    assert (sender.endpoint.sending_sequence, sender.in_flight) == (0, 2)
    assert sender.sends(3) == [(0, 1), (2, 0), (0, 2)]
    assert sender.in_flight == 5
    assert sender.sends() == [(0, 3)]
    assert (sender.endpoint.sending_sequence, sender.in_flight) == (3, 6)


def test_without_its_transmission_object_a_sender_sends_what_it_cannot_know_to_have_arrived() -> None:
    sender = Sender(30, 5)
    sender.sends(3)
    sender.hears((0, 0, 0, 0), (1, 0, 1, ALL))
    sender.transmission = new_transmission("1i", sender.endpoint.acknowledged_sequence)
    assert sender.sends() == [(0, 0), (1, 0), (0, 1), (0, 2), (0, 3)]


def test_an_acknowledgement_of_what_was_not_sent_is_an_error() -> None:
    apply_ack_ranges(EMPTY_RANGES, [(0, 0, 1, ALL)], 2)
    with pytest.raises(AckOfUnsentError):
        apply_ack_ranges(EMPTY_RANGES, [(0, 0, 0, 0), (1, 0, 2, 0)], 2)


@given(st.integers(1, 6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=20))
def test_what_a_receiver_says_is_what_its_sender_notes(fragments: int, arrived: list[tuple[int, int]]) -> None:
    received = EMPTY_RANGES
    for sequence, fragment in arrived:
        if fragment < fragments:
            _, received = record_fragment(received, sequence, fragment, fragments)
    sender = Sender(*[fragments * LIMIT] * 6)
    sender.sends()
    sender.hears(*ack_ranges(received))
    assert sender.transmission.acknowledged == received
    sender.hears(*ack_ranges(received))
    assert sender.transmission.acknowledged == received
    sender.begins_again()
    kept = {pair for pair in arrived if pair[1] < fragments}
    assert set(sender.sends()) == {(n, f) for n in range(6) for f in range(fragments)} - kept
    assert [has_whole(received, n) for n in range(6)] == [
        sum(pair[0] == n for pair in kept) == fragments for n in range(6)
    ]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), unique=True, max_size=20))
def test_the_account_is_what_was_noted_one_by_one(arrived: list[tuple[int, int]]) -> None:
    received = EMPTY_RANGES
    for sequence, fragment in arrived:
        _, received = record_fragment(received, sequence, fragment, 4)
    turn = next_sequence(received)
    held = [FragmentNumber(*pair, 4) for pair in sorted(arrived) if pair[0] >= turn]
    assert from_store(turn, held) == received


# ---------------------------------------------------------------- both, over a bad network


@settings(max_examples=100)
@given(
    st.lists(st.binary(max_size=60), max_size=8),
    st.integers(1, 9),
    st.integers(0, 2**32),
    st.floats(0, 0.6),
    st.floats(0, 0.6),
)
def test_over_any_network_every_message_comes_once_in_order_and_whole(
    bodies: list[bytes], window: int, seed: int, loss: float, replay: float
) -> None:
    """Fragments and acknowledgements are lost, doubled and shuffled. Lossless, everything is sent exactly once."""
    draw = random.Random(seed)
    sender = Sender(*map(len, bodies))
    counts = [fragment_count(len(body), LIMIT) for body in bodies]
    received = EMPTY_RANGES
    pieces: dict[tuple[int, int], bytes] = {}
    delivered: list[bytes] = []
    sent = rounds = 0
    while sender.endpoint.acknowledged_sequence < len(bodies):
        rounds += 1
        assert rounds < 2000
        if loss and draw.random() < 0.5:
            sender.begins_again()
        on_the_way = sender.sends(max(window - sender.in_flight, 0))
        assert sender.in_flight <= window
        sent += len(on_the_way)
        on_the_way = [one for one in on_the_way for _ in range(1 + (draw.random() < replay)) if draw.random() >= loss]
        draw.shuffle(on_the_way)
        for sequence, fragment in on_the_way:
            before = next_sequence(received)
            fate, received = record_fragment(received, sequence, fragment, counts[sequence], before)
            if fate in (FragmentOutcome.PART, FragmentOutcome.HELD, FragmentOutcome.READY):
                assert (sequence, fragment) not in pieces
                pieces[sequence, fragment] = bytes(fragment_body(bodies[sequence], fragment, LIMIT))
            delivered += [
                b"".join(pieces[turn, number] for number in range(counts[turn]))
                for turn in range(before, next_sequence(received))
            ]
        if draw.random() >= loss:
            sender.hears(*ack_ranges(received))
    assert delivered == bodies
    if loss == 0:
        assert sent == sum(counts)


# ---------------------------------------------------------------- the peer


def initiator(far: str | None) -> Endpoint:
    new_transmission = endpoint("1i")
    new_transmission.far_broker_instance = far
    return new_transmission


@pytest.mark.parametrize(
    ("known", "says", "is_stranger", "pinned"),
    [
        (None, None, False, None),
        (None, "a", False, "a"),
        ("a", "a", False, "a"),
        ("a", None, False, "a"),
        ("a", "b", True, "a"),
    ],
)
def test_the_first_acknowledgement_says_who_the_target_is(
    known: str | None, says: str | None, is_stranger: bool, pinned: str | None
) -> None:
    new_transmission = initiator(known)
    assert is_other_peer(new_transmission, says) == is_stranger
    assert pin(new_transmission, says) is not is_stranger
    assert new_transmission.far_broker_instance == pinned
