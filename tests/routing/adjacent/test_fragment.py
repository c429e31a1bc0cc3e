"""Fragments: written, read, passed on, and refused."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent import limits
from routing.adjacent.errors import Corrupted, LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import (
    END,
    ERROR,
    INITIATOR,
    MAX_FRAGMENT_BYTES,
    MIN_FRAGMENT_BYTES,
    UNSEQUENCED,
    AckRange,
    conversation_of,
    read_fragment,
    rewrite_hop,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.adjacent.guard import DIGEST, KEYED, MD5, NO_KEY, SEALED, TAG_BYTES, UNPROTECTED_BYTES
from tests.routing.adjacent.naive_wire import naive_read
from tests.routing.adjacent.strategies import headers
from tests.routing.adjacent.wire import CONVERSATION, HEADER, MESSAGE, NAMES, TARGET, Vector, vectors

VECTORS = list(vectors("fragment"))
SMALL = write_fragment(HEADER, b"hello")
NAMES_AT = 75


# ------------------------------------------------------------------------------------------------ as documented
def test_the_document_has_vectors() -> None:
    assert [vector.title.split()[1] for vector in VECTORS] == ["small", "second", "dedicated", "end"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.title)
def test_a_vector_is_written_and_read_as_documented(vector: Vector) -> None:
    assert write_fragment(vector.header(), vector.body()) == vector.raw
    fragment = read_fragment(vector.raw)
    assert fragment.header == vector.header()
    assert fragment.open() == vector.body()
    assert (fragment.integrity, fragment.key_id, fragment.body_size) == (DIGEST, NO_KEY, len(vector.body()))


@given(headers(), st.binary(min_size=1, max_size=200))
def test_what_is_written_is_what_the_document_says_and_what_is_read(header: Any, body: bytes) -> None:
    raw = write_fragment(header, memoryview(body))
    fragment = read_fragment(raw)
    assert (fragment.header, fragment.open(), fragment.body_size) == (header, body, len(body))
    assert conversation_of(raw) == header.conversation_id
    plain = naive_read(raw)
    assert {name.replace(" ", "_"): plain[name] for name in ("to service", "from service", "contract")} == {
        name: getattr(header.names, name) for name in ("to_service", "from_service", "contract")
    }
    assert plain["message type"] == header.names.message_type
    assert plain["to broker instance"] == header.names.to_broker_instance
    assert plain["from broker instance"] == header.names.from_broker_instance
    assert plain["conversation id"] == str(UUID(bytes=header.conversation_id))
    assert plain["message id"] == str(UUID(bytes=header.message_id))
    assert plain["hops remaining"] == header.hops_remaining
    assert plain["time consumed"] == header.time_consumed
    assert plain["time to live"] == header.time_to_live
    assert (plain["sequence"], plain["fragment"], plain["fragments"]) == header[4:5] + header[7:9]
    assert (plain["flags"], plain["acknowledged"], plain["body"]) == (header.flags, header.acknowledged, body)
    assert (plain["version"], plain["integrity"], plain["key id"]) == (1, 1, bytes(8))


def test_the_flags_have_names() -> None:
    assert HEADER.is_initiator
    assert HEADER.is_sequenced
    assert not HEADER.is_end
    assert not HEADER.is_error
    assert not HEADER._replace(flags=0).is_initiator
    assert not HEADER._replace(flags=UNSEQUENCED).is_sequenced
    assert HEADER._replace(flags=END).is_end
    assert HEADER._replace(flags=ERROR).is_error


def test_the_largest_fragment_is_as_large_as_its_limit_says_and_fits_in_any_frame() -> None:
    names = FragmentNames("𝄞" * 256, "𝄞" * 256, "𝄞" * 256, "𝄞" * 256, TARGET, TARGET)
    acknowledged = tuple(AckRange(2 * at, 0, 2 * at, 0) for at in range(limits.MAX_RANGES))
    raw = write_fragment(HEADER._replace(names=names, acknowledged=acknowledged), bytes(limits.MAX_BODY_BYTES))
    assert read_fragment(raw).open() == bytes(limits.MAX_BODY_BYTES)
    # The sealed kind adds the salt to what the digest adds.
    assert len(raw) + 12 == MAX_FRAGMENT_BYTES
    assert MAX_FRAGMENT_BYTES + 5 <= limits.MIN_FRAME_BYTES


# ------------------------------------------------------------------------------------------------ on the way
@given(st.integers(0, 255), st.integers(0, limits.MAX_TIME_MS))
def test_a_forwarder_changes_hops_and_time_and_nothing_else(hops: int, consumed: int) -> None:
    raw = rewrite_hop(SMALL, hops, consumed)
    assert raw[UNPROTECTED_BYTES:] == SMALL[UNPROTECTED_BYTES:]
    fragment = read_fragment(raw)
    assert fragment.header == HEADER._replace(hops_remaining=hops, time_consumed=consumed)
    assert fragment.open() == b"hello"


@pytest.mark.parametrize(
    ("hops", "consumed", "field"),
    [
        (-1, 0, "hops remaining"),
        (256, 0, "hops remaining"),
        (0, -1, "time consumed"),
        (0, limits.MAX_TIME_MS + 1, "time consumed"),
    ],
)
def test_a_forwarder_cannot_write_what_does_not_fit(hops: int, consumed: int, field: str) -> None:
    with pytest.raises(LocalProtocolError) as error:
        rewrite_hop(SMALL, hops, consumed)
    assert error.value.field == field


# ------------------------------------------------------------------------------------------------ refused both ways
ANY = AckRange(0, 0, 0, 0)
NOBODY: dict[str, Any] = {"flags": UNSEQUENCED, "sequence": 0, "acknowledged": (ANY,)}
REFUSED: list[tuple[dict[str, Any], bytes, str, int | None]] = [
    ({"conversation_id": bytes(16)}, b"x", "conversation id", None),
    ({"message_id": bytes(16)}, b"x", "message id", None),
    ({"flags": 16}, b"x", "flags", None),
    ({"flags": 128 | INITIATOR}, b"x", "flags", None),
    ({"flags": END | ERROR}, b"x", "flags", 11275),
    ({**NOBODY, "flags": UNSEQUENCED | END | ERROR}, b"x", "flags", 11275),
    ({**NOBODY, "flags": UNSEQUENCED | END}, b"", "flags", 11276),
    ({**NOBODY, "sequence": 1}, b"", "sequence", 11299),
    ({"flags": UNSEQUENCED | ERROR, "sequence": 1}, b"x", "sequence", 11299),
    ({**NOBODY, "fragments": 2}, b"", "fragment", None),
    ({**NOBODY, "acknowledged": ()}, b"", "flags", None),
    (NOBODY, b"x", "flags", None),
    ({"sequence": limits.MAX_SEQUENCE + 1}, b"x", "sequence", None),
    ({"fragment": 1}, b"x", "fragment", None),
    ({"fragments": 0}, b"x", "fragment", None),
    ({"fragments": limits.MAX_FRAGMENTS + 1}, b"x", "fragment", None),
    ({"fragments": 2}, b"", "body", None),
    ({"fragments": 2, "fragment": 1}, b"", "body", None),
    ({}, bytes(limits.MAX_BODY_BYTES + 1), "body", None),
    ({"time_to_live": 0}, b"x", "time to live", None),
    ({"acknowledged": tuple(AckRange(2 * at, 0, 2 * at, 0) for at in range(65))}, b"x", "acknowledged", None),
    ({"acknowledged": (AckRange(1, 1, 1, 0),)}, b"x", "acknowledged", None),
    ({"acknowledged": (AckRange(1, 1, 0, 1),)}, b"x", "acknowledged", None),
    ({"acknowledged": (ANY, ANY)}, b"x", "acknowledged", None),
    ({"acknowledged": (AckRange(1, 0, 3, 0), AckRange(2, 0, 4, 0))}, b"x", "acknowledged", None),
    ({"acknowledged": (AckRange(0, 0, limits.MAX_SEQUENCE + 1, 0),)}, b"x", "acknowledged", None),
    ({"acknowledged": (AckRange(0, 0, 1, limits.MAX_FRAGMENTS),)}, b"x", "acknowledged", None),
    ({"acknowledged": (AckRange(0, limits.MAX_FRAGMENTS, 1, 0),)}, b"x", "acknowledged", None),
]


@pytest.mark.parametrize(("changes", "body", "field", "number"), REFUSED)
def test_what_may_not_be_is_neither_written_nor_read(
    changes: dict[str, Any], body: bytes, field: str, number: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = HEADER._replace(**changes)
    with pytest.raises(LocalProtocolError) as local:
        write_fragment(header, body)
    with monkeypatch.context() as without_checks:
        without_checks.setattr("routing.adjacent.fragment._objection", lambda header, size: None)
        raw = write_fragment(header, body)
    with pytest.raises(Corrupted) as remote:
        read_fragment(raw)
    assert (local.value.field, local.value.number) == (remote.value.field, remote.value.number) == (field, number)
    assert str(local.value) == str(remote.value)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"conversation_id": CONVERSATION[1:]}, "conversation id"),
        ({"message_id": MESSAGE + b"\1"}, "message id"),
        ({"flags": -1}, "flags"),
        ({"flags": 256}, "flags"),
        ({"sequence": -1}, "sequence"),
        ({"fragment": -1}, "fragment"),
        ({"time_to_live": -1}, "time to live"),
        ({"time_to_live": limits.MAX_TIME_MS + 1}, "time to live"),
        ({"hops_remaining": 256}, "hops remaining"),
        ({"time_consumed": -1}, "time consumed"),
        ({"acknowledged": (AckRange(-1, 0, 0, 0),)}, "acknowledged"),
        ({"acknowledged": (AckRange(0, -1, 0, 0),)}, "acknowledged"),
        ({"acknowledged": (AckRange(0, 0, 1, -1),)}, "acknowledged"),
    ],
)
def test_what_no_bytes_could_say_is_not_written(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(LocalProtocolError) as error:
        write_fragment(HEADER._replace(**changes), b"x")
    assert error.value.field == field


@pytest.mark.parametrize(
    ("changes", "field", "problem"),
    [
        ({"to_service": ""}, "to service", "must not be empty"),
        ({"from_service": ""}, "from service", "must not be empty"),
        ({"to_service": "x" * 257}, "to service", "is longer than 256 characters"),
        ({"contract": "x" * 257}, "contract", "is longer than 256 characters"),
        ({"message_type": "a\0b"}, "message type", "holds a NUL or half a surrogate pair"),
        ({"from_service": "\ud800"}, "from service", "holds a NUL or half a surrogate pair"),
        ({"to_broker_instance": TARGET.upper()}, "to broker instance", "must be a GUID in lower case"),
        ({"from_broker_instance": "x"}, "from broker instance", "must be a GUID in lower case"),
        ({"from_broker_instance": ""}, "from broker instance", "must be a GUID in lower case"),
    ],
)
def test_names_that_the_product_could_not_hold_are_not_written(
    changes: dict[str, Any], field: str, problem: str
) -> None:
    with pytest.raises(LocalProtocolError) as error:
        write_fragment(HEADER._replace(names=NAMES._replace(**changes)), b"x")
    assert str(error.value) == f"{field}: {problem}"
    assert error.value.number is None


# ------------------------------------------------------------------------------------------------ refused when read
def with_names(section: bytes) -> bytes:
    """The small message with another section of names."""
    rest = SMALL[NAMES_AT + int.from_bytes(SMALL[73:75], "big") :]
    raw = SMALL[:73] + len(section).to_bytes(2, "big") + section + rest
    return (len(raw) - 4).to_bytes(4, "big") + raw[4:]


def text(name: bytes) -> bytes:
    return len(name).to_bytes(2, "big") + name


@pytest.mark.parametrize(
    ("section", "field", "problem"),
    [
        (b"", "names", "begins with a flag that is not known here"),
        (b"\4" + text(b"a") + text(b"b") + text(b"") + text(b""), "names", "begins with a flag that is not known here"),
        (b"\1" + bytes(15), "names", "ends in the middle of a name"),
        (b"\3" + bytes(31), "names", "ends in the middle of a name"),
        (b"\0", "names", "ends in the middle of a name"),
        (b"\0" + text(b"a") + b"\0", "names", "ends in the middle of a name"),
        (b"\0" + text(b"a") + b"\0\2b", "names", "ends in the middle of a name"),
        (b"\0" + text(b"a") + text(b"b") + text(b"") + text(b"") + b"c", "names", "goes on after the last name"),
        (b"\0" + text(b"") + text(b"b") + text(b"") + text(b""), "to service", "must not be empty"),
        (b"\0" + text(b"a") + text(b"") + text(b"") + text(b""), "from service", "must not be empty"),
        (b"\0" + text(b"a") + text(b"\xff") + text(b"") + text(b""), "from service", "is not UTF-8"),
        (b"\0" + text(b"a") + text(b"\xed\xa0\x80") + text(b"") + text(b""), "from service", "is not UTF-8"),
        (b"\0" + text(b"a") + text(b"b") + text(b"\xc0\x80") + text(b""), "contract", "is not UTF-8"),
        (
            b"\0" + text(b"a") + text(b"b") + text(b"a\0") + text(b""),
            "contract",
            "holds a NUL or half a surrogate pair",
        ),
        (
            b"\0" + text(b"a") + text(b"b") + text(b"") + text(b"c" * 257),
            "message type",
            "is longer than 256 characters",
        ),
    ],
)
def test_names_are_read_to_the_byte(section: bytes, field: str, problem: str) -> None:
    with pytest.raises(Corrupted) as error:
        read_fragment(with_names(section))
    assert str(error.value) == f"{field}: {problem}"


def changed(at: int, piece: bytes) -> bytes:
    return SMALL[:at] + piece + SMALL[at + len(piece) :]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "length: a fragment cannot have 0 bytes"),
        (SMALL[: MIN_FRAGMENT_BYTES - 1], "length: a fragment cannot have 90 bytes"),
        (bytes(MAX_FRAGMENT_BYTES + 1), f"length: a fragment cannot have {MAX_FRAGMENT_BYTES + 1} bytes"),
        (SMALL[:-1], "length: says 163, and 162 bytes follow"),
        (SMALL + b"\0", "length: says 163, and 164 bytes follow"),
        (changed(9, b"\0"), "version: 0 is not known here"),
        (changed(9, b"\2"), "version: 2 is not known here"),
        (changed(11, b"\0"), "integrity: there is no kind 0"),
        (changed(11, b"\5"), "integrity: there is no kind 5"),
        (changed(72, b"\3"), "length: header and tag alone are longer than the fragment"),
        (changed(73, b"\xff\xff"), "length: header and tag alone are longer than the fragment"),
    ],
)
def test_a_fragment_is_read_to_the_byte(raw: bytes, problem: str) -> None:
    with pytest.raises(Corrupted) as error:
        read_fragment(raw)
    assert str(error.value) == problem
    assert isinstance(error.value, RemoteProtocolError)


def test_header_and_tag_may_be_all_there_is() -> None:
    """One byte less, and there is no room for both."""
    raw = write_fragment(HEADER, b"")
    assert read_fragment(raw).body_size == 0
    cut = (len(raw) - 5).to_bytes(4, "big") + raw[4:-1]
    with pytest.raises(Corrupted, match="alone are longer"):
        read_fragment(cut)


def test_no_bit_can_be_changed_unseen_but_those_of_hops_and_time() -> None:
    for bit in range(8 * UNPROTECTED_BYTES, 8 * len(SMALL)):
        raw = bytearray(SMALL)
        raw[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Corrupted):
            read_fragment(bytes(raw)).open()


@pytest.mark.parametrize(("kind", "name"), [(KEYED, "keyed"), (SEALED, "sealed"), (MD5, "md5")])
def test_a_fragment_of_another_kind_is_not_opened(kind: int, name: str) -> None:
    body = b"hello" if kind != SEALED else bytes(28)
    raw = write_fragment(HEADER, body)
    raw = raw[:11] + bytes([kind]) + raw[12:]
    with pytest.raises(Corrupted) as error:
        read_fragment(raw).open()
    assert str(error.value) == f'integrity: is of the kind "{name}", and the dialog has "digest"'


def test_a_fragment_of_other_keys_is_not_opened() -> None:
    with pytest.raises(Corrupted, match="key id: names other keys than those of the dialog"):
        read_fragment(changed(64, b"12345678")).open()


def test_what_the_tag_says_is_what_went_wrong() -> None:
    with pytest.raises(Corrupted, match="tag: does not fit"):
        read_fragment(changed(len(SMALL) - TAG_BYTES, b"\0")).open()


@settings(max_examples=300)
@given(st.binary(max_size=400))
def test_bytes_of_any_kind_are_read_or_corrupt(noise: bytes) -> None:
    for raw in (noise, (len(noise) + 96).to_bytes(4, "big") + SMALL[4:100] + noise):
        try:
            fragment = read_fragment(raw)
        except Corrupted:
            continue
        assert len(fragment.raw) == fragment.body_at + fragment.body_size + (28 if fragment.integrity == SEALED else 16)
