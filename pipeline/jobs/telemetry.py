"""`pipeline telemetry`: tables of queues, delays, latencies, connections and route usage from an event log.

A log that has grown since the former result is not read again: its new files are, and what they touch is computed.
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
from pipeline.jobs.telemetry_parts import EVENTS, USES, FormerTelemetry, former_telemetry, merge_parts, read_part
from pipeline.jobs.telemetry_tables import TableWriter, growth_of
from pipeline.results.former_files import rows_of_former
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import NewTables, new_tables
from pipeline.results.output_folder import QUARANTINE, write_rows
from pipeline.results.parquet_counts import parquet_files_in, reasons_of, rows_in
from pipeline.results.run_record import JobRun
from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.schemas import EVENT, EVENT_FILES
from pipeline.telemetry import delays, depths, latencies, links, route_usage
from pipeline.telemetry.event_log import EventLog
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.events import EVENT_KEY, clean_events, deduplicated_events, duplicate_events, has_duplicates

EVENTS_FORMAT = RowFormat(EVENT_FILES.columns, clean_events)
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


class RepeatedEventError(Exception):
    """A new file has an event that a former file has: only reading both says which of them is the first."""


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
        """Read new files, and compute what they touch. Returns False, with nothing written, if that is not enough."""
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
        writer = self._writer(former)
        self.run.end_phase("clean")
        owners = self._owners()
        self.run.extra = {"covers": _period_covered(writer.log), "owners": _digest(owners)}
        has_other_owners = former is not None and former.record["owners"] != self.run.extra["owners"]
        table = local_table(self.spark, owners, "next_hop string, owner string") if self.timeline else None
        writer.write(self.run, table, has_other_owners=has_other_owners)
        self._write_unused(writer)
        self.run.end_phase("ways")
        self._finish(source, writer)

    def _writer(self, former: FormerTelemetry | None) -> TableWriter:
        """Return the writer of tables of the new events, and of those of the former result. Raises
        `RepeatedEventError`."""
        folders = self.result.folders
        files = parquet_files_in(folders.table(EVENTS))
        new = read_part(self.spark, folders.place, EVENTS, files)
        if former is None:
            return TableWriter(self.spark, EventLog(new), folders, None)
        keys = new.select(*EVENT_KEY)
        if not former.part(self.spark, EVENTS).select(*EVENT_KEY).join(keys, list(EVENT_KEY), "left_semi").isEmpty():
            raise RepeatedEventError
        kept = {name: dict(former.files[name]) for name in (EVENTS, QUARANTINE)}
        log = EventLog(read_part(self.spark, folders.place, EVENTS, [*kept[EVENTS], *files]))
        growth = growth_of(self.spark, log, EventLog(new), former, folders.work)
        return TableWriter(self.spark, log, folders, growth, kept)

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

    def _finish(self, source: InputRows, writer: TableWriter) -> None:
        """Write the quarantine and the counts: in = out + quarantined."""
        folders, kept = self.result.folders, writer.kept
        seen = count_rows(source)
        _write_quarantine(source, folders.quarantine, seen - rows_in(folders.table(EVENTS)))
        merge_parts(self.spark, folders, kept)
        out = rows_in(folders.table(EVENTS)) + rows_of_former(kept.get(EVENTS, {}))
        if writer.growth:
            seen += writer.growth.former.record["counts"]["in"]
        quarantine = [*kept.get(QUARANTINE, ()), *parquet_files_in(folders.quarantine)]
        self.run.count(seen, out, reasons_of(quarantine))
        self.run.extra |= table_manifest(folders, kept)
        self.run.end_phase("quarantine")


def _digest(owners: list[tuple[str, str]]) -> str:
    return hashlib.sha256(json.dumps(owners).encode()).hexdigest()


def _deduplicated_events(source: InputRows) -> DataFrame:
    """Return each event once. Without duplicates, the usual case, no shuffle and no places are needed."""
    if has_duplicates(source.rows):
        return deduplicated_events(source.placed().where(F.col(REASON).isNull()))
    return source.rows.where(F.col(REASON).isNull()).select(*EVENT.names)


def _period_covered(log: EventLog) -> list[str | None]:
    """Return the first and the last moment of the log."""
    ends = (F.date_format(end, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") for end in (F.min("at"), F.max("at")))
    row = log.events.agg(*ends).first()
    return list(row) if row else []


def _write_quarantine(source: InputRows, quarantine: Location, rejected: int) -> None:
    write_unreadable_files(source.faults, quarantine)
    if len(source.faults) < rejected:
        write_rows(as_quarantine_rows(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if rows_in(quarantine) < rejected:
            again = duplicate_events(source.placed().where(F.col(REASON).isNull()))
            write_rows(as_quarantine_rows(source, again), quarantine)
