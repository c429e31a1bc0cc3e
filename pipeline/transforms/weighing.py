"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import KEYS
from pipeline.transforms.classing import interval_of, passed
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.filing import DAY

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)
WEIGHTS = ("rows", "messages", "bytes")
MOST_NAMED = 100_000
"""Classes that a condition names: Spark keeps 5 kB for each while it reads it."""


def timed(rows: DataFrame, marks: DataFrame | None) -> DataFrame:
    """Rows with their validity intervals: how many moments that matter for its class a row is not before."""
    if marks is None:
        return rows.withColumn(INTERVAL, F.lit(0))
    # Numbers that cannot be null are searched as they are; others would be boxed first, row by row.
    whole = marks.withColumn("marks", F.transform("marks", lambda mark: F.coalesce(mark, F.lit(0))))
    interval = F.coalesce(passed(F.col("marks"), F.col("at")), F.lit(0))
    return rows.join(whole, CLASS, "left").withColumn(INTERVAL, interval).drop("marks")


def daily(silver: DataFrame) -> DataFrame:
    """One row for all of a class on a day."""
    return silver.withColumn("rows", F.lit(1)).groupBy(CLASS, DAY).agg(*_sums())


def parts(
    rows: DataFrame, stretches: Sequence[tuple[int, int]], classes: Collection[int], moments: Sequence[int]
) -> DataFrame:
    """Of the rows in some stretches of time those of some classes, day by day weighed by how many of the moments they
    are not before. Of very many classes, all rows in these stretches."""
    # Files know the day of their rows, and the first and last moment of their pages.
    found = rows.where(" OR ".join(map(_within, stretches)))
    if len(classes) <= MOST_NAMED:
        found = found.where(f"{CLASS} IN ({', '.join(map(str, classes))})")
    interval = passed(F.expr(f"array({', '.join(f'{moment}L' for moment in moments)})"), F.col("at"))
    return found.withColumn("rows", F.lit(1)).groupBy(CLASS, DAY, interval.alias(INTERVAL)).agg(*_sums())


def _within(stretch: tuple[int, int]) -> str:
    first, last = (f"timestamp_micros({moment})" for moment in (stretch[0], stretch[1] - 1))
    days = f"{DAY} BETWEEN to_date({first}) AND to_date({last})"
    return f"({days} AND at BETWEEN {first} AND {last})"


def condensed(rows: DataFrame, boundaries: Sequence[datetime]) -> DataFrame:
    """One row for all of a class between two boundaries, with the first moment of them."""
    between = interval_of(F.col("at"), boundaries)
    return (
        rows.withColumn("_between", between)
        .groupBy(*KEYS, CLASS, "_between")
        .agg(F.min("at").alias("at"), *_sums())
        .drop("_between")
    )


def _sums() -> list[Column]:
    return [F.sum(name).alias(name) for name in WEIGHTS]
