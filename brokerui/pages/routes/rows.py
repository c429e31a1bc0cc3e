"""All routes of an estate as rows of one table, made once for each content and kept in memory."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from brokerui.core.cache import LruCache
from routing.common.moment import format_moment
from routing.model.estate import Estate
from routing.model.route import Route

KEPT = 2

COLUMNS = (
    "name",
    "instance",
    "database",
    "remote_service_name",
    "address",
    "lifetime",
    "broker_instance",
    "mirror_address",
)
"""The columns of `sys.routes` by name, with the instance and the database of the row."""


class RouteRow:
    """A row of `sys.routes`."""

    __slots__ = ("_text", "database", "instance", "is_wildcard", "route")

    def __init__(self, instance: str, database: str, route: Route, *, is_wildcard: bool) -> None:
        self.instance = instance
        self.database = database
        self.route = route
        self.is_wildcard = is_wildcard
        """MATCH-5 takes it for any service."""
        self._text: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.instance, self.database, self.route.name

    def values(self) -> tuple[str | None, ...]:
        """In the order of the columns, as they are exported; a NULL is None."""
        route = self.route
        return (
            route.name,
            self.instance,
            self.database,
            route.remote_service_name,
            route.address.text,
            format_moment(route.lifetime) if route.lifetime else None,
            route.broker_instance,
            route.mirror_address.text if route.mirror_address else None,
        )

    @property
    def text(self) -> str:
        """All columns in lower case, each on a line of its own."""
        if self._text is None:
            self._text = "\n".join(value for value in self.values() if value is not None).casefold()
        return self._text


SORTED: dict[str, Callable[[RouteRow], Any]] = {
    "name": lambda row: row.route.name,
    "instance": lambda row: row.instance,
    "database": lambda row: row.database,
    "remote_service_name": lambda row: row.route.remote_service_name,
    "address": lambda row: row.route.address.text,
    "lifetime": lambda row: row.route.lifetime,
    "broker_instance": lambda row: row.route.broker_instance,
    "mirror_address": lambda row: row.route.mirror_address and row.route.mirror_address.text,
}
assert tuple(SORTED) == COLUMNS


class RouteList:
    """The rows of one estate, in the order of the document."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate
        self.rows = tuple(_rows(estate))
        self.wildcards = sum(row.is_wildcard for row in self.rows)
        self._lifetimes = sorted(row.route.lifetime for row in self.rows if row.route.lifetime is not None)
        self._sorted: dict[str, tuple[RouteRow, ...]] = {"": self.rows}

    def expired(self, at: datetime) -> int:
        """How many have expired at a moment."""
        return bisect_right(self._lifetimes, at)

    def expiring(self, at: datetime, until: datetime) -> int:
        """How many have not, and will have at another."""
        return bisect_left(self._lifetimes, until) - self.expired(at)

    def sorted_by(self, order: str) -> tuple[RouteRow, ...]:
        """By a column, `-` before it for the other direction; equal ones as in the document, NULL at the end."""
        if order not in self._sorted:
            self._sorted[order] = tuple(_sorted(self.rows, order))
        return self._sorted[order]


def _rows(estate: Estate) -> Iterator[RouteRow]:
    for host, instance in estate.instances.items():
        for name, database in instance.databases.items():
            wildcards = {route.name for route in database.table.wildcard.routes}
            for route in database.table.routes.values():
                yield RouteRow(host, name, route, is_wildcard=route.name in wildcards)


def _sorted(rows: tuple[RouteRow, ...], order: str) -> Iterator[RouteRow]:
    """By the numbers of the rows: fifty thousand pairs would keep the collector of garbage busy."""
    values = [_comparable(one) for one in map(SORTED[order.removeprefix("-")], rows)]
    known = [number for number, value in enumerate(values) if value is not None]
    known.sort(key=values.__getitem__, reverse=order.startswith("-"))
    yield from (rows[number] for number in known)
    yield from (row for row, value in zip(rows, values, strict=True) if value is None)


def _comparable(value: Any) -> Any:
    """Texts without regard to case."""
    return value.casefold() if isinstance(value, str) else value


_lists: LruCache[RouteList] = LruCache(KEPT)


def routes_of(key: str, estate: Estate) -> RouteList:
    """The rows of an estate, kept under what stands for its content."""
    return _lists.get_or_make((key, id(estate)), lambda: RouteList(estate))
