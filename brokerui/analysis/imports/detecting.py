"""Guesses the kind and the instance of a file from its name and first bytes; the user can correct both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from brokerui.analysis.imports.sources import Kind
from routing.catalog.document import FORMAT as CATALOG_FORMAT
from routing.catalog.document import read_catalog
from routing.catalog.drawn_tables import read_table
from routing.catalog.frames import framed_document, without_space
from routing.catalog.headless_grid import read_headless
from routing.common.errors import InputError, Invalid
from routing.documents.estate_document import FORMAT as ESTATE_FORMAT
from routing.model.estate import INSTANCE_NAME_CHARS
from routing.tsql import decode_script
from routing.tsql.not_script import has_statements

BEGINNING = 64 << 10
"""Bytes that are looked at."""
WHOLE = 2 << 20
"""Bytes of a catalog that is read to the end for the name of its instance."""
_FRAMED = re.compile(r"<[0-9A-F]{4}\|\d{1,8}/\d{1,8}\|")
_CONNECT = re.compile(r"^[ \t]*:connect[ \t]+\"?(?:tcp:)?([^\s\",$]+)", re.IGNORECASE | re.MULTILINE)
_DIRECTIVE = re.compile(r'^-- brokerui: \{"instance": \{"name": "((?:[^"\\])+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Guess:
    """The kind, names and address that the form proposes for a file; each may be empty."""

    kind: Kind
    instance: str = ""
    database: str = ""


def guess(name: str, content: bytes) -> Guess:
    """Guess the kind of a file, which holds until the user chooses another."""
    stem = _stem(name)
    try:
        text = decode_script(content[:BEGINNING], where=name)
    except InputError:
        text = content[:BEGINNING].decode("utf-8", "replace")
    if _is_document(text):
        return Guess(Kind.DOCUMENT)
    if CATALOG_FORMAT in text or _FRAMED.search(text):
        return Guess(Kind.CATALOG, _server(content, name) or stem)
    if _is_grid(text):
        instance, database, *_ = (*stem.split("."), "")
        return Guess(Kind.CATALOG, instance, database)
    if name.lower().endswith(".json"):
        return Guess(Kind.DOCUMENT)
    named = _DIRECTIVE.search(text) or _CONNECT.search(text)
    return Guess(Kind.SCRIPT, (named[1] if named else stem)[:INSTANCE_NAME_CHARS])


def _stem(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).stem[:INSTANCE_NAME_CHARS]


def _is_document(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("{") and ESTATE_FORMAT in text


def _is_grid(text: str) -> bool:
    """Return whether a text begins with the header of a grid. Its last line may be cut off."""
    lines = text.splitlines(keepends=True)[:50]
    try:
        if read_table("".join(lines), where="") is not None:
            return True
        if not has_statements(text) and read_headless("".join(lines[: -1 if len(lines) > 1 else None])) is not None:
            return True
        return any(read_table("".join(lines[at : at + 2]), where="") is not None for at in range(len(lines)))
    except (InputError, Invalid, ValueError):
        return True


def _server(content: bytes, name: str) -> str:
    """Return the instance name in a result of collect-sql; empty where it has none."""
    if len(content) > WHOLE:
        return ""
    try:
        text = decode_script(content, where=name)
        document = framed_document(without_space(text)) or text
        return str(read_catalog(document, where=name).server.get("server_name") or "")[:INSTANCE_NAME_CHARS]
    except (InputError, Invalid):
        return ""
