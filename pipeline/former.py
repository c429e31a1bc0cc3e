"""What the run before has written and still holds: rows of what was ingested by then, under versions that are the same.

A version that is new says nothing of rows from before its time, so these need not be routed again.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pipeline.estates import Timeline
from pipeline.lake import Lake
from pipeline.manifest import FORMAT, ROWS
from pipeline.output import QUARANTINE, RECORD
from pipeline.record import versions

MOST_FILES = 1_000
"""Of more, all rows are written again, into fewer."""


@dataclass(frozen=True, slots=True)
class Former:
    """A result of the same job, of which the rows are taken over."""

    folder: Path
    runs: frozenset[str]
    """Of the lake: those whose rows it has."""
    files: tuple[str, ...]

    def take_over(self, folder: Path) -> None:
        """Its rows, and what it put into quarantine, into a new result: the same files under another name."""
        (folder / QUARANTINE).mkdir(exist_ok=True)
        for name in self.files:
            _name_also(self.folder / name, folder / name)
        for path in (self.folder / QUARANTINE).glob("*.parquet"):
            _name_also(path, folder / QUARANTINE / path.name)


def _name_also(path: Path, name: Path) -> None:
    """Of file systems in which a file has but one name, a copy."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copyfile(path, name)


def former_of(job: str, out: str, lake: Lake, timeline: Timeline) -> Former | None:
    """The result in a folder, if its rows still hold; None: all are to be made."""
    folder = Path(out).absolute()
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return _former(record, job, folder, lake, timeline)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None  # there is none, or not one of ours


def _former(record: dict[str, Any], job: str, folder: Path, lake: Lake, timeline: Timeline) -> Former | None:
    if (record["format"], record["job"], record["versions"]) != (FORMAT, job, versions()):
        return None
    asked = next(one for one in record["inputs"] if "runs" in one)
    runs = frozenset(asked["runs"])
    if asked != lake.as_input(runs) or not _same_past(record, timeline, lake.of(runs).last_moment()):
        return None
    files = {one["path"]: one["bytes"] for one in record["tables"][ROWS]["files"]}
    if len(files) > MOST_FILES or any((folder / name).stat().st_size != size for name, size in files.items()):
        return None
    return Former(folder, runs, tuple(files))


def _same_past(record: dict[str, Any], timeline: Timeline, last: datetime) -> bool:
    """Whether the versions are those of then, but for some that begin after the last row."""
    then = [(one["sha256"], one["since"]) for one in record["inputs"] if "sha256" in one]
    now = [(one["sha256"], one["since"]) for one in (version.as_json() for version in timeline.versions)]
    return now[: len(then)] == then and all(version.since > last for version in timeline.versions[len(then) :])
