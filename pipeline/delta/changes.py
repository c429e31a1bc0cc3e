"""The commits of a table, read from the files of its log: the files that each added and removed, and its applications.

`deltalake` gives the fields of a commit; which files a commit removed, and when, only the log itself says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pipeline.delta.log_folder import commit_name


@dataclass(frozen=True, slots=True)
class TableChange:
    """A commit of a table."""

    version: int
    at: datetime | None
    """The moment of the commit; None: its writer did not say."""
    operation: str
    """The name that the writer gave it, such as `WRITE`; empty: none."""
    about: Mapping[str, Any]
    """The fields of the commit in the history of the table."""
    added: Mapping[str, int | None]
    """The files that count from this commit on, by their path below the root, with their rows; None: unknown."""
    removed: Mapping[str, datetime]
    """The files that count no more, by their path below the root, each with the moment at which it was removed."""


def changes_in(log: Path, last: int) -> list[TableChange]:
    """Return the commits up to a version in their order, from the first on before which none is missing."""
    found: list[TableChange] = []
    for version in range(last, -1, -1):
        file = log / commit_name(version)
        if not file.exists():
            break
        found.append(_change(version, file))
    return found[::-1]


def _change(version: int, file: Path) -> TableChange:
    about: dict[str, Any] = {}
    added, removed = dict[str, int | None](), dict[str, datetime]()
    for kind, action in _actions(file):
        if kind == "commitInfo":
            about = action
        elif kind == "add":
            added[unquote(action["path"])] = _rows(action)
        elif kind == "remove":
            removed[unquote(action["path"])] = _moment(action.get("deletionTimestamp") or 0)
    at = about.get("timestamp")
    return TableChange(
        version=version,
        at=None if at is None else _moment(at),
        operation=about.get("operation", ""),
        about=about,
        added=added,
        removed=removed,
    )


def _actions(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with file.open("rb") as lines:
        for line in lines:
            if line.strip():
                yield from json.loads(line).items()


def _rows(action: Mapping[str, Any]) -> int | None:
    statistics = json.loads(action.get("stats") or "{}")
    rows: int | None = statistics.get("numRecords")
    return rows


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1_000, UTC)
