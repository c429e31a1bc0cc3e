"""Protection of a fragment by each kind of guard, and the documentation of these kinds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent.errors import Corrupted
from routing.adjacent.fragment import INITIATOR, read_fragment, rewrite_hop, write_fragment
from routing.adjacent.guard import KEYED, MD5, OVERHEAD_BYTES, SEALED, UNPROTECTED_BYTES, FragmentGuard
from routing.adjacent.limits import MAX_BODY_BYTES
from routing.security.guards import KeyedGuard, Md5Guard, SealedGuard
from routing.security.keys import KeyAgreement, SessionKeys
from tests.routing.adjacent.strategies import headers
from tests.routing.adjacent.wire import CONVERSATION, HEADER, MESSAGE, vectors
from tests.routing.security.ciphers import Exact, Quick
from tests.routing.security.test_keys import ONE, OTHER, THIRD

OURS = KeyAgreement(Quick(), ONE, OTHER.public).session(CONVERSATION, is_initiator=True)
THEIRS = KeyAgreement(Quick(), OTHER, ONE.public).session(CONVERSATION, is_initiator=False)
Make = Callable[[SessionKeys], FragmentGuard]
GUARDS: dict[int, Make] = {
    KEYED: KeyedGuard,
    SEALED: lambda session: SealedGuard(Quick(), session),
    MD5: Md5Guard,
}


@pytest.mark.parametrize(
    ("kind", "make"), [(KEYED, KeyedGuard), (SEALED, lambda s: SealedGuard(Exact(), s)), (MD5, Md5Guard)]
)
def test_a_vector_is_written_and_read_as_documented(kind: int, make: Make) -> None:
    name = {KEYED: "keyed", SEALED: "sealed", MD5: "md5"}[kind]
    (vector,) = vectors(name)
    assert write_fragment(vector.header(), vector.body(), make(OURS)) == vector.raw
    fragment = read_fragment(vector.raw)
    assert (fragment.header, fragment.integrity, fragment.key_id) == (vector.header(), kind, OURS.key_id)
    assert fragment.body_size == len(vector.body())
    assert fragment.open(make(THEIRS)) == vector.body()


@pytest.mark.parametrize("kind", GUARDS)
@settings(max_examples=40)
@given(headers(), st.binary(min_size=1, max_size=200))
def test_what_one_side_closes_the_other_opens_wherever_it_has_been(kind: int, header: object, body: bytes) -> None:
    raw = write_fragment(header, memoryview(body), GUARDS[kind](OURS))  # type: ignore[arg-type] - each kind of guard takes these keys
    assert read_fragment(raw).open(GUARDS[kind](THEIRS)) == body
    assert read_fragment(rewrite_hop(raw, 0, 99)).open(GUARDS[kind](THEIRS)) == body
    assert len(raw) == read_fragment(raw).body_at + len(body) + OVERHEAD_BYTES[kind]


@pytest.mark.parametrize("kind", GUARDS)
def test_it_goes_both_ways_and_a_fragment_cannot_be_thrown_back(kind: int) -> None:
    there = write_fragment(HEADER, b"there", GUARDS[kind](OURS))
    back = write_fragment(HEADER._replace(flags=0), b"back", GUARDS[kind](THEIRS))
    assert read_fragment(there).open(GUARDS[kind](THEIRS)) == b"there"
    assert read_fragment(back).open(GUARDS[kind](OURS)) == b"back"
    with pytest.raises(Corrupted):
        read_fragment(there).open(GUARDS[kind](OURS))
    with pytest.raises(Corrupted):
        read_fragment(back).open(GUARDS[kind](THEIRS))


@pytest.mark.parametrize("kind", GUARDS)
def test_no_bit_can_be_changed_but_those_of_hops_and_time(kind: int) -> None:
    raw = write_fragment(HEADER, b"hello", GUARDS[kind](OURS))
    guard = GUARDS[kind](THEIRS)
    for bit in range(8 * UNPROTECTED_BYTES, 8 * len(raw)):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Corrupted):
            read_fragment(bytes(changed)).open(guard)


@pytest.mark.parametrize("kind", GUARDS)
@pytest.mark.parametrize("body", [b"", b"x", bytes(MAX_BODY_BYTES)])
def test_bodies_of_all_sizes(kind: int, body: bytes) -> None:
    raw = write_fragment(HEADER, body, GUARDS[kind](OURS))
    assert read_fragment(raw).open(GUARDS[kind](THEIRS)) == body


@pytest.mark.parametrize("kind", GUARDS)
def test_another_dialog_or_database_cannot_open_it(kind: int) -> None:
    raw = write_fragment(HEADER, b"hello", GUARDS[kind](OURS))
    other_dialog = KeyAgreement(Quick(), OTHER, ONE.public).session(MESSAGE, is_initiator=False)
    with pytest.raises(Corrupted, match="tag: does not fit"):
        read_fragment(raw).open(GUARDS[kind](other_dialog))
    other_database = KeyAgreement(Quick(), THIRD, ONE.public).session(CONVERSATION, is_initiator=False)
    with pytest.raises(Corrupted, match="key id: names other keys"):
        read_fragment(raw).open(GUARDS[kind](other_database))


def test_only_the_sealed_kind_hides_the_body_and_forwarders_read_the_header_of_all() -> None:
    body = b"the body of a message that somebody would like to read"
    for kind, make in GUARDS.items():
        raw = write_fragment(HEADER, body, make(OURS))
        assert (body in raw) == (kind != SEALED)
        assert HEADER.names.to_service.encode() in raw
        assert read_fragment(raw).header == HEADER


def test_a_fragment_that_is_sent_again_is_the_same_and_no_other_has_its_salt() -> None:
    guard, peer = GUARDS[SEALED](OURS), GUARDS[SEALED](THEIRS)
    raw = write_fragment(HEADER, b"hello", guard)
    assert write_fragment(HEADER, b"hello", guard) == raw
    assert write_fragment(HEADER._replace(hops_remaining=3, time_consumed=7), b"hello", guard)[9:] == raw[9:]
    at = read_fragment(raw).body_at
    others = [
        write_fragment(HEADER, b"hellp", guard),
        write_fragment(HEADER._replace(sequence=4), b"hello", guard),
        write_fragment(HEADER._replace(time_to_live=59_999), b"hello", guard),
        write_fragment(HEADER, b"hello", peer),
        write_fragment(HEADER._replace(flags=0), b"hello", guard),
    ]
    salts = {one[at : at + 12] for one in [raw, *others]}
    assert len(salts) == 6


def test_md5_without_a_key_is_the_plain_digest_of_the_body() -> None:
    raw = write_fragment(HEADER, b"hello", Md5Guard())
    assert raw[-16:].hex() == "5d41402abc4b2a76b9719d911017c592"
    fragment = read_fragment(raw)
    assert fragment.key_id == bytes(8)
    assert fragment.open(Md5Guard()) == b"hello"
    with pytest.raises(Corrupted, match="tag"):
        read_fragment(raw[:-17] + b"p" + raw[-16:]).open(Md5Guard())
    # The document's form says nothing of the header.
    assert read_fragment(raw[:10] + bytes([INITIATOR ^ 1]) + raw[11:]).open(Md5Guard()) == b"hello"
    with pytest.raises(Corrupted, match='"md5", and the dialog has "digest"'):
        fragment.open()


def test_md5_under_a_key_is_not_to_be_seen() -> None:
    assert not write_fragment(HEADER, b"hello", Md5Guard(OURS)).endswith(
        bytes.fromhex("5d41402abc4b2a76b9719d911017c592")
    )
