"""`pipeline ingest`: traffic files to a lake. What came is kept, clean rows are typed and stand once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.classes import known_classes, write_sums
from pipeline.counting import reasons_in, rows_in
from pipeline.files import File, examined, files_below, identity
from pipeline.lake import BRONZE, CLASSES, QUARANTINE, SILVER, SUMS, Lake, lake_for_writing
from pipeline.output import write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import TRAFFIC, count_rows, quarantined, read_files
from pipeline.record import Run
from pipeline.schemas import COLUMNS
from pipeline.session import SparkSettings, spark_session
from pipeline.surviving import surviving
from pipeline.transforms.cleaning import CLASS, REASON, clean, good
from pipeline.transforms.doubles import doubles, each_once, suspects, without_known
from pipeline.transforms.filing import DAY, day_of, filed

MOST_SUSPECTS = 1_000_000
"""Rows that are compared by themselves; where more may have come twice, all are compared with each other."""
MOST_DAYS = 1_000
"""Days of new rows by which those are chosen that they are compared with."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to ingest, and where to."""

    traffic: str
    out: str
    keep_duplicates: bool = False


def ingest(options: Options, settings: SparkSettings) -> Run:
    """Ingests the files below a folder that no run ingested before."""
    paths = files_below(options.traffic)
    with lake_for_writing(options.out) as lake:
        return ingest_files(spark_session(settings), lake, paths, options)


def ingest_files(spark: SparkSession, lake: Lake, paths: Sequence[Path], options: Options) -> Run:
    """One run; it counts as a whole, or not at all."""
    run = Run("ingest", asdict(options))
    new = _unknown(lake, paths)
    run.inputs = [identity(path) for path in new]
    if not new:
        run.count(0, 0, {})
        return run
    files = examined(_kept(lake, new, options))
    run.phase("bronze")
    surviving(files, lambda whole: _write(spark, lake, whole, run, options), lambda: _clear(lake))
    lake.commit(lake.next_run(), run.as_json())
    return run


def _clear(lake: Lake) -> None:
    for table in (SILVER, SUMS, CLASSES, QUARANTINE):
        shutil.rmtree(lake.staging / table, ignore_errors=True)


def _unknown(lake: Lake, paths: Sequence[Path]) -> list[Path]:
    """Files that are new, or not what they were."""
    known = {tuple(sorted(one.items())) for record in lake.commits().values() for one in record["inputs"]}
    return [path for path in paths if tuple(sorted(identity(path).items())) not in known]


def _kept(lake: Lake, paths: Sequence[Path], options: Options) -> list[Path]:
    """The copies are read, not the files: what is kept is what was read, whatever happens to them meanwhile."""
    copies = []
    for path in paths:
        copy = lake.staging / BRONZE / path.relative_to(_root(options))
        copy.parent.mkdir(parents=True, exist_ok=True)
        copies.append(Path(shutil.copyfile(path, copy)))
    return copies


def _root(options: Options) -> Path:
    named = Path(options.traffic)
    return named if named.is_dir() else named.parent


def _write(spark: SparkSession, lake: Lake, files: list[File], run: Run, options: Options) -> None:
    """Reads once where all is well; again for the quarantine where not."""
    root, shown = lake.staging / BRONZE, str(_root(options))
    known = known_classes(spark, lake, files)
    numbers = known.frame(spark)
    source = read_files(spark, files, root, shown, replace(TRAFFIC, clean=lambda raw: clean(raw, numbers)))
    silver, quarantine = lake.staging / SILVER, lake.staging / QUARANTINE
    rows, before = good(source.rows).select(*COLUMNS, CLASS), None
    if not options.keep_duplicates:
        before = _before(spark, lake, rows)
        rows = _each_once(spark, rows, before)
    write_rows(filed(rows), silver, DAY)
    run.phase("silver")
    write_sums(spark, lake, known)
    run.phase("sums")
    write_faults(source.faults, quarantine)
    seen, out = count_rows(source), rows_in(silver)
    if out + len(source.faults) < seen:
        write_rows(quarantined(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if out + rows_in(quarantine) < seen and not options.keep_duplicates:
            again = doubles(good(source.placed()), before)
            write_rows(quarantined(source, again), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    run.phase("quarantine")


def _before(spark: SparkSession, lake: Lake, rows: DataFrame) -> DataFrame | None:
    """What earlier runs brought of the days of these rows; None: nothing."""
    if not lake.folders(SILVER):
        return None
    found = rows.select(day_of(F.col("at")).alias(DAY)).dropDuplicates().limit(MOST_DAYS + 1).collect()
    silver = lake.silver(spark)
    return silver if len(found) > MOST_DAYS else silver.where(F.col(DAY).isin([day for (day,) in found]))


def _each_once(spark: SparkSession, rows: DataFrame, before: DataFrame | None) -> DataFrame:
    """Without those that came before: few rows have to be compared with others, and mostly none."""
    found = suspects(rows, before).limit(MOST_SUSPECTS + 1).toArrow()
    if not found.num_rows:
        return rows
    if found.num_rows > MOST_SUSPECTS:
        return (rows if before is None else without_known(rows, before)).dropDuplicates()
    return each_once(rows, before, spark.createDataFrame(found))
