"""Statements and values as PostgreSQL takes them: numbered parameters, and bytes.

The server finds the type of a parameter from the statement: by its cast, or by the column beside it. Numbers travel as
text then, whatever width the server wants; bodies and arrays travel as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, Final, NamedTuple

from django.db import DataError

TEXT_FORMAT: Final = 0
BINARY_FORMAT: Final = 1
NUL_REFUSED: Final = "a text for PostgreSQL cannot contain NUL (0x00)"
_OID_BYTES: Final = 17
_OID_TEXT: Final = 25
_PARAMETER: Final = re.compile(r"%\((\w+)\)[sb]")
_array_head: Final = Struct("!5i").pack
_empty_array: Final = Struct("!3i").pack
_length: Final = Struct("!i").pack
_NULL: Final = _length(-1)


class ServerStatement(NamedTuple):
    """A statement whose parameters have numbers."""

    sql: bytes
    names: tuple[str, ...]
    """Of its parameters, in the order of their numbers."""

    def values(self, parameters: Mapping[str, Any]) -> tuple[list[bytes | None], list[int]]:
        """Return the values of its parameters, and the format of each. Raises `DataError` for a text with a NUL."""
        count = len(self.names)
        values: list[bytes | None] = [None] * count
        formats = [TEXT_FORMAT] * count
        for place, name in enumerate(self.names):
            value = parameters[name]
            if type(value) is int:
                values[place] = b"%d" % value
            elif type(value) is str:
                if "\0" in value:
                    raise DataError(NUL_REFUSED)
                values[place] = value.encode()
            elif type(value) is bytes:
                values[place], formats[place] = value, BINARY_FORMAT
            elif value is not None:
                values[place], formats[place] = _dumped(value)
        return values, formats


@lru_cache(maxsize=1_000)
def server_statement(sql: str) -> ServerStatement:
    """Return the statement with `$1` for its first parameter `%(name)s`, and so on."""
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"${numbers.setdefault(found[1], len(numbers) + 1)}"

    return ServerStatement(_PARAMETER.sub(numbered, sql).encode(), tuple(numbers))


def _dumped(value: Any) -> tuple[bytes, int]:
    """Return a value that is neither a plain number nor text or bytes, and its format."""
    if isinstance(value, bool):
        return (b"t" if value else b"f"), TEXT_FORMAT
    if isinstance(value, int):
        return b"%d" % value, TEXT_FORMAT
    if isinstance(value, str):
        return value.encode(), TEXT_FORMAT
    return (text_array(value) if isinstance(value, list) else bytes(value)), BINARY_FORMAT


def text_array(texts: Iterable[str | None]) -> bytes:
    """Return a `text[]`."""
    return _array(_OID_TEXT, [None if one is None else one.encode() for one in texts])


def bytes_array(bodies: Iterable[Any]) -> bytes:
    """Return a `bytea[]`; a body may be a part of something larger."""
    return _array(_OID_BYTES, [None if one is None else bytes(one) for one in bodies])


def literal_array(column: Sequence[int | bool | None]) -> str:
    """Return an array of numbers or truth values as PostgreSQL writes it: Python writes such a list at once."""
    return f"{{{str(list(column))[1:-1].replace('None', 'NULL')}}}"


def _array(oid: int, items: Sequence[bytes | None]) -> bytes:
    if not items:
        return _empty_array(0, 0, oid)
    parts = [_array_head(1, None in items, oid, len(items), 1)]
    for item in items:
        parts += (_NULL,) if item is None else (_length(len(item)), item)
    return b"".join(parts)
