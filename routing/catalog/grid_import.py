"""Turns a grid into a snapshot: its cells by column of the view, and by database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from routing.catalog.grid_parser import Grid
from routing.catalog.shapes import SERVER_PARTS, SHAPES, TEXT, Row, ViewShape
from routing.catalog.snapshot import CatalogSnapshot, Rows
from routing.common.errors import InputError, Invalid
from routing.common.moment import format_moment, parse_moment
from routing.common.names import MSDB
from routing.common.sentence import say

DATABASE_COLUMNS = ("database_name", "database", "db_name")
"""Columns that users add to name the database of a row."""
_WAITING = ViewShape({"to_service_name": TEXT, "transmission_status": TEXT, "enqueue_time": TEXT}, ())


def snapshot_of_grid(grid: Grid, database: str | None, *, where: str) -> CatalogSnapshot:
    """Make a snapshot of a grid. Raises `InputError`, with the line, for a cell that its column cannot hold."""
    if grid.view in SERVER_PARTS:
        if database is not None:
            raise InputError(where, "", say("is a grid of sys.{view}, which is of no database", view=grid.view))
        return CatalogSnapshot(where, databases=tuple(row for _, row in _rows(grid, SHAPES[grid.view], where)))
    naming = next((index for index, column in enumerate(grid.columns) if column in DATABASE_COLUMNS), None)
    if naming is None and database is None:
        problem = say("is a grid of sys.{view}; say of which database: NAME/DATABASE=FILE", view=grid.view)
        raise InputError(where, "", problem)
    waiting = grid.view == "transmission_queue"
    found: dict[str, list[Row]] = {}
    for cells, row in _rows(grid, _WAITING if waiting else SHAPES[grid.view], where):
        found.setdefault(_spelt(cells[naming]) if naming is not None else "", []).append(row)
    if naming is None and database is not None:
        found = {_spelt(database): found.get("", [])}
    summed = _sums if waiting else tuple
    return CatalogSnapshot(where, parts={name: {grid.view: summed(rows)} for name, rows in found.items()})


def _spelt(database: str) -> str:
    """The name as given, except msdb, which instances write in lower case."""
    return MSDB if database.lower() == MSDB else database


def _rows(grid: Grid, shape: ViewShape, where: str) -> Iterator[tuple[tuple[str, ...], Row]]:
    """For each row: the cells that identify its database, and its values."""
    for line, cells in grid.rows:
        row = {}
        for column, cell in zip(grid.columns, cells, strict=True):
            kind = shape.columns.get(column)
            if kind is None:
                continue
            try:
                row[column] = None if _is_null(column, cell, shape) else kind.from_cell(cell)
            except Invalid as fault:
                raise InputError(
                    where, f"line {line}", say("{column}: {problem}", column=column, problem=fault.problem)
                ) from None
        yield cells, row


def _is_null(column: str, cell: str, shape: ViewShape) -> bool:
    if cell and column in shape.required:
        return False
    if not cell and column in shape.required:
        raise Invalid("", say("is missing"))
    return cell in ("", "NULL")


def _sums(rows: list[Row]) -> Rows:
    """Sum the messages by target service and status."""
    sums: dict[tuple[str | None, str | None], tuple[int, datetime | None]] = {}
    for row in rows:
        key = row.get("to_service_name"), row.get("transmission_status")
        count, oldest = sums.get(key, (0, None))
        moment = _moment(row.get("enqueue_time"))
        sums[key] = count + 1, min((m for m in (oldest, moment) if m is not None), default=None)
    return tuple(
        {
            "to_service_name": service,
            "transmission_status": status,
            "messages": count,
            "oldest": format_moment(oldest) if oldest else None,
        }
        for (service, status), (count, oldest) in sums.items()
    )


def _moment(text: str | None) -> datetime | None:
    """Parse the enqueue time as ISO 8601; None for a date in a national format."""
    try:
        return None if text is None else parse_moment(text)
    except Invalid:
        return None
