"""Statistics of a Parquet file in the words of Delta, by which readers pass over files that cannot have their rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import pyarrow.parquet as pq

MAX_COLUMNS: Final = 32
"""The number of leading columns that Delta keeps statistics of."""
MAX_CHARACTERS: Final = 32
"""Longer texts say nothing: a part of a text is no bound of it."""


def statistics_text(footer: pq.FileMetaData) -> str:
    """Return the statistics of a file, as JSON. A column that the footer says nothing of is left out."""
    about: dict[str, Any] = {"numRecords": footer.num_rows, "minValues": {}, "maxValues": {}, "nullCount": {}}
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    for number in range(min(footer.num_columns, MAX_COLUMNS)) if groups else ():
        chunks = [group.column(number) for group in groups]
        name = chunks[0].path_in_schema
        if "." not in name:
            _add_column(about, name, [chunk.statistics for chunk in chunks])
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"))


def _add_column(about: dict[str, Any], name: str, found: Sequence[Any]) -> None:
    """Add what all row groups say of a column."""
    if any(one is None for one in found):
        return
    if all(one.has_null_count for one in found):
        about["nullCount"][name] = sum(one.null_count for one in found)
    known = [one for one in found if one.num_values]
    if not known or not all(one.has_min_max for one in known):
        return
    bounds = {
        "minValues": _bound(min(one.min for one in known), up=timedelta()),
        "maxValues": _bound(max(one.max for one in known), up=timedelta(microseconds=999)),
    }
    for key, value in bounds.items():
        if value is not None:
            about[key][name] = value


def _bound(value: Any, up: timedelta) -> Any:
    """Return a bound as JSON has it; None: it is none that survives there."""
    match value:
        case datetime():
            return _moment(value, up)
        case date():
            return value.isoformat()
        case str():
            return value if len(value) <= MAX_CHARACTERS else None
        case bool():
            return None
        case int():
            return value
    return None


def _moment(value: datetime, up: timedelta) -> str | None:
    """Write a moment in milliseconds, the last one rounded up. One without a zone is of another type of Delta."""
    try:
        return None if value.tzinfo is None else _in_utc(value + up)
    except OverflowError:
        return None  # the end of time


def _in_utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
