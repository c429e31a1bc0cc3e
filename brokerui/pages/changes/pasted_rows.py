"""Rows of `sys.routes` that a user pastes from a grid, with its headings or without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from brokerui.pages.changes.edited_rows import CELLS, MAX_ROWS, EditedRow
from routing.catalog.drawn_tables import read_table
from routing.catalog.grid_parser import Grid
from routing.catalog.headless_grid import read_headless
from routing.common.errors import InputError, Invalid
from routing.common.moment import format_moment, typed_moment
from routing.common.sentence import Sentence, say

NULLS = frozenset(("null", "(null)"))
NEEDED = ("name", "address")


class NoRowsError(ValueError):
    """The text is no grid of routes: `problem` says why."""

    def __init__(self, problem: Sentence) -> None:
        super().__init__(str(problem))
        self.problem = problem


def pasted_rows(text: str, place: str, first: int = 0) -> list[EditedRow]:
    """Read the rows of a grid; they are of `place` where it has no columns `instance` and `database`.

    Raises `NoRowsError` for a text that is no grid of routes.
    """
    grid = _grid(text)
    if grid is None or not set(NEEDED) <= set(grid.columns):
        raise NoRowsError(say("This is no grid of sys.routes. Copy it with its headings: name, address and others."))
    rows = list(_rows(grid, place, first))
    if len(rows) > MAX_ROWS:
        raise NoRowsError(say("At most {limit} rows can be pasted at once.", limit=MAX_ROWS))
    return rows


def _grid(text: str) -> Grid | None:
    try:
        return read_table(text, where="") or read_headless(text)
    except (Invalid, InputError) as fault:
        raise NoRowsError(fault.problem) from None


def _rows(grid: Grid, place: str, first: int) -> Iterator[EditedRow]:
    for number, (line, cells) in enumerate(grid.rows, first):
        named = dict(zip(grid.columns, map(_value, cells), strict=False))
        own = "/".join(filter(None, (named.get("instance", ""), named.get("database", ""))))
        yield EditedRow(number, own or place, named.get("name", ""), _cells(named), is_new=True, line=line)


def _cells(named: Mapping[str, str]) -> dict[str, str]:
    cells = {cell: named.get(cell, "") for cell in CELLS}
    return {**cells, "lifetime": _moment(cells["lifetime"])}


def _value(cell: str) -> str:
    return "" if cell.strip().lower() in NULLS else cell


def _moment(text: str) -> str:
    """The lifetime as cells have it; a text that is no moment stays as it is, and is told at its row."""
    try:
        return format_moment(typed_moment(text)) if text else ""
    except Invalid:
        return text
