"""Sums the rows of a transmission queue or of conversation endpoints while they are read, in bounded memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from routing.catalog.shapes import NUMBER, SHAPES, TEXT, Row, ViewShape
from routing.catalog.snapshot import Rows
from routing.common.errors import Invalid
from routing.common.moment import format_moment, parse_moment
from routing.dialog.states import STATES
from routing.model.endpoint_groups import age_of_lifetime

MAX_SUMS = 10_000
"""Limit of groups that are summed in one database; the rows of all further ones are only counted."""
COUNT_COLUMNS = (
    *("messages", "endpoints", "conversations", "count", "cnt", "counts", "total", "rows", "row_count", "n", "qty"),
    "(no column name)",
)
"""Columns with the number of rows, where the query was a GROUP BY."""
LIFETIME = "lifetime"
"""The column of sys.conversation_endpoints from which the age is taken, where no column has it."""
_OLDEST_COLUMNS = ("enqueue_time", "oldest", "min_enqueue_time", "first_enqueue_time")
_STATE_OF = {description: state for state, description in STATES.items() if state}


@dataclass(frozen=True, slots=True)
class SummedView:
    """A view that is summed."""

    keys: tuple[str, ...]
    """The columns that a group has in common."""
    counted: str
    """The column of the sum."""
    totals: str
    """The internal table behind the view."""


SUMMED: Mapping[str, SummedView] = {
    "transmission_queue": SummedView(
        ("from_service_name", "to_service_name", "to_broker_instance", "transmission_status"),
        "messages",
        "sysxmitqueue",
    ),
    "conversation_endpoints": SummedView(
        ("service_name", "far_service", "is_initiator", "state", "state_desc", "age_days"), "endpoints", "sysdesend"
    ),
}


def shape_of_rows(view: str, columns: tuple[str, ...]) -> ViewShape:
    """The columns of a grid of such a view that are read."""
    summed = SUMMED[view]
    count = next((column for column in COUNT_COLUMNS if column in columns), None)
    moments = dict.fromkeys(_OLDEST_COLUMNS if view == "transmission_queue" else (LIFETIME,), TEXT)
    kinds = {**{key: SHAPES[view].columns[key] for key in summed.keys}, **moments}
    return ViewShape({**kinds, count: NUMBER} if count else kinds, (count,) if count else ())


@dataclass(slots=True)
class GroupSums:
    """The sums of one view in one database."""

    view: SummedView
    at: datetime | None = None
    """The moment of the rows, from which ages count; None: not known, and neither are ages."""
    groups: dict[tuple[Any, ...], list[Any]] = field(default_factory=dict)
    """By the values of the keys: number of rows, and the oldest moment as text and as a time."""
    total: int = 0

    def add(self, row: Row) -> None:
        count = next((row[column] for column in COUNT_COLUMNS if column in row), 1)
        self.total += count
        key = tuple(self._value(row, column) for column in self.view.keys)
        group = self.groups.get(key)
        if group is None:
            if len(self.groups) >= MAX_SUMS:
                return
            group = self.groups[key] = [0, None]
        group[0] += count
        text = next((row[column] for column in _OLDEST_COLUMNS if row.get(column)), None)
        if text is not None:
            group[1] = _earlier(group[1], text)

    def _value(self, row: Row, column: str) -> Any:
        if column == "age_days" and "age_days" not in row:
            return _age(row.get(LIFETIME), self.at)
        return row.get(column)

    def rows(self) -> Rows:
        """The groups as rows of the view's part of a catalog."""
        return tuple(self._row(key, count, oldest) for key, (count, oldest) in self.groups.items())

    def _row(self, key: tuple[Any, ...], count: int, oldest: datetime | None) -> Row:
        row = {**dict(zip(self.view.keys, key, strict=True)), self.view.counted: count}
        if "state" in row:
            state = (row["state"] or row["state_desc"] or "").upper()
            row["state"] = _STATE_OF.get(state, state)
        else:
            row["oldest"] = format_moment(oldest) if oldest else None
        return row

    def totals(self) -> Rows:
        """How many rows there were in all, as in the part `totals`."""
        return ({"name": self.view.totals, "table_rows": self.total},)


def _age(lifetime: str | None, at: datetime | None) -> int | None:
    """The group of age of a conversation; None where a date in a national format, or nothing, tells its lifetime."""
    if lifetime is None or at is None:
        return None
    try:
        return age_of_lifetime(parse_moment(lifetime), at)
    except Invalid:
        return None


def _earlier(known: datetime | None, text: str) -> datetime | None:
    """The earlier of two moments; a date in a national format does not count."""
    try:
        moment = parse_moment(text)
    except Invalid:
        return known
    return moment if known is None else min(known, moment)
