"""`pipeline telemetry`: what an event log says of queues, delays, latencies, links and ways."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.counting import reasons_in, rows_in
from pipeline.estates import Timeline, load_timeline
from pipeline.files import File, examined, files_below, identity
from pipeline.manifest import manifest
from pipeline.output import QUARANTINE, replaced, write_record, write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import Form, Source, count_rows, quarantined, read_files
from pipeline.record import Run
from pipeline.schemas import EVENT, EVENT_FILES
from pipeline.session import SparkSettings, spark_session
from pipeline.surviving import emptied, surviving
from pipeline.telemetry import delays, depths, latencies, links, ways
from pipeline.telemetry.log import Log
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.events import are_copied, clean_events, copies, each_once

EVENTS = Form(EVENT_FILES.columns, clean_events)
EVENTS_ONCE, COMPARED = "_work/events", "_work/compared"
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
    "routes": ways.routes,
}
"""Those that need nothing but the log."""


@dataclass(frozen=True, slots=True)
class Options:
    """A log, and what it is held against."""

    events: str
    out: str
    estate: str | None = None
    """Whose routes are looked for in the log, and who has which address."""
    unused_days: int = 30


def telemetry(options: Options, settings: SparkSettings) -> Run:
    """Writes a table for each question, as Parquet."""
    run = Run("telemetry", asdict(options))
    timeline = load_timeline(options.estate) if options.estate else None
    paths = files_below(options.events)
    run.inputs = [*(version.as_json() for version in (timeline.versions if timeline else ())), *map(identity, paths)]
    run.phase("estates")
    with replaced(options.out) as folder:
        spark = spark_session(settings)
        run.phase("start")
        files = examined(paths, EVENT_FILES)
        run.phase("examine")
        surviving(files, lambda good: _write(spark, good, options, timeline, folder, run), lambda: emptied(folder))
        write_record(folder, run.as_json())
    return run


def _write(
    spark: SparkSession, files: list[File], options: Options, timeline: Timeline | None, folder: Path, run: Run
) -> None:
    source = read_files(spark, files, _root(options), str(_root(options)), EVENTS)
    work = folder / EVENTS_ONCE
    # Cleaned once, and by class: each table then reads only the events that it is made of.
    write_rows(_events(source), work, "event_class")
    run.phase("clean")
    log = Log(_read(spark, work))
    for name, table in TABLES.items():
        write_rows(table(log).coalesce(1), folder / name)
        run.phase(name)
    _write_compared(spark, log, folder, options, timeline)
    run.phase("ways")
    run.more = {"covers": _covered(log)}
    _finish(source, run, folder)


def _events(source: Source) -> DataFrame:
    """Each event once. Where none was copied, as always but once, nothing is moved and no place is asked for."""
    if are_copied(source.rows):
        return each_once(source.placed().where(F.col(REASON).isNull()))
    return source.rows.where(F.col(REASON).isNull()).select(*EVENT.names)


def _read(spark: SparkSession, work: Path) -> DataFrame:
    if not rows_in(work):
        return spark.createDataFrame([], EVENT)
    return spark.read.schema(EVENT).parquet(str(work)).select(*EVENT.names)


def _root(options: Options) -> Path:
    named = Path(options.events)
    return named if named.is_dir() else named.parent


def _write_compared(spark: SparkSession, log: Log, folder: Path, options: Options, timeline: Timeline | None) -> None:
    estate = timeline.versions[-1].estate if timeline else None
    owners = None
    if estate is not None:
        pairs = [(str(one), each.name) for each in estate.instances.values() for one in each.addresses]
        owners = spark.createDataFrame(pairs, "next_hop string, owner string")
        known = [
            (each.name, database.name, route.name, route.remote_service_name, str(route.address))
            for each in estate.instances.values()
            for database in each.databases.values()
            for route in database.table.routes.values()
        ]
        columns = "instance string, database string, route string, to_service string, address string"
        unused = ways.unused_routes(log, spark.createDataFrame(known, columns), options.unused_days)
        write_rows(unused.coalesce(1), folder / "unused_routes")
    compared = folder / COMPARED
    write_rows(ways.compared_hops(log, owners), compared)
    found = spark.read.parquet(str(compared))
    write_rows(ways.hops(found).coalesce(1), folder / "hops")
    write_rows(ways.disagreements(found).coalesce(1), folder / "disagreements")


def _covered(log: Log) -> list[str | None]:
    """The first moment of the log, and the last."""
    ends = (F.date_format(end, "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") for end in (F.min("at"), F.max("at")))
    row = log.events.agg(*ends).first()
    return list(row) if row else []


def _finish(source: Source, run: Run, folder: Path) -> None:
    """Quarantine, and the counts: in = out + quarantined."""
    seen, out = count_rows(source), rows_in(folder / EVENTS_ONCE)
    quarantine = folder / QUARANTINE
    write_faults(source.faults, quarantine)
    if out + len(source.faults) < seen:
        write_rows(quarantined(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if out + rows_in(quarantine) < seen:
            write_rows(quarantined(source, copies(source.placed().where(F.col(REASON).isNull()))), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    shutil.rmtree((folder / EVENTS_ONCE).parent)
    run.more["tables"] = manifest(folder)
    run.phase("quarantine")
