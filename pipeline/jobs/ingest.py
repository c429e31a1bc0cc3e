"""`pipeline ingest`: add traffic files to a lake: copies of the files, and their clean rows without duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.files.file_system import check_readable, copy_file, delete, folder_of
from pipeline.files.location import Location, relative_name
from pipeline.inputs.damaged_files import without_damaged_files
from pipeline.inputs.files import InputFile, examine_files, file_identity, files_below, identity_key
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.quarantine import write_unreadable_files
from pipeline.inputs.reader import TRAFFIC_FORMAT, as_quarantine_rows, count_rows, read_files
from pipeline.lake.classes import known_classes, write_class_tables
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import NewRun, lake_for_writing, new_run
from pipeline.lake.tables import BRONZE, CLASSES, QUARANTINE, SILVER, SUMS
from pipeline.results.output_folder import write_rows
from pipeline.results.parquet_counts import reasons_in, rows_in
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.schemas import COLUMNS
from pipeline.transforms.cleaning import CLASS, REASON, clean, valid_rows
from pipeline.transforms.day_partition import DAY, day_of, with_day
from pipeline.transforms.duplicates import deduplicated_rows, duplicate_rows, rows_not_in, suspect_hashes

MAX_SUSPECTS = 1_000_000
"""Up to this many possible duplicates are compared separately; with more, all rows are compared."""
MAX_DAYS = 1_000
"""Up to this many days of new rows, only the lake's rows of these days are compared with them."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Options of `ingest`."""

    traffic: str
    out: str
    keep_duplicates: bool = False
    dates: str = ""
    """The order of dates with slashes in text files: `mdy`, `dmy`, or none that is read."""
    encoding: str = ""
    """The encoding of text files without a byte order mark; empty: UTF-8."""


def ingest(options: IngestOptions, settings: SparkSettings) -> JobRun:
    """Ingest the files below a folder that no run has ingested yet."""
    start_for_urls(settings, options.traffic, options.out)
    paths = files_below(options.traffic)
    with lake_for_writing(options.out) as lake:
        return ingest_files(spark_session(settings), lake, paths, options)


def ingest_files(
    spark: SparkSession,
    lake: Lake,
    paths: Sequence[Location],
    options: IngestOptions,
    more: Mapping[str, Any] | None = None,
) -> JobRun:
    """Ingest these files in one run, which is committed as a whole or not at all; `more`: fields of its record."""
    run, lake = JobRun("ingest", asdict(options), extra=dict(more or {})), lake.opened()
    new = _new_paths(lake, paths)
    run.inputs = [file_identity(path) for path in new]
    if not new:
        run.count(0, 0, {})
        return run
    with new_run(lake) as tables:
        copies = examine_files(_copied(tables, new, options), encoding=options.encoding)
        files = prepared_files(copies, tables.table(BRONZE), tables.work)
        run.end_phase("bronze")
        write_run(spark, tables, files, run, options, str(folder_of(options.traffic)))
    return run


def write_run(
    spark: SparkSession,
    tables: NewRun,
    files: list[InputFile],
    run: JobRun,
    options: IngestOptions,
    display_root: str,
) -> None:
    """Clean the rows of files in bronze, and commit the run; `display_root`: where the files came from."""
    without_damaged_files(
        files,
        lambda whole: _write(spark, tables, whole, run, options, display_root),
        lambda: _clear(tables),
    )
    tables.commit(run.as_json())


def _clear(tables: NewRun) -> None:
    for table in (SILVER, SUMS, CLASSES, QUARANTINE):
        delete(tables.table(table))


def _new_paths(lake: Lake, paths: Sequence[Location]) -> list[Location]:
    """Return the files that are new or have changed."""
    known = {identity_key(one) for record in lake.commits().values() for one in record["inputs"]}
    return [path for path in paths if identity_key(file_identity(path)) not in known]


def _copied(tables: NewRun, paths: Sequence[Location], options: IngestOptions) -> list[Location]:
    """Copy the files to bronze. The copies are read, so that bronze and silver agree if a file changes meanwhile."""
    root, copies = folder_of(options.traffic), []
    for path in paths:
        copy = tables.table(BRONZE) / relative_name(path, root)
        _copy(path, copy)
        copies.append(copy)
    return copies


def _copy(path: Location, copy: Location) -> None:
    """Copy a file. Raises `InputError` if it is the file that cannot be read, and not its copy that cannot be
    written."""
    try:
        copy_file(path, copy)
    except OSError:
        check_readable(path)
        raise


def _write(
    spark: SparkSession,
    tables: NewRun,
    files: list[InputFile],
    run: JobRun,
    options: IngestOptions,
    display_root: str,
) -> None:
    """Read the rows once; a second time only if some belong into quarantine."""
    root, lake = tables.table(BRONZE), tables.lake
    known = known_classes(spark, lake, files)
    numbers = known.frame(spark)
    source = read_files(
        spark,
        files,
        root,
        display_root,
        replace(TRAFFIC_FORMAT, clean=lambda raw: clean(raw, numbers), dates=options.dates),
    )
    silver, quarantine = tables.table(SILVER), tables.table(QUARANTINE)
    rows, before = valid_rows(source.rows).select(*COLUMNS, CLASS), None
    if not options.keep_duplicates:
        before = _earlier_rows(spark, lake, rows)
        rows = _deduplicated(spark, rows, before)
    write_rows(with_day(rows), silver, DAY)
    run.end_phase("silver")
    write_class_tables(spark, tables, known)
    run.end_phase("sums")
    write_unreadable_files(source.faults, quarantine)
    seen, out = count_rows(source), rows_in(silver)
    if out + len(source.faults) < seen:
        write_rows(as_quarantine_rows(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if out + rows_in(quarantine) < seen and not options.keep_duplicates:
            again = duplicate_rows(valid_rows(source.placed()), before)
            write_rows(as_quarantine_rows(source, again), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    run.end_phase("quarantine")


def _earlier_rows(spark: SparkSession, lake: Lake, rows: DataFrame) -> DataFrame | None:
    """Return the lake's rows of the days of these rows; None for a new lake."""
    if not lake.folders(SILVER):
        return None
    found = rows.select(day_of(F.col("at")).alias(DAY)).dropDuplicates().limit(MAX_DAYS + 1).collect()
    silver = lake.silver(spark)
    return silver if len(found) > MAX_DAYS else silver.where(F.col(DAY).isin([day for (day,) in found]))


def _deduplicated(spark: SparkSession, rows: DataFrame, before: DataFrame | None) -> DataFrame:
    """Remove duplicates. Only rows with a suspect hash are compared: few, and mostly none."""
    found = suspect_hashes(rows, before).limit(MAX_SUSPECTS + 1).toArrow()
    if not found.num_rows:
        return rows
    if found.num_rows > MAX_SUSPECTS:
        return (rows if before is None else rows_not_in(rows, before)).dropDuplicates()
    return deduplicated_rows(rows, before, spark.createDataFrame(found))
