"""Turns a grid into a snapshot: its cells by column of the view, and by database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from routing.catalog.grid_parser import Grid
from routing.catalog.grid_sums import SUMMED, GroupSums, shape_of_rows
from routing.catalog.shapes import SERVER_PARTS, SHAPES, Row, ViewShape
from routing.catalog.snapshot import CatalogSnapshot, Rows
from routing.common.errors import InputError, Invalid
from routing.common.names import MSDB
from routing.common.sentence import say

DATABASE_COLUMNS = ("database_name", "database", "db_name")
"""Columns that users add to name the database of a row."""


def snapshot_of_grid(grid: Grid, database: str | None, *, where: str, at: datetime | None = None) -> CatalogSnapshot:
    """Make a snapshot of a grid; `at` is the moment from which ages count. Raises `InputError`, with the line, for a
    cell that its column cannot hold."""
    if grid.view in SERVER_PARTS:
        if database is not None:
            raise InputError(where, "", say("is a grid of sys.{view}, which is of no database", view=grid.view))
        return CatalogSnapshot(where, databases=tuple(row for _, row in _rows(grid, SHAPES[grid.view], where)))
    naming = next((index for index, column in enumerate(grid.columns) if column in DATABASE_COLUMNS), None)
    if naming is None and database is None:
        problem = say("is a grid of sys.{view}; name its database: NAME/DATABASE=FILE", view=grid.view)
        raise InputError(where, "", problem)
    if grid.view in SUMMED:
        return CatalogSnapshot(where, parts=_summed(grid, naming, database, where, at))
    found: dict[str, list[Row]] = {}
    for cells, row in _rows(grid, SHAPES[grid.view], where):
        found.setdefault(_spelt(cells[naming]) if naming is not None else "", []).append(row)
    if naming is None and database is not None:
        found = {_spelt(database): found.get("", [])}
    return CatalogSnapshot(where, parts={name: {grid.view: tuple(rows)} for name, rows in found.items()})


def _summed(
    grid: Grid, naming: int | None, database: str | None, where: str, at: datetime | None
) -> dict[str, dict[str, Rows]]:
    """The sums by database: none of the rows is kept."""
    view = SUMMED[grid.view]
    found = {_spelt(database): GroupSums(view, at)} if naming is None and database is not None else {}
    for cells, row in _rows(grid, shape_of_rows(grid.view, grid.columns), where):
        name = _spelt(cells[naming] if naming is not None else database or "")
        found.setdefault(name, GroupSums(view, at)).add(row)
    return {name: {grid.view: sums.rows(), "totals": sums.totals()} for name, sums in found.items()}


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
