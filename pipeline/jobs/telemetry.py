"""`pipeline telemetry`: tables of queues, delays, latencies, connections and route usage from an event log."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.files.file_system import delete, folder_of
from pipeline.files.location import Location, spark_name
from pipeline.inputs.damaged_files import empty_folder, without_damaged_files
from pipeline.inputs.files import InputFile, examine_files, file_identity, files_below
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.quarantine import write_unreadable_files
from pipeline.inputs.reader import InputRows, RowFormat, as_quarantine_rows, count_rows, read_files
from pipeline.results.manifest import folder_manifest
from pipeline.results.new_result import new_result
from pipeline.results.output_folder import QUARANTINE, write_rows
from pipeline.results.parquet_counts import reasons_in, rows_in
from pipeline.results.run_record import JobRun
from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.schemas import EVENT, EVENT_FILES
from pipeline.telemetry import delays, depths, latencies, links, next_hops, route_usage
from pipeline.telemetry.event_log import EventLog
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.events import clean_events, deduplicated_events, duplicate_events, has_duplicates

EVENTS_FORMAT = RowFormat(EVENT_FILES.columns, clean_events)
EVENTS_WORK, COMPARED_WORK = "_work/events", "_work/compared"
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
    run.inputs = [
        *(version.as_json() for version in (timeline.versions if timeline else ())),
        *map(file_identity, paths),
    ]
    run.end_phase("estates")
    with new_result(options.out) as result:
        spark, folder = spark_session(settings), result.folder
        run.end_phase("start")
        files = examine_files(paths, EVENT_FILES, options.encoding)
        run.end_phase("examine")
        without_damaged_files(
            files, lambda good: _write(spark, good, options, timeline, folder, run), lambda: empty_folder(folder)
        )
        result.publish(run.as_json())
    return run


def _write(
    spark: SparkSession,
    files: list[InputFile],
    options: TelemetryOptions,
    timeline: Timeline | None,
    folder: Location,
    run: JobRun,
) -> None:
    root, work = folder_of(options.events), folder / EVENTS_WORK
    form = replace(EVENTS_FORMAT, dates=options.dates)
    source = read_files(spark, prepared_files(files, root, work.parent), root, str(root), form)
    # Cleaned once, and partitioned by event class: each table then reads only its own events.
    write_rows(_deduplicated_events(source), work, "event_class")
    run.end_phase("clean")
    log = EventLog(_read(spark, work))
    for name, table in TABLES.items():
        write_rows(table(log).coalesce(1), folder / name)
        run.end_phase(name)
    _write_compared(spark, log, folder, options, timeline)
    run.end_phase("ways")
    run.extra = {"covers": _period_covered(log)}
    _finish(source, run, folder)


def _deduplicated_events(source: InputRows) -> DataFrame:
    """Return each event once. Without duplicates, the usual case, no shuffle and no places are needed."""
    if has_duplicates(source.rows):
        return deduplicated_events(source.placed().where(F.col(REASON).isNull()))
    return source.rows.where(F.col(REASON).isNull()).select(*EVENT.names)


def _read(spark: SparkSession, work: Location) -> DataFrame:
    if not rows_in(work):
        return local_table(spark, [], EVENT)
    return spark.read.schema(EVENT).parquet(spark_name(work)).select(*EVENT.names)


def _write_compared(
    spark: SparkSession, log: EventLog, folder: Location, options: TelemetryOptions, timeline: Timeline | None
) -> None:
    estate = timeline.versions[-1].estate if timeline else None
    owners = None
    if estate is not None:
        pairs = [(str(one), each.name) for each in estate.instances.values() for one in each.addresses]
        owners = local_table(spark, pairs, "next_hop string, owner string")
        known = [
            (each.name, database.name, route.name, route.remote_service_name, str(route.address))
            for each in estate.instances.values()
            for database in each.databases.values()
            for route in database.table.routes.values()
        ]
        columns = "instance string, database string, route string, to_service string, address string"
        unused = route_usage.unused_routes(log, local_table(spark, known, columns), options.unused_days)
        write_rows(unused.coalesce(1), folder / "unused_routes")
    compared = folder / COMPARED_WORK
    write_rows(next_hops.compared_hops(log, owners), compared)
    found = spark.read.parquet(spark_name(compared))
    write_rows(next_hops.hops(found).coalesce(1), folder / "hops")
    write_rows(next_hops.disagreements(found).coalesce(1), folder / "disagreements")


def _period_covered(log: EventLog) -> list[str | None]:
    """Return the first and the last moment of the log."""
    ends = (F.date_format(end, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") for end in (F.min("at"), F.max("at")))
    row = log.events.agg(*ends).first()
    return list(row) if row else []


def _finish(source: InputRows, run: JobRun, folder: Location) -> None:
    """Write the quarantine and the counts: in = out + quarantined."""
    seen, out = count_rows(source), rows_in(folder / EVENTS_WORK)
    quarantine = folder / QUARANTINE
    write_unreadable_files(source.faults, quarantine)
    if out + len(source.faults) < seen:
        write_rows(as_quarantine_rows(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if out + rows_in(quarantine) < seen:
            write_rows(
                as_quarantine_rows(source, duplicate_events(source.placed().where(F.col(REASON).isNull()))), quarantine
            )
    run.count(seen, out, reasons_in(quarantine))
    delete((folder / EVENTS_WORK).parent)
    run.extra |= folder_manifest(folder)
    run.end_phase("quarantine")
