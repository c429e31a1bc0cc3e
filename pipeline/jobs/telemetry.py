"""`pipeline telemetry`: tables of queues, delays, latencies, connections and route usage from an event log.

A log that has changed since the former result is not read again: its new files are. What they touch is computed, and
what files touched that are gone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.files.file_system import folder_of
from pipeline.files.location import Location
from pipeline.inputs.damaged_files import without_damaged_files
from pipeline.inputs.files import InputFile, examine_files, file_identity, files_below
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.quarantine import write_unreadable_files
from pipeline.inputs.reader import InputRows, RowFormat, as_quarantine_rows, count_rows, read_files
from pipeline.jobs.telemetry_parts import (
    EVENTS,
    NAMED_FILES,
    REPEATED,
    USES,
    FormerTelemetry,
    former_telemetry,
    merge_parts,
    read_part,
)
from pipeline.jobs.telemetry_removal import RepeatedEventError, names_its_file, remainder
from pipeline.jobs.telemetry_tables import TableWriter, growth_of
from pipeline.results.former_files import rows_of_former
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import NewTables, new_tables
from pipeline.results.output_folder import QUARANTINE, write_rows
from pipeline.results.parquet_counts import parquet_files_in, reasons_of, rows_in
from pipeline.results.run_record import JobRun
from pipeline.results.table_folders import TableFolders
from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.schemas import EVENT_FILES
from pipeline.telemetry import delays, depths, latencies, links, route_usage
from pipeline.telemetry.event_log import EventLog
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.events import (
    EVENT_KEY,
    FILE,
    clean_events,
    duplicate_events,
    first_events,
    has_duplicates,
    with_file,
)

EVENTS_FORMAT = RowFormat(EVENT_FILES.columns, clean_events, names_files=True)
TABLES = {
    "depths": depths.depths,
    "waiting": depths.waiting,
    "attempts": depths.attempts,
    "episodes": delays.episodes,
    "latencies": latencies.latencies,
    "drops": links.drops,
    "connections": links.connections,
    "connection_failures": links.connection_failures,
    "uptime": links.uptime,
    "mirrors": links.mirrors,
    "routes": route_usage.routes,
}
"""The tables that need only the log."""


@dataclass(frozen=True, slots=True)
class TelemetryOptions:
    """Options of `telemetry`."""

    events: str
    out: str
    estate: str | None = None
    """The estate whose routes and addresses the log is compared with."""
    unused_days: int = 30
    dates: str = ""
    """The order of dates with slashes in text files."""
    encoding: str = ""
    """The encoding of text files without a byte order mark; empty: UTF-8."""


def telemetry(options: TelemetryOptions, settings: SparkSettings) -> JobRun:
    """Write each table as Parquet."""
    run = JobRun("telemetry", asdict(options))
    start_for_urls(settings, options.events, options.out, options.estate)
    timeline = load_timeline(options.estate) if options.estate else None
    paths = files_below(options.events)
    identities = [*map(file_identity, paths)]
    run.inputs = [*(version.as_json() for version in (timeline.versions if timeline else ())), *identities]
    run.end_phase("estates")
    with new_tables(options.out) as result:
        spark = spark_session(settings)
        run.end_phase("start")
        former = former_telemetry(options.out, asdict(options), identities)
        job = _TelemetryJob(spark, options, timeline, result, run)
        if former is None or not job.grow(former, [paths[number] for number in former.new_among(identities)]):
            job.read(paths, None)
        run.extra["taken_over"] = len(paths) - job.files_read[-1]
        result.publish(run.as_json())
    return run


@dataclass(frozen=True, slots=True)
class _TelemetryJob:
    """One run, which writes into the folders of a new result."""

    spark: SparkSession
    options: TelemetryOptions
    timeline: Timeline | None
    result: NewTables
    run: JobRun
    files_read: list[int] = field(default_factory=list)
    """How many files each attempt read."""

    def grow(self, former: FormerTelemetry, paths: Sequence[Location]) -> bool:
        """Read new files, and compute what they and removed ones touch. Returns False, with nothing written, if that is
        not enough."""
        try:
            self.read(paths, former)
        except RepeatedEventError:
            self.result.restart()
            return False
        return True

    def read(self, paths: Sequence[Location], former: FormerTelemetry | None) -> None:
        """Read files, and write all tables of them and of those that the former result has read."""
        self.files_read.append(len(paths))
        files = examine_files(paths, EVENT_FILES, self.options.encoding)
        self.run.end_phase("examine")
        without_damaged_files(files, lambda good: self._write(good, former), self.result.restart)

    def _write(self, files: list[InputFile], former: FormerTelemetry | None) -> None:
        root, form = folder_of(self.options.events), replace(EVENTS_FORMAT, dates=self.options.dates)
        folders = self.result.folders
        source = read_files(self.spark, prepared_files(files, root, folders.work), root, str(root), form)
        # Cleaned once, and partitioned by event class: each table then reads only its own events.
        write_rows(_deduplicated_events(source), folders.table(EVENTS), "event_class")
        new_events = rows_in(folders.table(EVENTS))
        writer = self._writer(former)
        self.run.end_phase("clean")
        owners = self._owners()
        self.run.extra = {"covers": _period_covered(writer.log), "owners": _digest(owners)}
        is_named = former is None or former.record.get(NAMED_FILES, False)
        self.run.extra[NAMED_FILES] = is_named and all(names_its_file(file.path, root) for file in files)
        has_other_owners = former is not None and former.record["owners"] != self.run.extra["owners"]
        table = local_table(self.spark, owners, "next_hop string, owner string") if self.timeline else None
        writer.write(self.run, table, has_other_owners=has_other_owners)
        self._write_unused(writer)
        self.run.end_phase("ways")
        self._finish(source, new_events, writer)

    def _writer(self, former: FormerTelemetry | None) -> TableWriter:
        """Return the writer of tables of the new events, and of those of the former result. Raises
        `RepeatedEventError`."""
        folders = self.result.folders
        files = parquet_files_in(folders.table(EVENTS))
        new = self._events(files)
        if former is None:
            return TableWriter(self.spark, EventLog(new), folders, None)
        rest = remainder(self.spark, former, folders, folder_of(self.options.events))
        written = parquet_files_in(folders.table(EVENTS))
        others = self._events([*rest.kept[EVENTS], *(file for file in written if file not in files)])
        keys = list(EVENT_KEY)
        if not others.select(*keys).join(new.select(*keys), keys, "left_semi").isEmpty():
            raise RepeatedEventError
        log = EventLog(self._events([*rest.kept[EVENTS], *written]))
        removed = rest.removed if former.removed else None
        growth = growth_of(self.spark, log, EventLog(new), removed, former, folders.work)
        return TableWriter(self.spark, log, folders, growth, rest.kept, rest.rows)

    def _events(self, files: Sequence[Location]) -> DataFrame:
        """Read these files of the clean events."""
        return read_part(self.spark, self.result.folders.place, EVENTS, files).drop(FILE)

    def _owners(self) -> list[tuple[str, str]]:
        """Return each address of the estate with its instance."""
        estate = self.timeline.versions[-1].estate if self.timeline else None
        instances = estate.instances.values() if estate else ()
        return sorted((str(address), each.name) for each in instances for address in each.addresses)

    def _write_unused(self, writer: TableWriter) -> None:
        if self.timeline is None:
            return
        known = [
            (each.name, database.name, route.name, route.remote_service_name, str(route.address))
            for each in self.timeline.versions[-1].estate.instances.values()
            for database in each.databases.values()
            for route in database.table.routes.values()
        ]
        columns = "instance string, database string, route string, to_service string, address string"
        found = local_table(self.spark, known, columns)
        unused = route_usage.unused_routes(writer.read(USES), writer.log.end(), found, self.options.unused_days)
        write_rows(unused.coalesce(1), self.result.folders.table("unused_routes"))

    def _finish(self, source: InputRows, new_events: int, writer: TableWriter) -> None:
        """Write the quarantine and the counts: in = out + quarantined."""
        folders, kept = self.result.folders, writer.kept
        seen = count_rows(source)
        _write_quarantine(source, folders, seen - new_events)
        merge_parts(self.spark, folders, kept)
        out = rows_in(folders.table(EVENTS)) + rows_of_former(kept.get(EVENTS, {}))
        quarantine = [*kept.get(QUARANTINE, ()), *parquet_files_in(folders.quarantine)]
        self.run.count(seen + writer.rows_kept, out, reasons_of(quarantine))
        self.run.extra |= table_manifest(folders, kept)
        self.run.end_phase("quarantine")


def _digest(owners: list[tuple[str, str]]) -> str:
    return hashlib.sha256(json.dumps(owners).encode()).hexdigest()


def _deduplicated_events(source: InputRows) -> DataFrame:
    """Return each event once, with its file. Without duplicates, the usual case, it needs no shuffle and no places."""
    if has_duplicates(source.rows):
        return with_file(first_events(source.placed().where(F.col(REASON).isNull())))
    return with_file(source.rows.where(F.col(REASON).isNull()))


def _period_covered(log: EventLog) -> list[str | None]:
    """Return the first and the last moment of the log."""
    ends = (F.date_format(end, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") for end in (F.min("at"), F.max("at")))
    row = log.events.agg(*ends).first()
    return list(row) if row else []


def _write_quarantine(source: InputRows, folders: TableFolders, rejected: int) -> None:
    """Write the rejected rows beside those that are there, and the keys of events that came before."""
    quarantine = folders.quarantine
    others = rows_in(quarantine)
    write_unreadable_files(source.faults, quarantine)
    if len(source.faults) < rejected:
        write_rows(as_quarantine_rows(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if rows_in(quarantine) - others < rejected:
            again = duplicate_events(source.placed().where(F.col(REASON).isNull()))
            write_rows(as_quarantine_rows(source, again), quarantine)
            write_rows(with_file(again).select(*EVENT_KEY, FILE).coalesce(1), folders.table(REPEATED))
