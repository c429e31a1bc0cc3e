"""Aggregate rows by class and interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import KEY_COLUMNS
from pipeline.transforms.classification import interval_of, passed_moments
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.day_partition import DAY

INTERVAL = "interval"
_MOMENTS = "change_moments"
CLASS_INTERVAL = (CLASS, INTERVAL)
WEIGHTS = ("rows", "messages", "bytes")
MAX_NAMED_CLASSES = 100_000
"""Largest number of classes in an IN condition: Spark needs 5 kB for each to parse it."""


def with_interval(rows: DataFrame, change_moments: DataFrame | None) -> DataFrame:
    """Add the validity interval: how many change moments of its class are not after the row."""
    if change_moments is None:
        return rows.withColumn(INTERVAL, F.lit(0))
    # An array of non-null numbers is searched without boxing each of them, row by row.
    whole = change_moments.withColumn(_MOMENTS, F.transform(_MOMENTS, lambda moment: F.coalesce(moment, F.lit(0))))
    interval = F.coalesce(passed_moments(F.col(_MOMENTS), F.col("at")), F.lit(0))
    return rows.join(whole, CLASS, "left").withColumn(INTERVAL, interval).drop(_MOMENTS)


def daily_sums(silver: DataFrame) -> DataFrame:
    """Return the sums of each class on each day."""
    return silver.withColumn("rows", F.lit(1)).groupBy(CLASS, DAY).agg(*_sums())


def partial_sums(
    rows: DataFrame, ranges: Sequence[tuple[int, int]], classes: Collection[int], moments: Sequence[int]
) -> DataFrame:
    """Return the sums of some classes in some time ranges, by day and by the number of moments up to the row.

    With more than `MAX_NAMED_CLASSES`, the result has all classes of these ranges.
    """
    # Spark skips files by their day, and pages by their first and last moment.
    found = rows.where(" OR ".join(map(_within, ranges)))
    if len(classes) <= MAX_NAMED_CLASSES:
        found = found.where(f"{CLASS} IN ({', '.join(map(str, classes))})")
    interval = passed_moments(F.expr(f"array({', '.join(f'{moment}L' for moment in moments)})"), F.col("at"))
    return found.withColumn("rows", F.lit(1)).groupBy(CLASS, DAY, interval.alias(INTERVAL)).agg(*_sums())


def _within(micros_range: tuple[int, int]) -> str:
    first, last = (f"timestamp_micros({moment})" for moment in (micros_range[0], micros_range[1] - 1))
    days = f"{DAY} BETWEEN to_date({first}) AND to_date({last})"
    return f"({days} AND at BETWEEN {first} AND {last})"


def sums_between(rows: DataFrame, boundaries: Sequence[datetime]) -> DataFrame:
    """Return the sums of each class between two boundaries, with the first moment of its rows."""
    between = interval_of(F.col("at"), boundaries)
    return (
        rows.withColumn("_between", between)
        .groupBy(*KEY_COLUMNS, CLASS, "_between")
        .agg(F.min("at").alias("at"), *_sums())
        .drop("_between")
    )


def _sums() -> list[Column]:
    return [F.sum(name).alias(name) for name in WEIGHTS]
