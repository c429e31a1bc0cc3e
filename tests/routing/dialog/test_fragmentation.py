"""Cutting, naming, and taking turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.adjacent.limits import MAX_FRAGMENTS
from routing.dialog.fragmentation import (
    DEFAULT_FRAGMENT_BYTES,
    MAX_FRAGMENTS_PER_MESSAGE,
    fragment_body,
    fragment_count,
    message_span,
    position,
    round_robin,
    split_position,
)
from routing.dialog.ranges import EMPTY_RANGES

SEQUENCES = st.integers(0, 2**63 - 1)
FRAGMENTS = st.integers(0, MAX_FRAGMENTS_PER_MESSAGE - 1)


def test_the_wire_holds_any_fragment() -> None:
    assert MAX_FRAGMENTS_PER_MESSAGE == MAX_FRAGMENTS


@pytest.mark.parametrize(("size", "fragments"), [(0, 1), (1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_how_many(size: int, fragments: int) -> None:
    assert fragment_count(size, 4) == fragments


def test_a_kilobyte_stays_whole() -> None:
    assert fragment_count(1024) == fragment_count(DEFAULT_FRAGMENT_BYTES) == 1
    assert fragment_count(DEFAULT_FRAGMENT_BYTES + 1) == 2


@given(st.binary(max_size=200), st.integers(1, 50))
def test_the_pieces_are_the_body(body: bytes, limit: int) -> None:
    pieces = [fragment_body(body, number, limit) for number in range(fragment_count(len(body), limit))]
    assert b"".join(pieces) == body
    assert all(len(part) == limit for part in pieces[:-1])
    assert len(pieces) == 1 or 0 < len(pieces[-1]) <= limit


@given(SEQUENCES, FRAGMENTS, SEQUENCES, FRAGMENTS)
def test_positions_are_in_the_order_of_messages_and_fragments(s1: int, f1: int, s2: int, f2: int) -> None:
    assert split_position(position(s1, f1)) == (s1, f1)
    assert (position(s1, f1) < position(s2, f2)) == ((s1, f1) < (s2, f2))


@given(SEQUENCES, FRAGMENTS)
def test_a_whole_message_has_all_its_positions_and_touches_the_next(sequence: int, fragment: int) -> None:
    first, last = message_span(sequence)
    assert first <= position(sequence, fragment) <= last
    assert last + 1 == message_span(sequence + 1)[0]


def test_messages_in_order_are_one_range() -> None:
    received = EMPTY_RANGES
    for sequence in range(100):
        received = received.with_range(*message_span(sequence))
    assert len(received.pairs) == 1


# ---------------------------------------------------------------- turns


def test_a_small_message_goes_between_the_fragments_of_a_large_one() -> None:
    assert list(round_robin([("large", range(3)), ("small", range(1)), ("other", range(2))])) == [
        ("large", 0),
        ("small", 0),
        ("other", 0),
        ("large", 1),
        ("other", 1),
        ("large", 2),
    ]


@given(st.dictionaries(st.integers(0, 20), st.sets(st.integers(0, 20)).map(sorted), max_size=8))
def test_every_fragment_is_sent_once_in_its_order_and_none_waits_for_two_of_another(
    messages: dict[int, list[int]],
) -> None:
    sent = list(round_robin(messages.items()))
    for message, fragments in messages.items():
        mine = [at for at, (who, _) in enumerate(sent) if who == message]
        assert [sent[at][1] for at in mine] == fragments
        for before, at in zip([-1, *mine], mine, strict=False):
            between = [who for who, _ in sent[before + 1 : at]]
            assert len(between) == len(set(between))
