"""Events of one conversation, from the files of the event log: the newest files first, as many as a reader wants.

Files never change, so that each is looked through once for a conversation. Events of the last minute are in none yet.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from brokerui.eventlog.publishing import DAY
from routing.common.moment import to_milliseconds

logger = logging.getLogger(__name__)
FILES: Final = 120
"""Files of a portion: two hours of one process."""
PORTION_BYTES: Final = 24 << 20
"""Bytes of a portion, as the files are on the disk."""
CACHED: Final = 4_096
"""Results of single files, most of them empty."""


class LoggedEvent(NamedTuple):
    """Columns of an event, as the event log has them; `at` is in milliseconds since 1970."""

    at: Any
    position: int
    instance: str
    event_class: int
    event_subclass: int | None
    conversation_handle: str | None
    is_initiator: bool | None
    from_initiator: bool | None
    first_message_sequence_number: int | None
    message_sequence_number: int | None
    fragment: int | None
    bytes: int | None
    is_from_network: bool | None
    route: str | None
    next_hop: str | None
    error: int | None
    queue: str | None
    text: str | None


class LoggedEvents(NamedTuple):
    """The events of the files that were looked through."""

    events: tuple[LoggedEvent, ...]
    """In the order of their moments."""
    since: int | None
    """When the oldest of these files was begun; None: there is no file."""
    is_all: bool
    """Whether no older file is left."""


def logged_events(folder: Path, conversation_id: str, handles: frozenset[str], portions: int = 1) -> LoggedEvents:
    """Look through the newest files for events of a conversation whose sides have these handles."""
    found: list[LoggedEvent] = []
    left_files, left_bytes, since = FILES * portions, PORTION_BYTES * portions, None
    for path in _newest_first(folder):
        if left_files <= 0 or left_bytes <= 0:
            return _ordered(found, since, is_all=False)
        found += _of_file(path, conversation_id, handles)
        left_files, left_bytes, since = left_files - 1, left_bytes - _size(path), _begun(path)
    return _ordered(found, since, is_all=True)


def _ordered(found: list[LoggedEvent], since: int | None, *, is_all: bool) -> LoggedEvents:
    return LoggedEvents(tuple(sorted(found, key=lambda event: (event.at, event.position))), since, is_all)


def _newest_first(folder: Path) -> Iterator[Path]:
    for day in sorted(folder.glob(f"{DAY}*"), reverse=True):
        yield from sorted(day.glob("events-*.parquet"), key=lambda path: path.name, reverse=True)


def _begun(path: Path) -> int:
    """Of `events-20261120T184500Z-…`."""
    return to_milliseconds(datetime.strptime(path.name.split("-")[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # its day was removed meanwhile


@lru_cache(maxsize=CACHED)
def _of_file(path: Path, conversation_id: str, handles: frozenset[str]) -> tuple[LoggedEvent, ...]:
    """The identifiers of all rows are read, and the other columns only where one is of the conversation."""
    from pyarrow import ArrowInvalid, compute, dataset  # noqa: PLC0415 - 40 MB that only this page needs

    is_its = (compute.field("conversation_id") == conversation_id) | compute.field("conversation_handle").isin(handles)
    try:
        file = dataset.dataset(path, format="parquet")
        if not file.count_rows(filter=is_its):
            return ()
        rows = file.to_table(columns=list(LoggedEvent._fields), filter=is_its).to_pylist()
    except (FileNotFoundError, ArrowInvalid) as error:
        logger.warning("event log: %s cannot be read: %s", path.name, error)
        return ()
    return tuple(LoggedEvent(**{**row, "at": to_milliseconds(row["at"])}) for row in rows)
