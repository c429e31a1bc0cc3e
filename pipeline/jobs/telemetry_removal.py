"""The former result of `telemetry` without what it read in files that are gone: their events and rejected rows."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.files.location import Location, absolute_name, decoded_uri
from pipeline.jobs.telemetry_parts import (
    EVENTS,
    REPEATED,
    FormerTelemetry,
    read_divided,
    read_kept,
    read_part,
    write_kept,
)
from pipeline.results.former_files import Record, rows_of_former
from pipeline.results.merging import PartitionFiles, files_by_partition
from pipeline.results.output_folder import QUARANTINE, write_rows
from pipeline.results.parquet_counts import parquet_files_in, rows_in
from pipeline.results.table_folders import TableFolders
from pipeline.runtime.local_tables import local_table
from pipeline.schemas import EVENT
from pipeline.transforms.events import EVENT_KEY, FILE

_URI_OF_THIS_MACHINE = re.compile("^file:/+")


class RepeatedEventError(Exception):
    """One event is in several files: only reading all of them says which of them is the first."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """The part of a former result that still holds."""

    kept: dict[str, dict[Location, Record]]
    """Its files, by part. Rows that lay beside those of removed files are written again."""
    removed: DataFrame
    """The events of removed files."""
    rows: int
    """The rows of the other files, events and rejected ones."""


def remainder(spark: SparkSession, former: FormerTelemetry, folders: TableFolders, root: Location) -> Remainder:
    """Take the rows of removed files out of a former result. `root`: the folder of the log.

    Raises `RepeatedEventError` if another file has an event that was rejected because a removed one had it.
    """
    kept = {name: dict(former.files[name]) for name in (EVENTS, QUARANTINE, REPEATED)}
    rows: int = former.record["counts"]["in"]
    if not former.removed:
        return Remainder(kept, local_table(spark, [], EVENT), rows)
    removal = _Removal(spark, former, folders, kept)
    uris, events = removal.take_events(_uris_below(root, former.removed))
    removal.check_repeated(events, uris)
    removal.take_rows(REPEATED, uris)
    rejected = removal.take_rows(QUARANTINE, _names_below(root, former.removed))
    return Remainder(kept, events, rows - rows_in(removal.events_place) - rejected)


@dataclass(frozen=True, slots=True)
class _Removal:
    """The rows of removed files on their way out of a former result."""

    spark: SparkSession
    former: FormerTelemetry
    folders: TableFolders
    kept: dict[str, dict[Location, Record]]

    @property
    def events_place(self) -> Location:
        """The folder with the events of removed files."""
        return self.folders.work / "removed"

    def take_events(self, wanted: Set[str]) -> tuple[set[str], DataFrame]:
        """Take out the events of files with these decoded URIs. Returns the URIs as the events have them, and the
        events."""
        events = read_part(self.spark, self.folders.place, EVENTS, self.kept[EVENTS])
        found = events.select(FILE, F.input_file_name().alias("_part")).distinct().collect()
        beside = [row for row in found if _decoded(row[FILE]) in wanted]
        uris, parts = {row[FILE] for row in beside}, {_decoded(row["_part"]) for row in beside}
        files = {file: about for file, about in self.kept[EVENTS].items() if decoded_uri(file) in parts}
        removed = read_part(self.spark, self.folders.place, EVENTS, files).where(F.col(FILE).isin(*uris))
        write_rows(removed.drop(FILE), self.events_place, "event_class")
        self._write_again(EVENTS, files, uris)
        places = parquet_files_in(self.events_place)
        return uris, read_divided(self.spark, self.events_place, EVENT, places)

    def check_repeated(self, events: DataFrame, uris: Set[str]) -> None:
        """Raise `RepeatedEventError` if a file that is there has one of these events too."""
        keys = events.select(*EVENT_KEY)
        repeated = read_part(self.spark, self.folders.place, REPEATED, self.kept[REPEATED])
        others = repeated.where(~F.col(FILE).isin(*uris))
        if self.kept[REPEATED] and not others.join(keys, list(EVENT_KEY), "left_semi").isEmpty():
            raise RepeatedEventError

    def take_rows(self, name: str, files: Set[str]) -> int:
        """Take the rows of these files out of a table of rejected rows; returns how many there were."""
        if not self.kept[name]:
            return 0
        rows = read_kept(self.spark, self.folders.place, name, self.kept[name])
        number = rows.where(F.col(FILE).isin(*files)).count()
        if number:
            self._write_again(name, self.kept[name], files, is_empty=number == rows_of_former(self.kept[name]))
        return number

    def _write_again(
        self, name: str, files: dict[Location, Record], without: Set[str], *, is_empty: bool = False
    ) -> None:
        """Write the rows of some files again, but those of removed ones; the files are kept no more."""

        def rest(group: PartitionFiles) -> DataFrame:
            rows = read_kept(self.spark, self.folders.place, name, group.files)
            return rows.where(~F.col(FILE).isin(*without))

        if not is_empty:
            write_kept(rest, name, [*files_by_partition(files)], self.folders)
        self.kept[name] = {file: about for file, about in self.kept[name].items() if file not in files}


def names_its_file(file: Location, root: Location) -> bool:
    """Return whether the rows of a file below a folder name it by its place there; those of a link do not."""
    return decoded_uri(file) in _uris_below(root, {absolute_name(file)})


def _uris_below(root: Location, paths: Set[str]) -> set[str]:
    """Return the decoded URIs by which rows name files of these paths below the root."""
    return {f"{decoded_uri(root)}/{name}" for name in _relative(root, paths)}


def _names_below(root: Location, paths: Set[str]) -> set[str]:
    """Return the names by which the quarantine has files of these paths."""
    return {f"{root}/{name}" for name in _relative(root, paths)}


def _relative(root: Location, paths: Set[str]) -> set[str]:
    return {path.removeprefix(absolute_name(root)).lstrip("/") for path in paths}


def _decoded(uri: str) -> str:
    """Return a URI of Spark as `decoded_uri` has it; a plus in it is a plus."""
    return unquote(_URI_OF_THIS_MACHINE.sub("/", uri))
