"""`pipeline ingest`: traffic files to a lake. What came is kept, clean rows are typed and stand once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from pipeline.counting import reasons_in, rows_in
from pipeline.files import examined, files_below
from pipeline.lake import BRONZE, CLASSES, QUARANTINE, SILVER, Lake, lake_for_writing
from pipeline.output import write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import Source, count_rows, quarantined, read_files
from pipeline.record import Run
from pipeline.schemas import COLUMNS, KEYS
from pipeline.session import SparkSettings, spark_session
from pipeline.transforms.cleaning import CLASS, REASON
from pipeline.transforms.doubles import doubles, without_known


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
        return ingest_files(lake, paths, options, settings)


def ingest_files(lake: Lake, paths: Sequence[Path], options: Options, settings: SparkSettings) -> Run:
    """One run; it counts as a whole, or not at all."""
    run = Run("ingest", asdict(options))
    new = _unknown(lake, paths)
    run.inputs = [_identity(path) for path in new]
    spark = spark_session(settings)
    run.phase("start")
    source = _source(spark, lake, new, options)
    run.phase("bronze")
    if new:
        _write(spark, lake, source, run, keep_duplicates=options.keep_duplicates)
        lake.commit(lake.next_run(), run.as_json())
    else:
        run.count(0, 0, {})
    return run


def _unknown(lake: Lake, paths: Sequence[Path]) -> list[Path]:
    """Files that are new, or not what they were."""
    known = {tuple(sorted(one.items())) for record in lake.commits().values() for one in record["inputs"]}
    return [path for path in paths if tuple(sorted(_identity(path).items())) not in known]


def _identity(path: Path) -> dict[str, Any]:
    state = path.stat()
    return {"path": str(path.absolute()), "size": state.st_size, "modified": state.st_mtime_ns}


def _source(spark: SparkSession, lake: Lake, paths: Sequence[Path], options: Options) -> Source:
    """The copies are read, not the files: what is kept is what was read, whatever happens to them meanwhile."""
    named = Path(options.traffic)
    root = named if named.is_dir() else named.parent
    bronze = lake.staging / BRONZE
    copies = []
    for path in paths:
        copy = bronze / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copies.append(Path(shutil.copyfile(path, copy)))
    return read_files(spark, examined(copies), bronze, str(root))


def _write(spark: SparkSession, lake: Lake, source: Source, run: Run, *, keep_duplicates: bool) -> None:
    """Reads once where all is well; again for the quarantine where not."""
    silver, quarantine = lake.staging / SILVER, lake.staging / QUARANTINE
    known = lake.silver(spark) if lake.folders(SILVER) and not keep_duplicates else None
    good = source.rows.where(F.col(REASON).isNull())
    write_rows(_clean(good, known, keep_duplicates=keep_duplicates), silver, "day")
    run.phase("silver")
    _write_classes(spark, lake, silver)
    run.phase("classes")
    write_faults(source.faults, quarantine)
    seen, out = count_rows(source), rows_in(silver)
    if out + len(source.faults) < seen:
        write_rows(quarantined(source, source.rows.where(F.col(REASON).isNotNull())), quarantine)
        if out + rows_in(quarantine) < seen and not keep_duplicates:
            write_rows(quarantined(source, doubles(good, known)), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    run.phase("quarantine")


def _clean(good: DataFrame, known: DataFrame | None, *, keep_duplicates: bool) -> DataFrame:
    """The rows of silver."""
    rows = good.select(*COLUMNS, CLASS)
    if known is not None:
        rows = without_known(rows, known)
    if not keep_duplicates:
        rows = rows.dropDuplicates()
    return rows.withColumn("day", F.to_date("at"))


def _write_classes(spark: SparkSession, lake: Lake, silver: Path) -> None:
    """Those that no run met before."""
    if not rows_in(silver):
        return
    met: DataFrame = spark.read.parquet(str(silver)).select(*KEYS, CLASS).dropDuplicates()
    if lake.folders(CLASSES):
        met = met.join(lake.classes(spark).select(CLASS), CLASS, "left_anti").select(*KEYS, CLASS)
    write_rows(met.coalesce(1), lake.staging / CLASSES)
