"""The names in the header of a fragment, as bytes: services, contract, message type, and the identifiers of brokers.

docs/reference/wire.md describes them. All messages of one type in one direction have the same, so both ways are cached.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from routing.adjacent.errors import Corrupted, LocalProtocolError
from routing.common.errors import Invalid
from routing.common.identifier import identifier_bytes, identifier_of, parse_identifier
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say

_TEXT: Final = Struct(">H")
_ID: Final = 16
NAMES_CACHE_SIZE: Final = 4096
"""Parsed names sections to cache, since the messages of a conversation repeat them. At most 17 MB, usually below 1."""
_HAS_TO_BROKER: Final = 1
_HAS_FROM_BROKER: Final = 2
_NAME_LIMITS: Final[Mapping[str, int]] = {
    "to service": SERVICE_NAME_CHARS,
    "from service": SERVICE_NAME_CHARS,
    "contract": SERVICE_NAME_CHARS,
    "message type": SERVICE_NAME_CHARS,
}
_TEXTS: Final = 4
"""Number of text fields in `FragmentNames`, before the identifiers."""
_REQUIRED: Final = frozenset({"to service", "from service"})


class FragmentNames(NamedTuple):
    """Names for routing and dispatch: the same for all messages of one type in one direction."""

    to_service: str
    from_service: str
    contract: str = ""
    message_type: str = ""
    """Empty in a standalone acknowledgement."""
    to_broker_instance: str | None = None
    """A GUID in lower case, as `parse_identifier` gives it."""
    from_broker_instance: str | None = None


@lru_cache(NAMES_CACHE_SIZE)
def write_names(names: FragmentNames) -> bytes:
    """Return the names section of a header. Raises `LocalProtocolError` for names that the format cannot hold."""
    to_broker, from_broker = names.to_broker_instance, names.from_broker_instance
    has = (to_broker is not None and _HAS_TO_BROKER) | (from_broker is not None and _HAS_FROM_BROKER)
    identifiers = (("to broker instance", to_broker), ("from broker instance", from_broker))
    written = [_written_identifier(field, text) for field, text in identifiers if text is not None]
    texts = zip(_NAME_LIMITS.items(), names[:_TEXTS], strict=True)
    return b"".join((bytes([has]), *written, *[_written_text(field, limit, name) for (field, limit), name in texts]))


def _written_identifier(field: str, identifier: str) -> bytes:
    try:
        same = parse_identifier(identifier) == identifier
    except Invalid:
        same = False
    if not same:
        raise LocalProtocolError(field, say("must be a GUID in lower case"))
    return identifier_bytes(identifier)


def _written_text(field: str, limit: int, name: str) -> bytes:
    try:
        _check(name, field, limit)
    except Invalid as invalid:
        raise LocalProtocolError(invalid.path, invalid.problem) from None
    text = name.encode()
    return _TEXT.pack(len(text)) + text


@lru_cache(NAMES_CACHE_SIZE)
def read_names(section: bytes) -> FragmentNames:
    """Parse the names section of a header. Raises `Corrupted` if `write_names` cannot have written it."""
    if not section or section[0] & ~(_HAS_TO_BROKER | _HAS_FROM_BROKER):
        raise Corrupted("names", say("begins with a flag that is not known here"))
    at, identifiers = _read_identifiers(section)
    texts: list[str] = []
    for field, limit in _NAME_LIMITS.items():
        at, text = _read_text(section, at, field, limit)
        texts.append(text)
    if at != len(section):
        raise Corrupted("names", say("goes on after the last name"))
    return FragmentNames(texts[0], texts[1], texts[2], texts[3], identifiers[0], identifiers[1])


def _read_identifiers(section: bytes) -> tuple[int, list[str | None]]:
    """Return the index after the identifiers, and both of them."""
    at = 1
    found: list[str | None] = []
    for flag in (_HAS_TO_BROKER, _HAS_FROM_BROKER):
        if not section[0] & flag:
            found.append(None)
            continue
        found.append(identifier_of(_piece(section, at, _ID)))
        at += _ID
    return at, found


def _read_text(section: bytes, at: int, field: str, limit: int) -> tuple[int, str]:
    """Return the index after the text at `at`, and the text."""
    (size,) = _TEXT.unpack(_piece(section, at, _TEXT.size))
    at += _TEXT.size
    try:
        text = _piece(section, at, size).decode()
        _check(text, field, limit)
    except UnicodeDecodeError:
        raise Corrupted(field, say("is not UTF-8")) from None
    except Invalid as invalid:
        raise Corrupted(invalid.path, invalid.problem) from None
    return at + size, text


def _piece(section: bytes, at: int, size: int) -> bytes:
    piece = section[at : at + size]
    if len(piece) != size:
        raise Corrupted("names", say("ends in the middle of a name"))
    return piece


def _check(name: str, field: str, limit: int) -> None:
    """Raise `Invalid` for a name longer than SQL Server's columns."""
    if name or field in _REQUIRED:
        check_name(name, field, limit)
