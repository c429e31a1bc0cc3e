"""What is received, what is acknowledged, what is sent again: case by case, and over a network that does its worst."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent.limits import MAX_RANGES
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragments import count, piece, position, whole
from routing.dialog.pinning import pin, stranger
from routing.dialog.ranges import NOTHING, Ranges
from routing.dialog.receipts import AHEAD, MOST_RANGES, SAID_AT_ONCE, Fate, has_whole, next_sequence, note, said
from routing.dialog.sending import NotSent, Sendable, acknowledge, is_delivered, to_send
from tests.routing.store.conformance import endpoint


def fates(*fragments: tuple[int, int, int]) -> list[Fate]:
    received = NOTHING
    found = []
    for fragment in fragments:
        fate, received = note(received, *fragment)
        found.append(fate)
    return found


# ---------------------------------------------------------------- receiving


def test_small_messages_in_order_are_ready_one_by_one() -> None:
    assert fates((0, 0, 1), (1, 0, 1), (2, 0, 1)) == [Fate.READY] * 3


def test_a_message_is_ready_with_its_last_fragment_whichever_that_is() -> None:
    assert fates((0, 2, 3), (0, 0, 3), (0, 1, 3)) == [Fate.PART, Fate.PART, Fate.READY]


def test_what_comes_before_its_turn_is_held() -> None:
    assert fates((1, 0, 1), (2, 1, 2), (2, 0, 2), (0, 0, 1)) == [Fate.HELD, Fate.PART, Fate.HELD, Fate.READY]


def test_what_came_before_is_a_duplicate() -> None:
    twice = [(0, 0, 1), (2, 1, 3)] * 2 + [(0, 0, 1)]
    assert fates(*twice) == [Fate.READY, Fate.PART] + [Fate.DUPLICATE] * 3


def test_too_far_ahead_is_not_kept() -> None:
    assert fates((AHEAD - 1, 0, 1), (AHEAD, 0, 1), (0, 0, 1), (AHEAD, 0, 1)) == [
        Fate.HELD,
        Fate.REFUSED,
        Fate.READY,
        Fate.HELD,
    ]


@pytest.mark.parametrize("turn", [0, 1])
def test_too_scattered_is_not_kept_but_the_first_gap_can_always_be_filled(turn: int) -> None:
    """Also where the scattered message is the one whose turn it is."""
    received = NOTHING
    for number in range(MOST_RANGES):
        fate, received = note(received, 1 - turn, 2 * number + 1, 2**20)
        assert fate is Fate.PART
    assert note(received, 1 - turn, 2 * MOST_RANGES + 1, 2**20) == (Fate.REFUSED, received)
    assert note(received, 2, 0, 1) == (Fate.REFUSED, received)
    # What joins two ranges makes it less scattered.
    assert note(received, 1 - turn, 2, 2**20)[0] is Fate.PART
    fate, begun = note(received, 0, 0, 2**20)
    assert fate is Fate.PART
    assert len(begun.pairs) <= MOST_RANGES + 1


@pytest.mark.parametrize("seed", range(5))
def test_no_sender_can_make_the_account_large(seed: int) -> None:
    draw = random.Random(seed)
    received = NOTHING
    for _ in range(2 * MOST_RANGES):
        _, received = note(received, draw.randrange(3), draw.randrange(2**20), 2**20)
    assert len(received.pairs) <= MOST_RANGES + 1


@pytest.mark.parametrize(
    ("pairs", "turn"),
    [
        ([], 0),
        ([(0, 5)], 0),
        ([whole(1)], 0),
        ([whole(0)], 1),
        ([(0, position(1, 3))], 1),
        ([(0, whole(6)[1]), whole(8)], 7),
    ],
)
def test_whose_turn_it_is(pairs: list[tuple[int, int]], turn: int) -> None:
    assert next_sequence(Ranges(pairs)) == turn


def test_an_acknowledgement_says_the_lowest_ranges() -> None:
    received = Ranges([(position(n, 1), position(n, 2)) for n in range(SAID_AT_ONCE + 9)])
    assert said(received)[:2] == ((0, 1, 0, 2), (1, 1, 1, 2))
    assert len(said(received)) == SAID_AT_ONCE == MAX_RANGES


# ---------------------------------------------------------------- sending

LARGE, SMALL = Sendable(0, 4), Sendable(1, 1)


def test_everything_is_to_be_sent_at_first_the_small_message_between() -> None:
    assert list(to_send([LARGE, SMALL], NOTHING)) == [(LARGE, 0), (SMALL, 0), (LARGE, 1), (LARGE, 2), (LARGE, 3)]


def test_only_what_is_lost_is_sent_again() -> None:
    acknowledged = acknowledge(NOTHING, [(0, 0, 0, 1), (0, 3, 1, 0)], 2)
    assert list(to_send([LARGE, SMALL], acknowledged)) == [(LARGE, 2)]
    assert [is_delivered(acknowledged, message) for message in (LARGE, SMALL)] == [False, True]


def test_what_was_never_sent_begins_at_a_position() -> None:
    assert list(to_send([LARGE, SMALL], NOTHING, since=position(0, 2))) == [(LARGE, 2), (SMALL, 0), (LARGE, 3)]
    assert list(to_send([LARGE, SMALL], NOTHING, since=position(2, 0))) == []


def test_an_acknowledgement_of_what_was_not_sent_is_an_error() -> None:
    acknowledge(NOTHING, [(0, 0, 1, 2**20 - 1)], 2)
    with pytest.raises(NotSent):
        acknowledge(NOTHING, [(0, 0, 0, 0), (1, 0, 2, 0)], 2)


@given(st.integers(1, 6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=20))
def test_what_a_receiver_says_is_what_its_sender_notes(fragments: int, arrived: list[tuple[int, int]]) -> None:
    received = NOTHING
    for sequence, fragment in arrived:
        if fragment < fragments:
            _, received = note(received, sequence, fragment, fragments)
    acknowledged = acknowledge(NOTHING, said(received), 6)
    assert acknowledged == received
    assert acknowledge(acknowledged, said(received), 6) == acknowledged
    for sequence in range(6):
        message = Sendable(sequence, fragments)
        kept = {fragment for s, fragment in arrived if s == sequence and fragment < fragments}
        assert is_delivered(acknowledged, message) == has_whole(received, sequence) == (len(kept) == fragments)
        assert {fragment for _, fragment in to_send([message], acknowledged)} == set(range(fragments)) - kept


# ---------------------------------------------------------------- both, over a bad network

LIMIT = 8


@settings(max_examples=100)
@given(
    st.lists(st.binary(max_size=60), max_size=8),
    st.integers(0, 2**32),
    st.floats(0, 0.6),
    st.floats(0, 0.6),
)
def test_over_any_network_every_message_comes_once_in_order_and_whole(
    bodies: list[bytes], seed: int, loss: float, replay: float
) -> None:
    """Fragments and acknowledgements are lost, doubled and shuffled. Lossless, everything is sent exactly once."""
    draw = random.Random(seed)
    messages = {number: Sendable(number, count(len(body), LIMIT)) for number, body in enumerate(bodies)}
    waiting = dict(messages)
    acknowledged = received = NOTHING
    pieces: dict[tuple[int, int], bytes] = {}
    delivered: list[bytes] = []
    sent = rounds = 0
    while waiting:
        rounds += 1
        assert rounds < 500
        on_the_way = [(message, fragment) for message, fragment in to_send(waiting.values(), acknowledged)]
        sent += len(on_the_way)
        on_the_way = [one for one in on_the_way for _ in range(1 + (draw.random() < replay)) if draw.random() >= loss]
        draw.shuffle(on_the_way)
        for message, fragment in on_the_way:
            before = next_sequence(received)
            fate, received = note(received, message.sequence, fragment, message.fragments)
            if fate in (Fate.PART, Fate.HELD, Fate.READY):
                assert (message.sequence, fragment) not in pieces
                pieces[message.sequence, fragment] = bytes(piece(bodies[message.sequence], fragment, LIMIT))
            for turn in range(before, next_sequence(received)):
                parts = [pieces[turn, number] for number in range(messages[turn].fragments)]
                delivered.append(b"".join(parts))
        if draw.random() >= loss:
            acknowledged = acknowledge(acknowledged, said(received), len(bodies))
        waiting = {n: message for n, message in waiting.items() if not is_delivered(acknowledged, message)}
    assert delivered == bodies
    if loss == 0:
        assert sent == sum(message.fragments for message in messages.values())


# ---------------------------------------------------------------- who the peer is


def initiator(far: str | None) -> Endpoint:
    made = endpoint("1i")
    made.far_broker_instance = far
    return made


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
    made = initiator(known)
    assert stranger(made, says) == is_stranger
    assert pin(made, says) is not is_stranger
    assert made.far_broker_instance == pinned
