"""Files and streams that a command reads: bounded, and refused with one clear error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from routing.common.errors import InputError, Invalid
from routing.common.sentence import Sentence, say
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import MAX_DOCUMENT_BYTES, read_estate
from routing.documents.json_pull import reject_duplicate_keys
from routing.model.conversation import Conversation
from routing.model.estate import Estate

STANDARD_INPUT = "-"
MAX_LINE = 1 << 20
"""Bytes of one line of JSON lines. A conversation has some hundreds."""
_PIECE = 1 << 20
"""Bytes read at once: `read` makes room for all that it is asked for, however small the file."""


def load_estate(name: str, max_size: int = MAX_DOCUMENT_BYTES) -> Estate:
    """The estate document in a file, or (`-`) on standard input. Raises `InputError`."""
    return read_estate(load_bytes(name, max_size), where=name)


def load_bytes(name: str, max_size: int, *, is_fixed: bool = False) -> bytes:
    """All of a file, or (`-`) of standard input. Raises `InputError` where it is larger than `max_size`, which an
    option of the command raises unless it `is_fixed`."""
    with opened(name) as stream:
        content = _read(stream, name, max_size + 1)
    if len(content) <= max_size:
        return content
    if is_fixed:
        raise InputError(name, "", say("is larger than {limit} bytes", limit=max_size))
    raise InputError(name, "", say("is larger than {limit} bytes; --max-size allows more", limit=max_size))


def load_conversations(name: str, estate: Estate) -> list[Conversation]:
    """The conversations of a JSON lines file, each checked against the estate. Raises `InputError` with the line."""
    conversations = []
    for number, line in lines_of(name):
        try:
            conversation = conversation_from(json_line(line))
            conversation.check(estate)
        except (Invalid, ValueError, RecursionError) as fault:
            raise InputError(name, f"line {number}", _problem(fault)) from None
        conversations.append(conversation)
    return conversations


def json_line(text: str) -> Any:
    """The value of one line of JSON; `Invalid` where an object has a key twice."""
    return json.loads(text, object_pairs_hook=reject_duplicate_keys)


def lines_of(name: str) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, from 1; blank ones are passed over."""
    with opened(name) as stream:
        number = 0
        while line := _read_line(stream, name, number + 1):
            number += 1
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                problem = say("is not UTF-8: {reason}", reason=error.reason)
                raise InputError(name, f"line {number}", problem) from None
            if text:
                yield number, text


def opened(name: str) -> BinaryIO:
    """A file to read in bytes; `-` is standard input."""
    if name == STANDARD_INPUT:
        return _standard_input()
    try:
        return Path(name).open("rb")
    except (OSError, ValueError) as error:
        raise InputError(name, "", _unreadable(error)) from None


def _standard_input() -> BinaryIO:
    """Return standard input. Raises an error if it is closed, or was read before."""
    stream: TextIO | None = sys.stdin
    if stream is None or stream.closed:
        raise InputError(STANDARD_INPUT, "", say("standard input is closed, or was read already"))
    return stream.buffer


def _read(stream: BinaryIO, name: str, limit: int) -> bytes:
    pieces = []
    try:
        while limit > 0 and (piece := stream.read(min(limit, _PIECE))):
            pieces.append(piece)
            limit -= len(piece)
    except OSError as error:
        raise InputError(name, "", _unreadable(error)) from None
    return b"".join(pieces)


def _read_line(stream: BinaryIO, name: str, number: int) -> bytes:
    try:
        line = stream.readline(MAX_LINE + 1)
    except OSError as error:
        raise InputError(name, "", _unreadable(error)) from None
    if len(line) > MAX_LINE:
        raise InputError(name, f"line {number}", say("is longer than {limit} bytes", limit=MAX_LINE))
    return line


def _unreadable(error: OSError | ValueError) -> Sentence:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return say("cannot be read: {reason}", reason=reason)


def _problem(fault: Exception) -> Sentence:
    if isinstance(fault, Invalid):
        return say("{path}: {problem}", path=fault.path, problem=fault.problem) if fault.path else fault.problem
    if isinstance(fault, json.JSONDecodeError):
        return say("is not JSON: {reason} at column {column}", reason=fault.msg, column=fault.colno)
    return say("is nested too deeply") if isinstance(fault, RecursionError) else say("has a number that is too long")
