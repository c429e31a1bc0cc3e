"""`pipeline ingest`: traffic files to a lake. What came is kept, clean rows are typed and stand once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.counting import reasons_in, rows_in
from pipeline.files import File, examined, files_below, identity
from pipeline.lake import BRONZE, CLASSES, QUARANTINE, SILVER, SUMS, Lake, lake_for_writing
from pipeline.output import write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import count_rows, quarantined, read_files
from pipeline.record import Run
from pipeline.schemas import COLUMNS, KEYS
from pipeline.session import SparkSettings, spark_session
from pipeline.surviving import surviving
from pipeline.transforms.cleaning import CLASS, REASON, good
from pipeline.transforms.doubles import doubles, without_known
from pipeline.transforms.filing import DAY, filed
from pipeline.transforms.weighing import daily

ROWS_A_PAGE = 2_000
"""Of silver, in order of the classes: so few that a page holds few classes, and a query reads those it names."""


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
    source = read_files(spark, files, lake.staging / BRONZE, str(_root(options)))
    keep_duplicates = options.keep_duplicates
    silver, quarantine = lake.staging / SILVER, lake.staging / QUARANTINE
    known = lake.silver(spark) if lake.folders(SILVER) and not keep_duplicates else None
    rows = _clean(good(source.rows), known, keep_duplicates=keep_duplicates)
    write_rows(rows, silver, DAY, rows_a_page=ROWS_A_PAGE)
    run.phase("silver")
    _write_sums(spark, lake, silver)
    run.phase("sums")
    write_faults(source.faults, quarantine)
    seen, out = count_rows(source), rows_in(silver)
    if out + len(source.faults) < seen:
        write_rows(quarantined(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
        if out + rows_in(quarantine) < seen and not keep_duplicates:
            again = doubles(good(source.placed()), known)
            write_rows(quarantined(source, again), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    run.phase("quarantine")


def _clean(rows: DataFrame, known: DataFrame | None, *, keep_duplicates: bool) -> DataFrame:
    """The rows of silver."""
    rows = rows.select(*COLUMNS, CLASS)
    if known is not None:
        rows = without_known(rows, known)
    if not keep_duplicates:
        rows = rows.dropDuplicates()
    return filed(rows)


def _write_sums(spark: SparkSession, lake: Lake, silver: Path) -> None:
    """What is asked about instead of rows: each class on each day; and the classes that no run met before."""
    if not rows_in(silver):
        return
    sums = lake.staging / SUMS
    write_rows(daily(spark.read.parquet(str(silver))).coalesce(1), sums)
    met: DataFrame = spark.read.parquet(str(sums)).select(*KEYS, CLASS).dropDuplicates()
    if lake.folders(CLASSES):
        met = met.join(lake.classes(spark).select(CLASS), CLASS, "left_anti").select(*KEYS, CLASS)
    write_rows(met.coalesce(1), lake.staging / CLASSES)
