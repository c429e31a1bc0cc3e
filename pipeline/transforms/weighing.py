"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import KEYS
from pipeline.transforms.classing import interval_of, passed
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.filing import DAY

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)
WEIGHTS = ("rows", "messages", "bytes")
_MOST_NAMED = 1_000
"""Classes that a query names. It tells that a row is of none of them quicker than a join does."""


def timed(rows: DataFrame, marks: DataFrame | None) -> DataFrame:
    """Rows with their validity intervals: how many moments that matter for its class a row is not before."""
    if marks is None:
        return rows.withColumn(INTERVAL, F.lit(0))
    interval = F.coalesce(passed(F.col("marks"), F.col("at")), F.lit(0))
    return rows.join(_whole(marks), CLASS, "left").withColumn(INTERVAL, interval).drop("marks")


def _whole(marks: DataFrame) -> DataFrame:
    """Numbers that cannot be null are searched as they are; others would be boxed first, row by row."""
    return marks.withColumn("marks", F.transform("marks", lambda mark: F.coalesce(mark, F.lit(0))))


def daily(silver: DataFrame) -> DataFrame:
    """One row for all of a class on a day."""
    return silver.withColumn("rows", F.lit(1)).groupBy(*KEYS, CLASS, DAY).agg(*_sums())


def parts(rows: DataFrame, divided: DataFrame, classes: Collection[int], days: Collection[date]) -> DataFrame:
    """Of the rows on these days, those of classes and days in the middle of which an answer changes, weighed."""
    found = rows.where(F.col(DAY).isin(*days))
    if len(classes) <= _MOST_NAMED:
        found = found.where(f"{CLASS} IN ({', '.join(map(str, classes))})")
    within = found.join(F.broadcast(_whole(divided)), CLASS).where(F.array_contains("days", F.col(DAY)))
    interval = passed(F.col("marks"), F.col("at")).alias(INTERVAL)
    return within.withColumn("rows", F.lit(1)).groupBy(CLASS, interval).agg(*_sums())


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
