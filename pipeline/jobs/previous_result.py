"""Reuse the previous result of `route`: rows that were ingested by then, if the versions of the estate are the same.

A new version of the estate does not change the outcomes of rows from before it came into force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipeline.evaluation.timeline import Timeline
from pipeline.files.location import Location, one_name
from pipeline.lake.lake import Lake
from pipeline.results.former_files import FilesOfTables, Record, former_files
from pipeline.results.manifest import FORMAT
from pipeline.results.output_folder import QUARANTINE, read_record
from pipeline.results.run_record import software_versions
from pipeline.results.table_folders import result_place
from pipeline.results.table_logs import ROWS_TABLE

MAX_FILES = 1_000
"""A result with more files is written again, into fewer."""


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """The files of a result of the same job that still hold."""

    runs: frozenset[str]
    """The runs of the lake whose rows they have."""
    by_table: FilesOfTables

    @property
    def rows(self) -> Mapping[Location, Record]:
        """The files of the rows."""
        return self.by_table[ROWS_TABLE]

    @property
    def quarantine(self) -> Mapping[Location, Record]:
        """The files of the quarantine."""
        return self.by_table[QUARANTINE]


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
    if _named_once(source) != _named_once(lake.as_input(runs)) or not lake.is_apart(runs):
        return None
    if not _same_past(record, timeline, lake.only_runs(runs).last_moment()):
        return None
    files = former_files(place, record, (ROWS_TABLE, QUARANTINE))
    return None if files is None or len(files[ROWS_TABLE]) > MAX_FILES else KeptFiles(runs, files)


def _named_once(source: dict[str, Any]) -> dict[str, Any]:
    """Return the lake of a record under one name, by whichever it was read."""
    return {**source, "path": one_name(source["path"])}


def _same_past(record: dict[str, Any], timeline: Timeline, last: datetime) -> bool:
    """Return whether the versions are the same, except for new ones that begin after the last row."""
    then = [(one["sha256"], one["since"]) for one in record["inputs"] if "sha256" in one]
    now = [(one["sha256"], one["since"]) for one in (version.as_json() for version in timeline.versions)]
    return now[: len(then)] == then and all(version.since > last for version in timeline.versions[len(then) :])
