"""Reads a saved file: a result of the script in any saved form, or a grid of one view."""

from __future__ import annotations

from datetime import datetime

from routing.catalog.document import read_catalog
from routing.catalog.drawn_tables import read_table
from routing.catalog.frames import framed_document, without_space
from routing.catalog.grid_import import snapshot_of_grid
from routing.catalog.grid_parser import Grid
from routing.catalog.headless_grid import read_headless
from routing.catalog.snapshot import CatalogSnapshot
from routing.catalog.unwrap import plain_document
from routing.common.errors import InputError, Invalid
from routing.common.sentence import Sentence, say
from routing.tsql.encodings import text_from
from routing.tsql.not_script import form_of, has_statements
from routing.tsql.text import decode_script


def read_saved(
    content: bytes,
    *,
    where: str,
    database: str | None = None,
    encoding: str | None = None,
    at: datetime | None = None,
) -> CatalogSnapshot:
    """Read a file about an instance, or about its `database`, completely; `at` is the moment from which the ages of a
    grid count. Raises `InputError` if any part is damaged."""
    text = text_from(content, where=where, encoding=encoding) if encoding else decode_script(content, where=where)
    document = _document(text, where)
    if document is None:
        # A result of collect-sql is ASCII; a grid has names.
        grid = _grid(text_from(content, where=where, encoding=encoding), where)
        return snapshot_of_grid(grid, database, where=where, at=at)
    if database is not None:
        raise InputError(where, "", say("is of a whole instance: give it as NAME=FILE"))
    return read_catalog(document, where=where)


def _grid(text: str, where: str) -> Grid:
    """The grid of a text, with or without headings. Raises `InputError` if there is none."""
    grid = read_table(text, where=where)
    if grid is None:
        try:
            grid = None if has_statements(text) else read_headless(text)
        except Invalid as fault:
            problem = say("is a grid without headings, and {problem}: copy it with them", problem=fault.problem)
            raise InputError(where, "", problem) from None
    if grid is None:
        raise InputError(where, "", _no_catalog(text))
    return grid


def _no_catalog(text: str) -> Sentence:
    likely = form_of(text) or (_SCRIPT if has_statements(text) else None)
    return say("{problem}; it looks like {what}", problem=_NOTHING, what=likely) if likely else _NOTHING


_SCRIPT = say("a script: give it to `import-sql`, or as a script")
_NOTHING = say(
    "holds neither a result of collect-sql nor a grid of {views}",
    views=("sys.databases", "sys.routes", "sys.services", "sys.service_queues", "sys.transmission_queue"),
)


def _document(text: str, where: str) -> str | None:
    bare = without_space(text)
    try:
        framed = framed_document(bare)
    except Invalid as fault:
        raise InputError(where, fault.path, fault.problem) from None
    return framed if framed is not None else plain_document(text)
