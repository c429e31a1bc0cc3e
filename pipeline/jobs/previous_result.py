"""Reuse the previous result of `route`: rows that were ingested by then, if the versions of the estate are the same.

A new version of the estate does not change the outcomes of rows from before it came into force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipeline.evaluation.timeline import Timeline
from pipeline.files.file_system import state_of
from pipeline.files.location import Location
from pipeline.lake.lake import Lake
from pipeline.results.manifest import FORMAT
from pipeline.results.output_folder import QUARANTINE, read_record
from pipeline.results.run_record import software_versions
from pipeline.results.table_folders import result_place
from pipeline.results.table_logs import ROWS_TABLE, VERSION, last_version, tables_of

MAX_FILES = 1_000
"""A result with more files is written again, into fewer."""


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """The files of a result of the same job that still hold."""

    runs: frozenset[str]
    """The runs of the lake whose rows they have."""
    rows: tuple[Location, ...]
    quarantine: tuple[Location, ...]

    @property
    def by_table(self) -> dict[str, Sequence[Location]]:
        """The files by table."""
        return {ROWS_TABLE: self.rows, QUARANTINE: self.quarantine}


def previous_result(job: str, out: str, lake: Lake, timeline: Timeline) -> KeptFiles | None:
    """Return what a new result may keep of the one in a folder, or None if all rows have to be written again."""
    place = result_place(out)
    try:
        record = read_record(place)
        return None if record is None else _previous(record, job, place, lake, timeline)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None  # it is no result of this job


def _previous(record: dict[str, Any], job: str, place: Location, lake: Lake, timeline: Timeline) -> KeptFiles | None:
    if (record["format"], record["job"], record["versions"]) != (FORMAT, job, software_versions()):
        return None
    source = next(one for one in record["inputs"] if "runs" in one)
    runs = frozenset(source["runs"])
    if source != lake.as_input(runs) or not lake.is_apart(runs):
        return None
    if not _same_past(record, timeline, lake.only_runs(runs).last_moment()):
        return None
    rows, quarantine = (_files(place, tables_of(record).get(table)) for table in (ROWS_TABLE, QUARANTINE))
    if len(rows) > MAX_FILES or not _are_whole({**rows, **quarantine}) or not _are_last(place, record):
        return None
    return KeptFiles(runs, tuple(rows), tuple(quarantine))


def _files(place: Location, table: dict[str, Any] | None) -> dict[Location, int]:
    """Return the files of a table with their sizes."""
    return {place / file["path"]: file["bytes"] for file in (table or {"files": ()})["files"]}


def _are_last(place: Location, record: dict[str, Any]) -> bool:
    """Return whether nobody wrote to the tables after this result, a killed run for one."""
    kept = [about for name, about in tables_of(record).items() if name in (ROWS_TABLE, QUARANTINE)]
    return all(last_version(place, about) == about[VERSION] for about in kept)


def _are_whole(files: dict[Location, int]) -> bool:
    return all(state_of(file).size == size for file, size in files.items())


def _same_past(record: dict[str, Any], timeline: Timeline, last: datetime) -> bool:
    """Return whether the versions are the same, except for new ones that begin after the last row."""
    then = [(one["sha256"], one["since"]) for one in record["inputs"] if "sha256" in one]
    now = [(one["sha256"], one["since"]) for one in (version.as_json() for version in timeline.versions)]
    return now[: len(then)] == then and all(version.since > last for version in timeline.versions[len(then) :])
