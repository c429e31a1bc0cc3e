"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.schemas import KEYS
from pipeline.session import MOST_NAMED
from pipeline.transforms.classing import interval_of, passed
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.filing import DAY

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)
WEIGHTS = ("rows", "messages", "bytes")


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
    return silver.withColumn("rows", F.lit(1)).groupBy(*KEYS, CLASS, DAY).agg(*_sums())


def parts(rows: DataFrame, divided: Mapping[date, Collection[int]], moments: Sequence[int]) -> DataFrame:
    """Of the rows, those of some classes on each day, weighed by how many of the moments they are not before."""
    found = rows.where(F.col(DAY).isin(*divided))
    if sum(map(len, divided.values())) <= MOST_NAMED:
        found = found.where(" OR ".join(_named(day, classes) for day, classes in divided.items()))
    else:
        found = found.join(F.broadcast(_table(rows.sparkSession, divided)), [CLASS, DAY], "left_semi")
    interval = passed(F.expr(f"array({', '.join(f'{moment}L' for moment in moments)})"), F.col("at"))
    return found.withColumn("rows", F.lit(1)).groupBy(CLASS, interval.alias(INTERVAL)).agg(*_sums())


def _named(day: date, classes: Collection[int]) -> str:
    # By `at` too: files know the moments of their pages, but not the day, which is the name of their folder.
    moments = f"at BETWEEN TIMESTAMP'{day} 00:00:00' AND TIMESTAMP'{day} 23:59:59.999999'"
    return f"({moments} AND {CLASS} IN ({', '.join(map(str, classes))}))"


def _table(spark: SparkSession, divided: Mapping[date, Collection[int]]) -> DataFrame:
    pairs = [(number, day) for day, classes in divided.items() for number in classes]
    return spark.createDataFrame(pairs, f"{CLASS} long, {DAY} date")


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
