"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import KEYS
from pipeline.transforms.classing import interval_of, passed
from pipeline.transforms.cleaning import CLASS

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)
WEIGHTS = ("rows", "messages", "bytes")


def timed(rows: DataFrame, marks: DataFrame | None) -> DataFrame:
    """Rows with their validity intervals: how many moments that matter for its class a row is not before."""
    if marks is None:
        return rows.withColumn(INTERVAL, F.lit(0))
    # Numbers that cannot be null are searched as they are; others would be boxed first, row by row.
    whole = marks.select(CLASS, F.transform("marks", lambda mark: F.coalesce(mark, F.lit(0))).alias("_marks"))
    interval = F.coalesce(passed(F.col("_marks"), F.col("at")), F.lit(0))
    return rows.join(whole, CLASS, "left").withColumn(INTERVAL, interval).drop("_marks")


def questions(timed_rows: DataFrame, classes: DataFrame) -> DataFrame:
    """Each class in each interval, weighed. Only numbers are compared."""
    return timed_rows.groupBy(*QUESTION).agg(*_sums()).join(classes, CLASS)


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
