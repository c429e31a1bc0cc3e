"""Frames: the stream in any cut, to the byte."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent import frames
from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import MAX_FRAGMENT_BYTES, write_fragment
from routing.adjacent.frames import (
    FrameReader,
    Hello,
    WireFrame,
    read_close,
    read_frame,
    read_hello,
    write_close,
    write_fragments,
    write_frame,
    write_hello,
)
from routing.adjacent.limits import MAX_BODY_BYTES, MAX_CLOSE_TEXT_BYTES, MAX_FRAME_BYTES, MIN_FRAME_BYTES
from routing.adjacent.roles import RoleAnswer, RoleQuestion, write_role
from tests.routing.adjacent.wire import HEADER, TARGET, Vector, vectors

HELLO = Hello("SERVER1\\INST", b"i" * 16, b"c" * 16, 1 << 20, 1, 3)
SMALL = write_fragment(HEADER, b"hello")
LARGE = write_fragment(HEADER, bytes(MAX_BODY_BYTES))
ASKED = write_role(RoleQuestion(TARGET, "//x/Target", TARGET, "tcp://a:4022"))
ANSWERED = write_role(RoleAnswer(TARGET, "PRINCIPAL"))
STREAM = [
    (write_hello(HELLO), WireFrame(frames.HELLO, write_hello(HELLO)[5:])),
    (write_frame(frames.CLAIM, bytes(16)), WireFrame(frames.CLAIM, bytes(16))),
    (write_frame(frames.ACCEPT, bytes(8)), WireFrame(frames.ACCEPT, bytes(8))),
    (write_fragments([SMALL], len(SMALL)), WireFrame(frames.FRAGMENTS, b"", (SMALL,))),
    (
        write_fragments([SMALL, LARGE, SMALL], 2 * len(SMALL) + len(LARGE)),
        WireFrame(frames.FRAGMENTS, b"", (SMALL, LARGE, SMALL)),
    ),
    (write_frame(frames.PING), WireFrame(frames.PING, b"")),
    (write_frame(frames.PONG), WireFrame(frames.PONG, b"")),
    (ASKED, WireFrame(frames.ROLE_QUESTION, ASKED[5:])),
    (ANSWERED, WireFrame(frames.ROLE_ANSWER, ANSWERED[5:])),
    (write_close(2, "bye"), WireFrame(frames.CLOSE, b"\2bye")),
]
BYTES = b"".join(raw for raw, _ in STREAM)
FRAMES = [frame for _, frame in STREAM]


def taken(reader: FrameReader) -> list[WireFrame]:
    found = []
    while (frame := reader.next()) is not None:
        found.append(frame)
    return found


def reader(*data: bytes) -> FrameReader:
    made = FrameReader(MAX_FRAME_BYTES)
    for piece in data:
        made.feed(piece)
    return made


# ------------------------------------------------------------------------------------------------ any cut
@settings(max_examples=60)
@given(st.lists(st.integers(0, len(BYTES)), max_size=40))
def test_the_cut_of_the_stream_does_not_matter(cuts: list[int]) -> None:
    made = FrameReader(MAX_FRAME_BYTES)
    found = []
    for begin, end in pairwise(sorted([0, *cuts, len(BYTES)])):
        made.feed(BYTES[begin:end])
        found += taken(made)
    assert found == FRAMES


def test_the_stream_comes_byte_by_byte() -> None:
    made = FrameReader(MAX_FRAME_BYTES)
    found = []
    for at in range(len(BYTES)):
        made.feed(BYTES[at : at + 1])
        found += taken(made)
    assert found == FRAMES


def test_the_caller_may_use_its_buffer_again() -> None:
    buffer = bytearray(BYTES)
    made = FrameReader(MAX_FRAME_BYTES)
    made.feed(buffer)
    buffer[:] = bytes(len(buffer))
    assert taken(made) == FRAMES


# ------------------------------------------------------------------------------------------------ limits
@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"\0\0\0\1\0", "frame: there is no kind 0"),
        (b"\0\0\0\1\12", "frame: there is no kind 10"),
        (b"GET / HTTP/1.1\r\n", "frame: there is no kind 47"),
        (b"\0\0\0\0\5", "frame: PING cannot have -1 bytes"),
        (b"\0\0\0\2\5", "frame: PING cannot have 1 bytes"),
        (b"\0\0\0\2\6", "frame: PONG cannot have 1 bytes"),
        (b"\0\0\0\10\3", "frame: ACCEPT cannot have 7 bytes"),
        (b"\0\0\0\12\3", "frame: ACCEPT cannot have 9 bytes"),
        (b"\0\0\0\20\2", "frame: CLAIM cannot have 15 bytes"),
        (b"\0\0\0\22\2", "frame: CLAIM cannot have 17 bytes"),
        (b"\0\0\0\1\7", "frame: CLOSE cannot have 0 bytes"),
        (b"\0\0\2\3\7", "frame: CLOSE cannot have 514 bytes"),
        (b"\0\0\0\53\10", "frame: ROLE? cannot have 42 bytes"),
        (b"\0\0\x08\x3c\10", "frame: ROLE? cannot have 2107 bytes"),
        (b"\0\0\0\46\11", "frame: ROLE cannot have 37 bytes"),
        (b"\0\0\0\50\11", "frame: ROLE cannot have 39 bytes"),
        (b"\0\0\4\2\1", "frame: HELLO cannot have 1025 bytes"),
        (b"\0\0\0\55\1", "frame: HELLO cannot have 44 bytes"),
        (b"\0\0\0\1\4", "frame: FRAGMENTS cannot have 0 bytes"),
        (b"\0\0\0\133\4", "frame: FRAGMENTS cannot have 90 bytes"),
        (b"\0\x3f\xff\xfd\4", "frame: FRAGMENTS cannot have 4194300 bytes"),
        (b"\xff\xff\xff\xff\4", "frame: FRAGMENTS cannot have 4294967294 bytes"),
    ],
)
def test_a_head_that_cannot_be_is_refused_before_anything_follows(raw: bytes, problem: str) -> None:
    with pytest.raises(RemoteProtocolError) as error:
        reader(raw).next()
    assert str(error.value) == problem


def test_the_largest_frame_is_taken_and_none_larger() -> None:
    most = len(STREAM[4][0]) - 5
    made = FrameReader(most)
    made.feed(STREAM[4][0])
    assert made.next() == FRAMES[4]
    made = FrameReader(most - 1)
    made.feed(STREAM[4][0][:5])
    with pytest.raises(RemoteProtocolError, match="FRAGMENTS cannot have"):
        made.next()


def test_the_limits_of_kinds_are_taken() -> None:
    assert reader(b"\0\0\2\2\7" + bytes(1 + MAX_CLOSE_TEXT_BYTES)).next() == WireFrame(
        frames.CLOSE, bytes(1 + MAX_CLOSE_TEXT_BYTES)
    )
    assert reader(b"\0\0\4\1\1" + bytes(1024)).next() == WireFrame(frames.HELLO, bytes(1024))
    assert reader(b"\0\0\0\56\1" + bytes(45)).next() == WireFrame(frames.HELLO, bytes(45))


def length(size: int) -> bytes:
    return size.to_bytes(4, "big")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (SMALL + b"\0", "fragment: only 1 bytes are left for one"),
        (SMALL + SMALL[:90], "fragment: only 90 bytes are left for one"),
        (SMALL + SMALL[:-1], "fragment: one of 167 bytes, and 166 are left"),
        (length(86) + bytes(160), "fragment: one of 90 bytes, and 164 are left"),
        (
            length(MAX_FRAGMENT_BYTES - 3) + bytes(MAX_FRAGMENT_BYTES),
            f"fragment: one of {MAX_FRAGMENT_BYTES + 1} bytes",
        ),
        (length(0xFFFFFFFF) + bytes(160), "fragment: one of 4294967299 bytes"),
    ],
)
def test_fragments_must_fill_their_frame(content: bytes, problem: str) -> None:
    made = reader(write_frame(frames.FRAGMENTS, content))
    with pytest.raises(RemoteProtocolError) as error:
        made.next()
    assert str(error.value).startswith(problem)


def test_a_frame_that_waits_for_its_end_holds_what_came_and_no_more() -> None:
    made = FrameReader(MAX_FRAME_BYTES)
    made.feed(STREAM[4][0][:-1])
    for _ in range(3):
        assert made.next() is None
    made.feed(b"")
    assert made.next() is None
    made.feed(STREAM[4][0][-1:] + STREAM[0][0][:3])
    assert made.next() == FRAMES[4]
    assert made.next() is None
    made.feed(STREAM[0][0][3:])
    assert made.next() == FRAMES[0]
    assert made.next() is None


@pytest.mark.parametrize(("raw", "frame"), STREAM)
def test_a_frame_that_came_alone_is_read(raw: bytes, frame: WireFrame) -> None:
    assert read_frame(raw) == frame


@pytest.mark.parametrize("raw", [b"", b"\0\0\0\1", ASKED[:-1], ASKED + b"\0", ASKED + ANSWERED])
def test_what_is_not_one_frame_is_refused(raw: bytes) -> None:
    with pytest.raises(RemoteProtocolError, match=f"frame: {len(raw)} bytes are not one frame"):
        read_frame(raw)


@settings(max_examples=300)
@given(st.data())
def test_a_changed_stream_is_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(BYTES)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, 400))] = data.draw(st.integers(0, 255))
    try:
        found = taken(reader(bytes(raw)))
    except RemoteProtocolError:
        return
    assert sum(5 + len(frame.content) + sum(map(len, frame.fragments)) for frame in found) <= len(raw)


# ------------------------------------------------------------------------------------------------ contents
HELLOS = list(vectors("hello"))


@pytest.mark.parametrize("vector", HELLOS, ids=lambda vector: vector.title)
def test_a_hello_is_written_and_read_as_documented(vector: Vector) -> None:
    hello = Hello(
        vector.fields["instance name"],
        bytes.fromhex(vector.fields["instance id"]),
        bytes.fromhex(vector.fields["connection id"]),
        int(vector.fields["frame size"]),
    )
    assert write_hello(hello) == vector.raw
    assert read_hello(vector.raw[5:]) == hello


def test_the_documented_frames_are_those_of_the_code() -> None:
    assert len(HELLOS) == 1
    written = {vector.title: vector.raw for vector in vectors("frame")}
    small = next(vectors("fragment")).raw
    assert written == {
        "no connection is used yet": write_frame(frames.CLAIM, bytes(16)),
        "accepted by the first decision": write_frame(frames.ACCEPT, b"\0\0\0\0\0\0\0\1"),
        "a frame with the first fragment above": write_fragments([small], len(small)),
        "idle": write_close(2),
    }


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=128))
def test_a_hello_is_read_as_it_was_written(name: str) -> None:
    hello = HELLO._replace(name=name)
    assert read_hello(write_hello(hello)[5:]) == hello
    assert read_hello(write_hello(hello)[5:] + b"of a later version") == hello


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": ""}, "instance name: must not be empty"),
        ({"name": "x" * 129}, "instance name: is longer than 128 characters"),
        ({"name": "\udc00"}, "instance name: holds a NUL or half a surrogate pair"),
        ({"instance_id": bytes(16)}, "instance id, connection id: must be 16 bytes that are not all 0"),
        ({"connection_id": bytes(16)}, "instance id, connection id: must be 16 bytes that are not all 0"),
        ({"instance_id": b"x"}, "instance id, connection id: must be 16 bytes that are not all 0"),
        ({"connection_id": b"x" * 17}, "instance id, connection id: must be 16 bytes that are not all 0"),
        ({"max_frame_bytes": MIN_FRAME_BYTES - 1}, "frame size: must be 131072 to 4194304"),
        ({"max_frame_bytes": MAX_FRAME_BYTES + 1}, "frame size: must be 131072 to 4194304"),
    ],
)
def test_a_hello_that_may_not_be_is_not_written(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(LocalProtocolError) as error:
        write_hello(HELLO._replace(**changes))
    assert str(error.value) == problem


def test_the_limits_of_a_hello_are_within() -> None:
    for size in (MIN_FRAME_BYTES, MAX_FRAME_BYTES):
        assert read_hello(write_hello(HELLO._replace(max_frame_bytes=size))[5:]).max_frame_bytes == size
    assert len(write_hello(HELLO._replace(name="𝄞" * 128))) <= 5 + 1024


def hello_with(at: int, piece: bytes) -> bytes:
    content = write_hello(HELLO)[5:]
    return content[:at] + piece + content[at + len(piece) :]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (hello_with(0, b"HTTP"), "HELLO: is of another protocol"),
        (hello_with(4, b"\0"), "version: the range from 0 to 3 holds no version"),
        (hello_with(4, b"\4"), "version: the range from 4 to 3 holds no version"),
        (hello_with(6, bytes(16)), "instance id, connection id: must not be null"),
        (hello_with(22, bytes(16)), "instance id, connection id: must not be null"),
        (hello_with(38, (MIN_FRAME_BYTES - 1).to_bytes(4, "big")), "frame size: 131071 is too small for a fragment"),
        (hello_with(42, b"\0\15"), "instance name: is longer than its HELLO"),
        (hello_with(42, b"\0\0"), "instance name: must not be empty"),
        (hello_with(44, b"\xff"), "instance name: is not UTF-8"),
        (hello_with(44, b"\0"), "instance name: holds a NUL or half a surrogate pair"),
    ],
)
def test_a_hello_that_may_not_be_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(RemoteProtocolError) as error:
        read_hello(content)
    assert str(error.value) == problem


def test_a_close_says_as_much_as_fits_and_is_shown_whatever_it_says() -> None:
    assert read_close(write_close(4, "ä" * 300)[5:]) == (4, "ä" * 256)
    assert read_close(write_close(4, "x" + "ä" * 300)[5:]) == (4, "x" + "ä" * 255 + "\ufffd")
    assert read_close(b"\xff\xfe") == (255, "\ufffd")
    assert write_close(1, "\ud800")[5:] == b"\1?"
