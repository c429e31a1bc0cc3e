"""What a fragment is protected from, by each kind; and what is documented of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent.errors import Corrupted
from routing.adjacent.fragment import INITIATOR, forwarded, read, write
from routing.adjacent.guard import KEYED, MD5, OVERHEAD, SEALED, UNPROTECTED, Guard
from routing.adjacent.limits import MAX_BODY
from routing.security.guards import Keyed, Md5, Sealed
from routing.security.keys import Pair, Session
from tests.routing.adjacent.strategies import headers
from tests.routing.adjacent.wire import CONVERSATION, HEADER, MESSAGE, vectors
from tests.routing.security.ciphers import Exact, Quick
from tests.routing.security.test_keys import ONE, OTHER, THIRD

OURS = Pair(Quick(), ONE, OTHER.public).session(CONVERSATION, is_initiator=True)
THEIRS = Pair(Quick(), OTHER, ONE.public).session(CONVERSATION, is_initiator=False)
Make = Callable[[Session], Guard]
GUARDS: dict[int, Make] = {
    KEYED: Keyed,
    SEALED: lambda session: Sealed(Quick(), session),
    MD5: Md5,
}


@pytest.mark.parametrize(("kind", "make"), [(KEYED, Keyed), (SEALED, lambda s: Sealed(Exact(), s)), (MD5, Md5)])
def test_a_vector_is_written_and_read_as_documented(kind: int, make: Make) -> None:
    name = {KEYED: "keyed", SEALED: "sealed", MD5: "md5"}[kind]
    (vector,) = vectors(name)
    assert write(vector.header(), vector.body(), make(OURS)) == vector.raw
    fragment = read(vector.raw)
    assert (fragment.header, fragment.integrity, fragment.key_id) == (vector.header(), kind, OURS.key_id)
    assert fragment.body_size == len(vector.body())
    assert fragment.open(make(THEIRS)) == vector.body()


@pytest.mark.parametrize("kind", GUARDS)
@settings(max_examples=40)
@given(headers(), st.binary(min_size=1, max_size=200))
def test_what_one_side_closes_the_other_opens_wherever_it_has_been(kind: int, header: object, body: bytes) -> None:
    raw = write(header, memoryview(body), GUARDS[kind](OURS))  # type: ignore[arg-type]
    assert read(raw).open(GUARDS[kind](THEIRS)) == body
    assert read(forwarded(raw, 0, 99)).open(GUARDS[kind](THEIRS)) == body
    assert len(raw) == read(raw).body_at + len(body) + OVERHEAD[kind]


@pytest.mark.parametrize("kind", GUARDS)
def test_it_goes_both_ways_and_a_fragment_cannot_be_thrown_back(kind: int) -> None:
    there = write(HEADER, b"there", GUARDS[kind](OURS))
    back = write(HEADER._replace(flags=0), b"back", GUARDS[kind](THEIRS))
    assert read(there).open(GUARDS[kind](THEIRS)) == b"there"
    assert read(back).open(GUARDS[kind](OURS)) == b"back"
    with pytest.raises(Corrupted):
        read(there).open(GUARDS[kind](OURS))
    with pytest.raises(Corrupted):
        read(back).open(GUARDS[kind](THEIRS))


@pytest.mark.parametrize("kind", GUARDS)
def test_no_bit_can_be_changed_but_those_of_hops_and_time(kind: int) -> None:
    raw = write(HEADER, b"hello", GUARDS[kind](OURS))
    guard = GUARDS[kind](THEIRS)
    for bit in range(8 * UNPROTECTED, 8 * len(raw)):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Corrupted):
            read(bytes(changed)).open(guard)


@pytest.mark.parametrize("kind", GUARDS)
@pytest.mark.parametrize("body", [b"", b"x", bytes(MAX_BODY)])
def test_bodies_of_all_sizes(kind: int, body: bytes) -> None:
    raw = write(HEADER, body, GUARDS[kind](OURS))
    assert read(raw).open(GUARDS[kind](THEIRS)) == body


@pytest.mark.parametrize("kind", GUARDS)
def test_another_dialog_or_database_cannot_open_it(kind: int) -> None:
    raw = write(HEADER, b"hello", GUARDS[kind](OURS))
    other_dialog = Pair(Quick(), OTHER, ONE.public).session(MESSAGE, is_initiator=False)
    with pytest.raises(Corrupted, match="tag: does not fit"):
        read(raw).open(GUARDS[kind](other_dialog))
    other_database = Pair(Quick(), THIRD, ONE.public).session(CONVERSATION, is_initiator=False)
    with pytest.raises(Corrupted, match="key id: names other keys"):
        read(raw).open(GUARDS[kind](other_database))


def test_only_the_sealed_kind_hides_the_body_and_forwarders_read_the_header_of_all() -> None:
    body = b"the body of a message that somebody would like to read"
    for kind, make in GUARDS.items():
        raw = write(HEADER, body, make(OURS))
        assert (body in raw) == (kind != SEALED)
        assert HEADER.names.to_service.encode() in raw
        assert read(raw).header == HEADER


def test_a_fragment_that_is_sent_again_is_the_same_and_no_other_has_its_salt() -> None:
    guard, peer = GUARDS[SEALED](OURS), GUARDS[SEALED](THEIRS)
    raw = write(HEADER, b"hello", guard)
    assert write(HEADER, b"hello", guard) == raw
    assert write(HEADER._replace(hops_remaining=3, time_consumed=7), b"hello", guard)[9:] == raw[9:]
    at = read(raw).body_at
    others = [
        write(HEADER, b"hellp", guard),
        write(HEADER._replace(sequence=4), b"hello", guard),
        write(HEADER._replace(time_to_live=59_999), b"hello", guard),
        write(HEADER, b"hello", peer),
        write(HEADER._replace(flags=0), b"hello", guard),
    ]
    salts = {one[at : at + 12] for one in [raw, *others]}
    assert len(salts) == 6


def test_md5_without_a_key_is_the_plain_digest_of_the_body() -> None:
    raw = write(HEADER, b"hello", Md5())
    assert raw[-16:].hex() == "5d41402abc4b2a76b9719d911017c592"
    fragment = read(raw)
    assert fragment.key_id == bytes(8)
    assert fragment.open(Md5()) == b"hello"
    with pytest.raises(Corrupted, match="tag"):
        read(raw[:-17] + b"p" + raw[-16:]).open(Md5())
    # The document's form says nothing of the header.
    assert read(raw[:10] + bytes([INITIATOR ^ 1]) + raw[11:]).open(Md5()) == b"hello"
    with pytest.raises(Corrupted, match='"md5", and the dialog has "digest"'):
        fragment.open()


def test_md5_under_a_key_is_not_to_be_seen() -> None:
    assert not write(HEADER, b"hello", Md5(OURS)).endswith(bytes.fromhex("5d41402abc4b2a76b9719d911017c592"))
