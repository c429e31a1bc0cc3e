"""Questions and answers about the role of a mirrored database (MIR-2), as docs/reference/wire.md describes them.

They travel between the other frames of a connection, or alone, and may be lost: the asking instance asks again. A
digest detects accidental changes, which could otherwise make a mirror look like the principal.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple

from routing.adjacent.errors import LocalProtocolError, RemoteProtocolError
from routing.adjacent.frames import FRAME_HEAD, ROLE, ROLE_ANSWER, ROLE_QUESTION, read_frame, write_frame
from routing.adjacent.guard import TAG_BYTES, WIRE_LABEL
from routing.common.errors import Invalid
from routing.common.identifier import identifier_bytes, identifier_of, parse_identifier
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import Sentence, say
from routing.model.address import parse_network_address
from routing.model.estate import MIRROR, PRINCIPAL

ROLES: Final = (None, PRINCIPAL, MIRROR)
"""Roles by their number on the wire."""
_ID: Final = 16
_NULL: Final = identifier_of(bytes(_ID))
_HEAD: Final = Struct(f">{len(ROLE)}s{_ID}sB")
_TEXT: Final = Struct(">H")


class RoleQuestion(NamedTuple):
    """Does the instance at an address hold the principal of this service?"""

    question_id: str
    """A GUID drawn for the question; the answer repeats it."""
    service: str
    broker_instance: str | None = None
    """Broker identifier of the route; None: any."""
    reply_to: str = ""
    """Network address of the asking instance, for an answer outside this connection; empty if it has none."""


class RoleAnswer(NamedTuple):
    question_id: str
    role: str | None
    """PRINCIPAL, MIRROR, or None: no mirrored database there has the service."""


RoleMessage = RoleQuestion | RoleAnswer


def is_role(raw: bytes) -> bool:
    """Return True if the bytes are a role frame and not a fragment."""
    return raw[FRAME_HEAD.size : FRAME_HEAD.size + len(ROLE)] == ROLE


def write_role(message: RoleMessage) -> bytes:
    """Return the frame. Raises `LocalProtocolError` for an invalid message."""
    for field, problem in _objections(message):
        raise LocalProtocolError(field, problem)
    question_id = identifier_bytes(message.question_id)
    if isinstance(message, RoleAnswer):
        return _tagged(ROLE_ANSWER, _HEAD.pack(ROLE, question_id, ROLES.index(message.role)))
    pieces = [_HEAD.pack(ROLE, question_id, message.broker_instance is not None)]
    if message.broker_instance is not None:
        pieces.append(identifier_bytes(message.broker_instance))
    for text in (message.service, message.reply_to):
        piece = text.encode()
        pieces += (_TEXT.pack(len(piece)), piece)
    return _tagged(ROLE_QUESTION, b"".join(pieces))


def _tagged(kind: int, content: bytes) -> bytes:
    frame = write_frame(kind, content + bytes(TAG_BYTES))[:-TAG_BYTES]
    return frame + _tag(frame)


def _tag(frame: bytes) -> bytes:
    """Return the tag of a frame given without its tag."""
    return blake2b(frame, digest_size=TAG_BYTES, person=WIRE_LABEL).digest()


def read_role(raw: bytes) -> RoleMessage:
    """Parse a role frame. Raises `RemoteProtocolError` for anything `write_role` cannot have written."""
    frame = read_frame(raw)
    if frame.kind not in {ROLE_QUESTION, ROLE_ANSWER} or not is_role(raw):
        raise RemoteProtocolError("frame", say("is no question or answer about a mirroring role"))
    if not raw.endswith(_tag(raw[:-TAG_BYTES])):
        raise RemoteProtocolError("tag", say("does not fit: the frame was changed on the way"))
    _, question_id, number = _HEAD.unpack_from(frame.content)
    message = (
        _question(identifier_of(question_id), number, frame.content[_HEAD.size : -TAG_BYTES])
        if frame.kind == ROLE_QUESTION
        else _answer(identifier_of(question_id), number)
    )
    for field, problem in _objections(message):
        raise RemoteProtocolError(field, problem)
    return message


def _answer(question_id: str, number: int) -> RoleAnswer:
    if number >= len(ROLES):
        raise RemoteProtocolError("role", say("{number} is no known role", number=number))
    return RoleAnswer(question_id, ROLES[number])


def _question(question_id: str, has_broker: int, rest: bytes) -> RoleQuestion:
    if has_broker > 1:
        raise RemoteProtocolError("broker instance", say("begins with a flag that is not known here"))
    broker_instance, texts = (identifier_of(rest[:_ID]), rest[_ID:]) if has_broker else (None, rest)
    service, texts = _text("service", texts)
    reply_to, texts = _text("reply to", texts)
    if texts:
        raise RemoteProtocolError("reply to", say("is followed by something else"))
    return RoleQuestion(question_id, service, broker_instance, reply_to)


def _text(field: str, data: bytes) -> tuple[str, bytes]:
    """Return a text and the bytes after it."""
    end = _TEXT.size + int.from_bytes(data[: _TEXT.size], "big")
    if len(data) < end:
        raise RemoteProtocolError(field, say("is longer than its frame"))
    try:
        return data[_TEXT.size : end].decode(), data[end:]
    except UnicodeDecodeError:
        raise RemoteProtocolError(field, say("is not UTF-8")) from None


def _objections(message: RoleMessage) -> Iterator[tuple[str, Sentence]]:
    """Yield every invalid field with its problem."""
    if message.question_id == _NULL or not _is_identifier(message.question_id):
        yield "question id", say("must be a GUID that is not null")
    if isinstance(message, RoleAnswer):
        if message.role not in ROLES:
            yield "role", say("must be null, PRINCIPAL or MIRROR")
        return
    if message.broker_instance is not None and not _is_identifier(message.broker_instance):
        yield "broker instance", say("must be a GUID in lower case")
    try:
        check_name(message.service, "service", SERVICE_NAME_CHARS)
    except Invalid as invalid:
        yield invalid.path, invalid.problem
    if message.reply_to and not _is_canonical(message.reply_to):
        yield "reply to", say("must be a network address in its canonical form")


def _is_identifier(text: str) -> bool:
    try:
        return parse_identifier(text) == text
    except Invalid:
        return False


def _is_canonical(text: str) -> bool:
    try:
        return parse_network_address(text).key == text
    except Invalid:
        return False
