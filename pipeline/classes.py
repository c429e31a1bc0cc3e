"""The classes that a run of `ingest` meets: those whose names were looked at before, and those it adds to its lake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.counting import rows_in
from pipeline.files import File
from pipeline.lake import CLASSES, SILVER, SUMS, Lake
from pipeline.output import write_rows
from pipeline.reading import Source
from pipeline.schemas import KEYS
from pipeline.transforms.cleaning import CLASS, good
from pipeline.transforms.weighing import daily

MANY, FIRST = 1_000_000, 50_000
"""Of a file with so many rows, so many are looked at first: they have nearly all of the classes."""
MOST = 1_000_000
"""Classes that each task has at hand."""


def known_classes(
    spark: SparkSession, lake: Lake, files: Sequence[File], read: Callable[[list[File]], Source]
) -> DataFrame | None:
    """Classes with their keys: those of the lake, or of a new one the first that are met; None: not known yet."""
    if lake.folders(CLASSES):
        return lake.classes(spark).limit(MOST)
    largest = max(files, key=lambda file: file.rows)
    if largest.rows < MANY:
        return None
    first = good(read([largest]).rows).limit(FIRST)
    return spark.createDataFrame(first.select(*KEYS, CLASS).dropDuplicates().toArrow())


def write_sums(spark: SparkSession, lake: Lake, known: DataFrame | None) -> None:
    """What is asked about instead of rows: each class on each day; and the classes that no run met before."""
    silver, sums = lake.staging / SILVER, lake.staging / SUMS
    if not rows_in(silver):
        return
    write_rows(daily(spark.read.parquet(str(silver))).coalesce(1), sums)
    met = spark.read.parquet(str(sums)).select(CLASS).dropDuplicates()
    if lake.folders(CLASSES):
        # Those that are known are those of the lake.
        new, known = met.join(lake.classes(spark).select(CLASS), CLASS, "left_anti"), None
    else:
        new = met
    write_rows(_named(spark, silver, new, known).coalesce(1), lake.staging / CLASSES)


def _named(spark: SparkSession, silver: Path, new: DataFrame, known: DataFrame | None) -> DataFrame:
    """What each of some classes stands for: as is known, or as its rows say."""
    rows, columns = spark.read.parquet(str(silver)), (*KEYS, CLASS)
    if known is None:
        return rows.join(F.broadcast(new), CLASS, "left_semi").select(*columns).dropDuplicates()
    strange = new.join(F.broadcast(known.select(CLASS)), CLASS, "left_anti")
    return (
        known.join(F.broadcast(new), CLASS, "left_semi")
        .select(*columns)
        .unionByName(_named(spark, silver, strange, None))
    )
