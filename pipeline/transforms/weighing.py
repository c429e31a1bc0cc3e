"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import KEYS
from pipeline.transforms.classing import interval_of, passed
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.filing import DAY, day_of

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)
WEIGHTS = ("rows", "messages", "bytes")
_LAST_OF_DAY = timedelta(days=1, microseconds=-1)
_MICROSECONDS_A_DAY = 86_400_000_000


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


def daily(silver: DataFrame) -> DataFrame:
    """One row for all of a class on a day."""
    return silver.withColumn("rows", F.lit(1)).groupBy(*KEYS, CLASS, DAY).agg(*_sums())


def sums_or_rows(
    sums: DataFrame, rows: DataFrame, marks: DataFrame | None, boundaries: Sequence[datetime]
) -> DataFrame:
    """What is to be weighed, as few rows as will do: on a day in which no moment matters for a class, its sum; else its
    rows of the day."""
    whole = sums.withColumn("at", F.col(DAY).cast("timestamp"))
    columns = (CLASS, "at", *WEIGHTS)
    days = {
        moment.replace(hour=0, minute=0, second=0, microsecond=0) for moment in boundaries if moment.time() > time()
    }
    if marks is None or not days:
        return whole.select(*columns)
    divided = F.broadcast(_divided(marks))
    on_days = reduce(operator.or_, (F.col("at").between(F.lit(day), F.lit(day + _LAST_OF_DAY)) for day in sorted(days)))
    parts = rows.where(on_days).withColumn(DAY, day_of(F.col("at"))).join(divided, [CLASS, DAY], "left_semi")
    rest = whole.join(divided, [CLASS, DAY], "left_anti")
    return rest.select(*columns).unionByName(parts.select(*columns))


def _divided(marks: DataFrame) -> DataFrame:
    """The classes with the days in which a moment matters for them, but for their first."""
    moments = marks.select(CLASS, F.explode("marks").alias("_mark")).where(F.col("_mark") % _MICROSECONDS_A_DAY != 0)
    return moments.select(CLASS, day_of(F.timestamp_micros("_mark")).alias(DAY)).dropDuplicates()


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
