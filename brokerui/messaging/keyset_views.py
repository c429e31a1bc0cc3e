"""Pages of tables by their keys: a page begins after a key, and looks at no more than `WINDOW` rows.

So no page costs more because tables are large; it may have few rows, or none, although others follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection

from brokerui.messaging.models import HostedInstance

Key = tuple[str | int, ...]
"""The key of a row after which a page begins."""
Names = Mapping[int, str]
"""Names of instances by their ids."""
Row = tuple[Any, ...]
Rows = Sequence[Row]
Where = Mapping[str, Any]
"""Values of columns by their names: `instance`, `database`, …; only rows that have all of them are shown."""

WINDOW: Final = 10_000
"""Rows that one page looks at."""


class TableView(NamedTuple):
    """A table, and how it is looked through."""

    table: str
    keys: tuple[str, ...]
    """The first columns of its primary key, which identify a row."""
    columns: tuple[str, ...]
    """Names of columns, or expressions."""
    filters: Mapping[str, str] = {}
    """The expression to compare, where it is no column of the table."""
    found: tuple[str, ...] = ("conversation_handle",)
    """Columns that an index finds a few rows by: no window is needed for them."""
    always: str = ""
    """A condition that all rows meet."""
    is_summed: bool = False
    """Whether several rows of a key are one row of the page."""
    is_backwards: bool = False
    """Whether a page has the rows before a key, the largest key first."""

    @property
    def beyond(self) -> str:
        """How the keys of later rows compare with one."""
        return "<" if self.is_backwards else ">"

    @property
    def up_to(self) -> str:
        """How the keys of a row and those of earlier ones compare with it."""
        return ">=" if self.is_backwards else "<="

    @property
    def order(self) -> str:
        """The columns of the key for ORDER BY."""
        return ", ".join(f"r.{key} DESC" if self.is_backwards else f"r.{key}" for key in self.keys)


class TablePage(NamedTuple):
    """Rows, and up to where was looked."""

    rows: list[tuple[Key, Row]]
    """The key of each, and its columns."""
    end: Key | None
    """The next page begins after this key; None: there are no more rows."""


def instance_names() -> dict[int, str]:
    """Return the names of all hosted instances by their ids."""
    return dict(HostedInstance.objects.values_list("id", "name"))


def with_instance_id(where: Where, names: Names) -> dict[str, Any] | None:
    """Return the same columns with the id of the instance; None: there is no such instance."""
    wanted = dict(where)
    if "instance" in wanted:
        name = wanted.pop("instance")
        wanted["instance_id"] = next((number for number, known in names.items() if known == name), None)
    return None if wanted.get("instance_id", 0) is None else wanted


def table_page(view: TableView, wanted: Where, after: Key | None, limit: int, *, with_first: bool = False) -> TablePage:
    """Return the rows after a key (`with_first`: from this key on) whose columns have the values `wanted`."""
    begin = (f"{view.beyond}{'=' * with_first}", after) if after is not None else None
    end = _end_of_window(view, wanted, begin)
    width, rows = len(view.keys), _rows(view, wanted, begin, end, limit + 1)
    shown = [(row[:width], row[width:]) for row in rows[:limit]]
    return TablePage(shown, shown[-1][0] if len(rows) > limit else end)


def merged(pages: Sequence[TablePage], limit: int) -> TablePage:
    """Return the first rows of the pages of several tables with keys of one kind."""
    end = min((page.end for page in pages if page.end is not None), default=None)
    rows = [pair for page in pages for pair in page.rows if end is None or pair[0] <= end]
    rows.sort(key=lambda pair: pair[0])
    return TablePage(rows[:limit], rows[limit - 1][0] if len(rows) > limit else end)


_Bound = tuple[str, Key]
"""How keys compare with a key."""


def _end_of_window(view: TableView, wanted: Where, begin: _Bound | None) -> Key | None:
    """The last key that this page may look at; None: there are no more, or few rows are looked at anyway."""
    if set(wanted) <= set(view.found) and (wanted or not view.always):
        return None
    found = {name: value for name, value in wanted.items() if name in view.found}
    conditions, parameters = _conditions(view, found, begin)
    keys = ", ".join(f"r.{key}" for key in view.keys)
    sql = (
        f"SELECT {keys} FROM {view.table} r WHERE {conditions}"  # noqa: S608 - of names that stand here
        f" ORDER BY {view.order} LIMIT 1 OFFSET {WINDOW - 1}"
    )
    return next(iter(run(sql, parameters)), None)


def _rows(view: TableView, wanted: Where, begin: _Bound | None, end: Key | None, limit: int) -> list[Row]:
    """Their keys, then their columns."""
    conditions, parameters = _conditions(view, wanted, begin, (view.up_to, end) if end is not None else None)
    keys = ", ".join(f"r.{key}" for key in view.keys)
    columns = ", ".join(name if "(" in name else f"r.{name}" for name in view.columns)
    always = f" AND {view.always}" if view.always else ""
    groups = f" GROUP BY {keys}" if view.is_summed else ""
    sql = (
        f"SELECT {keys}, {columns} FROM {view.table} r WHERE {conditions}{always}"  # noqa: S608 - as above
        f"{groups} ORDER BY {view.order} LIMIT {int(limit)}"
    )
    return run(sql, parameters)


def _conditions(view: TableView, wanted: Where, *bounds: _Bound | None) -> tuple[str, list[Any]]:
    keys = ", ".join(f"r.{key}" for key in view.keys)
    places = ", ".join(["%s"] * len(view.keys))
    conditions, parameters = [], []
    for name, value in wanted.items():
        # SQLite sorts the rows of a key that it is given as a value, and takes those of a range from the index.
        is_range = view.is_summed and name in view.keys
        conditions.append(f"{view.filters.get(name, f'r.{name}')} {'BETWEEN %s AND %s' if is_range else '= %s'}")
        parameters += [value, value] if is_range else [value]
    for sign, key in filter(None, bounds):
        conditions.append(f"({keys}) {sign} ({places})")
        parameters += key
    return " AND ".join(conditions) or "true", parameters


def run(sql: str, parameters: Sequence[Any]) -> list[Row]:
    """Return the rows of a query."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
