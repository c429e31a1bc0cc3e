"""Reuse the previous result of `route`: rows that were ingested by then, if the versions of the estate are the same.

A new version of the estate does not change the outcomes of rows from before it came into force.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pipeline.evaluation.timeline import Timeline
from pipeline.files.location import Location, location
from pipeline.lake.lake import Lake
from pipeline.results.manifest import FORMAT, ROWS_TABLE
from pipeline.results.new_result import FOLDER
from pipeline.results.output_folder import QUARANTINE, RUN_RECORD
from pipeline.results.run_record import software_versions

MAX_FILES = 1_000
"""A result with more files is written again, into fewer."""


@dataclass(frozen=True, slots=True)
class PreviousResult:
    """A result of the same job whose rows still hold."""

    folder: Path
    runs: frozenset[str]
    """The runs of the lake whose rows it has."""
    files: tuple[str, ...]

    def link_files_into(self, folder: Location) -> None:
        """Hard-link its row files and its quarantine into a new result."""
        assert isinstance(folder, Path), folder
        (folder / QUARANTINE).mkdir(exist_ok=True)
        for name in self.files:
            _link(self.folder / name, folder / name)
        for path in (self.folder / QUARANTINE).glob("*.parquet"):
            _link(path, folder / QUARANTINE / path.name)


def _link(path: Path, name: Path) -> None:
    """Make a hard link, or a copy if the file system has no hard links."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copyfile(path, name)


def previous_result(job: str, out: str, lake: Lake, timeline: Timeline) -> PreviousResult | None:
    """Return the result in a folder, or None if its rows have to be written again. Behind a URL there are no links."""
    folder = location(out)
    if not isinstance(folder, Path):
        return None
    try:
        record = json.loads((folder / RUN_RECORD).read_text(encoding="utf-8"))
        return _previous(record, job, folder.absolute(), lake, timeline)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None  # there is no result, or it is not one of this job


def _previous(record: dict[str, Any], job: str, folder: Path, lake: Lake, timeline: Timeline) -> PreviousResult | None:
    if FOLDER in record or (record["format"], record["job"], record["versions"]) != (FORMAT, job, software_versions()):
        return None
    source = next(one for one in record["inputs"] if "runs" in one)
    runs = frozenset(source["runs"])
    if source != lake.as_input(runs) or not _same_past(record, timeline, lake.only_runs(runs).last_moment()):
        return None
    files = {one["path"]: one["bytes"] for one in record["tables"][ROWS_TABLE]["files"]}
    if len(files) > MAX_FILES or any((folder / name).stat().st_size != size for name, size in files.items()):
        return None
    return PreviousResult(folder, runs, tuple(files))


def _same_past(record: dict[str, Any], timeline: Timeline, last: datetime) -> bool:
    """Return whether the versions are the same, except for new ones that begin after the last row."""
    then = [(one["sha256"], one["since"]) for one in record["inputs"] if "sha256" in one]
    now = [(one["sha256"], one["since"]) for one in (version.as_json() for version in timeline.versions)]
    return now[: len(then)] == then and all(version.since > last for version in timeline.versions[len(then) :])
