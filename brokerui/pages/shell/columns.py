"""Columns of a table, described once: heads, the order of rows and the shown columns, all read from the address.

`sort=messages` orders by a column, `sort=-messages` in the other direction; `columns=messages,oldest` shows these
columns beside the one that names the row. A page with several tables gives each a name, which stands before both
parameters.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.utils.functional import Promise

from brokerui.core.errors import BadAddressError
from routing.common.sentence import Sentence, say

Row = TypeVar("Row")
BEGINNINGS = ("after", "page")
"""Parameters that say where a page of rows begins: another order begins at its first row."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column."""

    name: str
    """In the address."""
    label: Promise | str
    by: Callable[[Row], Any] | None = None
    """The value by which rows are sorted, None where a row has none; without it the head is no link."""
    _: KW_ONLY
    is_number: bool = False
    """Aligned to the right; its first order has the largest value first."""
    is_head: bool = False
    """It names the row, and is always shown."""
    is_moment: bool = False
    """Its head names the zone of the moments."""
    is_usual: bool = True
    """Whether it is shown where the address chooses nothing."""
    files: tuple[str, ...] = ()
    """Columns of the file that show the same."""


class ColumnHead(NamedTuple):
    """The head of a shown column."""

    label: Promise | str
    query: str
    """Of the page that is sorted by it; empty: it sorts nothing."""
    aria_sort: str
    is_number: bool
    is_moment: bool


class ColumnChoice(NamedTuple):
    """A line of the menu."""

    name: str
    label: Promise | str
    is_on: bool


class Table(Generic[Row]):
    """The description of a table."""

    def __init__(self, *columns: Column[Row], name: str = "") -> None:
        self.columns = {column.name: column for column in columns}
        self.sort_key = f"{name}-sort" if name else "sort"
        self.columns_key = f"{name}-columns" if name else "columns"

    def read(self, query: Mapping[str, str]) -> ShownTable[Row]:
        """Return the table as an address wants it. Raises `BadAddressError` for an unknown column."""
        sort, text = query.get(self.sort_key, "").strip(), query.get(self.columns_key, "")
        sortable = [name for name, column in self.columns.items() if column.by]
        names = frozenset(filter(None, map(str.strip, text.split(","))))
        if sort:
            _known(sort.removeprefix("-"), sortable, say("sort"))
        for name in sorted(names):
            _known(name, self.columns, say("columns"))
        return ShownTable(self, dict(query.items()), sort, names)


def _known(name: str, names: Collection[str], parameter: Sentence) -> None:
    if name in names:
        return
    close = difflib.get_close_matches(name, names, 1)
    if close:
        problem = 'this table has no column "{name}" for {parameter}=; did you mean "{close}"?'
        raise BadAddressError(say(problem, name=name, parameter=parameter, close=close[0]))
    problem = 'this table has no column "{name}" for {parameter}=; it takes {names}'
    raise BadAddressError(say(problem, name=name, parameter=parameter, names=tuple(names)))


@dataclass(frozen=True)
class ShownTable(Generic[Row]):
    """A table as one address shows it."""

    table: Table[Row]
    query: Mapping[str, str]
    sort: str
    """The column that rows are sorted by, after a minus where the largest comes first; empty: the usual order."""
    names: frozenset[str]
    """Chosen columns; empty: the usual ones."""

    @property
    def own(self) -> dict[str, str]:
        """The parameters of the table, for links and forms beside it."""
        chosen = ",".join(name for name in self.table.columns if name in self.names)
        found = {self.table.sort_key: self.sort, self.table.columns_key: chosen}
        return {name: value for name, value in found.items() if value}

    @cached_property
    def has(self) -> dict[str, bool]:
        """By the name of a column: whether it is shown."""
        return {name: self._is_shown(column) for name, column in self.table.columns.items()}

    def _is_shown(self, column: Column[Row]) -> bool:
        return column.is_head or (column.name in self.names if self.names else column.is_usual)

    def ordered(self, rows: Iterable[Row]) -> list[Row]:
        """Sort rows by the chosen column. Rows without a value come last, equal ones stay as they came."""
        if not self.sort:
            return list(rows)
        by = self.table.columns[self.sort.removeprefix("-")].by
        assert by is not None
        values = [(by(row), row) for row in rows]
        with_value = [pair for pair in values if pair[0] is not None]
        with_value.sort(key=lambda pair: _comparable(pair[0]), reverse=self.sort.startswith("-"))
        return [row for _value, row in with_value] + [row for value, row in values if value is None]

    @property
    def heads(self) -> list[ColumnHead]:
        return [self._head(column) for column in self.table.columns.values() if self._is_shown(column)]

    def _head(self, column: Column[Row]) -> ColumnHead:
        up, down = column.name, f"-{column.name}"
        aria = {up: "ascending", down: "descending"}.get(self.sort, "")
        first, other = (down, up) if column.is_number else (up, down)
        query = self.with_own({self.table.sort_key: other if self.sort == first else first}) if column.by else ""
        return ColumnHead(column.label, query, aria, column.is_number, column.is_moment)

    def with_own(self, changed: Mapping[str, str]) -> str:
        """Return the query of the same page with other parameters of the table; it begins at the first row."""
        kept = {name: value for name, value in self.query.items() if name not in BEGINNINGS} | dict(changed)
        return urlencode({name: value for name, value in kept.items() if value})

    @property
    def choices(self) -> list[ColumnChoice]:
        """Columns for the menu: all but those that name the row."""
        columns = [column for column in self.table.columns.values() if not column.is_head]
        return [ColumnChoice(column.name, column.label, self._is_shown(column)) for column in columns]

    @property
    def orders(self) -> list[tuple[str, Promise | str, bool, bool]]:
        """For the menu, where heads are out of sight: order, label, and whether it descends and is chosen."""
        sortable = [column for column in self.table.columns.values() if column.by and self._is_shown(column)]
        found = [(sign, column) for column in sortable for sign in ("", "-")]
        return [(f"{s}{one.name}", one.label, s == "-", f"{s}{one.name}" == self.sort) for s, one in found]

    @property
    def usual_query(self) -> str:
        """The query with the usual columns; empty: they are shown already."""
        return self.with_own({self.table.columns_key: ""}) or "?" if self.names else ""

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """Parameters that the menu's form keeps."""
        dropped = (self.table.columns_key, self.table.sort_key, *BEGINNINGS)
        return [(name, value) for name, value in self.query.items() if value and name not in dropped]

    def of_file(
        self, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> tuple[tuple[str, ...], Iterator[list[Any]]]:
        """Leave out columns of a file that the address has not chosen; without a choice the file has all."""
        shown = {name for column in self.table.columns.values() if self._is_shown(column) for name in column.files}
        kept = [n for n, name in enumerate(columns) if not self.names or name in shown]
        return tuple(columns[n] for n in kept), ([row[n] for n in kept] for row in rows)


def _comparable(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
