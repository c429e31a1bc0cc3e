"""Frames as bytes: the stream of a connection, split into frames of known kind and bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import Struct
from typing import Final, NamedTuple

from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.fragment import MAX_FRAGMENT_BYTES, MIN_FRAGMENT_BYTES
from routing.adjacent.guard import TAG_BYTES
from routing.adjacent.limits import (
    MAX_CHARACTER_BYTES,
    MAX_CLOSE_TEXT_BYTES,
    MAX_FRAME_BYTES,
    MAX_HELLO_BYTES,
    MIN_FRAME_BYTES,
    VERSION,
)
from routing.common.errors import Invalid
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS, check_name
from routing.common.sentence import say
from routing.model.address import ADDRESS_CHARS

HELLO: Final = 1
CLAIM: Final = 2
ACCEPT: Final = 3
FRAGMENTS: Final = 4
PING: Final = 5
PONG: Final = 6
CLOSE: Final = 7
ROLE_QUESTION: Final = 8
ROLE_ANSWER: Final = 9
KINDS: Final[Mapping[int, str]] = {
    HELLO: "HELLO",
    CLAIM: "CLAIM",
    ACCEPT: "ACCEPT",
    FRAGMENTS: "FRAGMENTS",
    PING: "PING",
    PONG: "PONG",
    CLOSE: "CLOSE",
    ROLE_QUESTION: "ROLE?",
    ROLE_ANSWER: "ROLE",
}

FRAME_HEAD: Final = Struct(">IB")
_LENGTH: Final = Struct(">I")
_KIND: Final = 1
_ID: Final = 16
NO_CONNECTION: Final = bytes(_ID)
DECISION_BYTES: Final = 8
"""Bytes of the decision number in an ACCEPT."""
ROLE: Final = b"ROLE\0"
"""Prefix of ROLE? and ROLE. Its last byte is where a fragment has its version, which is never 0: this distinguishes a
role frame outside a connection from a fragment."""
_OF_ROLE: Final = len(ROLE) + _ID + 1 + TAG_BYTES
"""Bytes common to ROLE? and ROLE: prefix, question id, a flag or role, and the tag."""
_TEXTS: Final = 2 * 2
"""Bytes of the two length fields of service and address."""
_MAGIC: Final = b"BRUI"
_HELLO: Final = Struct(">4sBB16s16sIH")

_SIZES: Final[Mapping[int, tuple[int, int]]] = {
    HELLO: (_HELLO.size + 1, MAX_HELLO_BYTES),
    CLAIM: (_ID, _ID),
    ACCEPT: (DECISION_BYTES, DECISION_BYTES),
    FRAGMENTS: (MIN_FRAGMENT_BYTES, MAX_FRAME_BYTES - FRAME_HEAD.size),
    PING: (0, 0),
    PONG: (0, 0),
    CLOSE: (1, 1 + MAX_CLOSE_TEXT_BYTES),
    ROLE_QUESTION: (
        _OF_ROLE + _TEXTS + 1,
        _OF_ROLE + _ID + _TEXTS + MAX_CHARACTER_BYTES * (SERVICE_NAME_CHARS + ADDRESS_CHARS),
    ),
    ROLE_ANSWER: (_OF_ROLE, _OF_ROLE),
}
"""Minimum and maximum content bytes of each kind."""


class Hello(NamedTuple):
    """Introduction of one side."""

    name: str
    """Instance name."""
    instance_id: bytes
    """Drawn when the instance starts: distinguishes instances with one name, and restarts."""
    connection_id: bytes
    """Drawn by the dialling side; the other side repeats it."""
    max_frame_bytes: int = MIN_FRAME_BYTES
    """Largest frame in bytes that it accepts."""
    lowest: int = VERSION
    highest: int = VERSION
    """Range of supported versions."""


class WireFrame(NamedTuple):
    kind: int
    content: bytes
    fragments: tuple[bytes, ...] = ()
    """The fragments of a FRAGMENTS frame, its whole content."""


# ------------------------------------------------------------------------------------------------ writing
def write_frame(kind: int, content: bytes = b"") -> bytes:
    return FRAME_HEAD.pack(_KIND + len(content), kind) + content


def write_fragments(fragments: Iterable[bytes], size: int) -> bytes:
    """Return a FRAGMENTS frame; `size`: total bytes of the fragments."""
    return b"".join((FRAME_HEAD.pack(_KIND + size, FRAGMENTS), *fragments))


def write_hello(hello: Hello) -> bytes:
    """Return the HELLO frame. Raises `LocalProtocolError` for invalid values."""
    try:
        check_name(hello.name, "instance name", SYSNAME_CHARS)
    except Invalid as invalid:
        raise LocalProtocolError(invalid.path, invalid.problem) from None
    if len(hello.instance_id) != _ID or len(hello.connection_id) != _ID or NO_CONNECTION in hello[1:3]:
        raise LocalProtocolError("instance id, connection id", say("must be 16 bytes that are not all 0"))
    if not MIN_FRAME_BYTES <= hello.max_frame_bytes <= MAX_FRAME_BYTES:
        limits = {"least": MIN_FRAME_BYTES, "most": MAX_FRAME_BYTES}
        raise LocalProtocolError("frame size", say("must be {least} to {most}", **limits))
    name = hello.name.encode()
    fixed = _HELLO.pack(
        _MAGIC, hello.lowest, hello.highest, hello.instance_id, hello.connection_id, hello.max_frame_bytes, len(name)
    )
    return write_frame(HELLO, fixed + name)


def write_close(reason: int, text: str = "") -> bytes:
    """Return the CLOSE frame, with the text truncated to fit."""
    return write_frame(CLOSE, bytes([reason]) + text.encode("utf-8", "replace")[:MAX_CLOSE_TEXT_BYTES])


# ------------------------------------------------------------------------------------------------ reading
def read_hello(content: bytes) -> Hello:
    """Parse a HELLO. Bytes after the name, from later versions, are ignored."""
    magic, lowest, highest, instance_id, connection_id, max_frame_bytes, size = _HELLO.unpack_from(content)
    if magic != _MAGIC:
        raise RemoteProtocolError("HELLO", say("is of another protocol"))
    if not 0 < lowest <= highest:
        raise RemoteProtocolError(
            "version", say("the range from {lowest} to {highest} holds no version", lowest=lowest, highest=highest)
        )
    if NO_CONNECTION in (instance_id, connection_id):
        raise RemoteProtocolError("instance id, connection id", say("must not be null"))
    if max_frame_bytes < MIN_FRAME_BYTES:
        raise RemoteProtocolError("frame size", say("{size} is too small for a fragment", size=max_frame_bytes))
    piece = content[_HELLO.size : _HELLO.size + size]
    if len(piece) != size:
        raise RemoteProtocolError("instance name", say("is longer than its HELLO"))
    try:
        name = piece.decode()
        check_name(name, "instance name", SYSNAME_CHARS)
    except UnicodeDecodeError:
        raise RemoteProtocolError("instance name", say("is not UTF-8")) from None
    except Invalid as invalid:
        raise RemoteProtocolError(invalid.path, invalid.problem) from None
    return Hello(name, instance_id, connection_id, max_frame_bytes, lowest, highest)


def read_close(content: bytes) -> tuple[int, str]:
    """Return the close reason and its text; invalid UTF-8 is replaced."""
    return content[0], content[1:].decode("utf-8", "replace")


def read_frame(raw: bytes) -> WireFrame:
    """Parse exactly one frame. Raises `RemoteProtocolError` for anything else."""
    reader = FrameReader(MAX_FRAME_BYTES)
    reader.feed(raw)
    frame = reader.next()
    if frame is None or reader.held:
        raise RemoteProtocolError("frame", say("{size} bytes are not one frame", size=len(raw)))
    return frame


class FrameReader:
    """Splits the byte stream of a connection into frames. Buffers at most one frame and the last `feed`."""

    def __init__(self, most: int = MAX_HELLO_BYTES) -> None:
        self.most = most
        """Maximum content bytes of the next frame; increased once the peer is identified."""
        self._data: bytes | bytearray = b""
        self._at = 0

    @property
    def held(self) -> int:
        """Bytes fed and not yet returned as frames."""
        return len(self._data) - self._at

    def feed(self, data: bytes) -> None:
        """Add received bytes. Read all frames with `next` before feeding more."""
        if self._at == len(self._data):
            self._data = bytes(data)
        elif isinstance(self._data, bytes):
            self._data = bytearray(memoryview(self._data)[self._at :])
            self._data += data
        else:
            del self._data[: self._at]
            self._data += data
        self._at = 0

    def next(self) -> WireFrame | None:
        """Return the next complete frame, or None. Raises `RemoteProtocolError` as soon as a frame head is invalid."""
        at = self._at + FRAME_HEAD.size
        if at > len(self._data):
            return None
        length, kind = FRAME_HEAD.unpack_from(self._data, self._at)
        sizes = _SIZES.get(kind)
        if sizes is None:
            raise RemoteProtocolError("frame", say("there is no kind {kind}", kind=kind))
        size = length - _KIND
        if not sizes[0] <= size <= min(sizes[1], self.most):
            raise RemoteProtocolError("frame", say("{kind} cannot have {size} bytes", kind=KINDS[kind], size=size))
        end = at + size
        if end > len(self._data):
            return None
        self._at = end
        with memoryview(self._data) as view:
            if kind == FRAGMENTS:
                return WireFrame(kind, b"", tuple(_cut(view, at, end)))
            return WireFrame(kind, bytes(view[at:end]))


def _cut(view: memoryview, at: int, end: int) -> Iterable[bytes]:
    """Yield the fragments between two offsets, which they must fill exactly."""
    while at < end:
        if end - at < MIN_FRAGMENT_BYTES:
            raise RemoteProtocolError("fragment", say("only {size} bytes are left for one", size=end - at))
        (length,) = _LENGTH.unpack_from(view, at)
        size = length + _LENGTH.size
        if not MIN_FRAGMENT_BYTES <= size <= min(MAX_FRAGMENT_BYTES, end - at):
            raise RemoteProtocolError(
                "fragment", say("one of {size} bytes, and {left} are left", size=size, left=end - at)
            )
        yield bytes(view[at : at + size])
        at += size
