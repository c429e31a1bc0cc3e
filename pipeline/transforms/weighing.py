"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from pipeline.schemas import KEYS
from pipeline.transforms.classing import interval_of
from pipeline.transforms.cleaning import CLASS, REASON

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)


def timed(rows: DataFrame, boundaries: Sequence[datetime]) -> DataFrame:
    """The good rows, each with its validity interval."""
    return rows.where(F.col(REASON).isNull()).withColumn(INTERVAL, interval_of(F.col("at"), boundaries))


def questions(timed_rows: DataFrame, classes: DataFrame | None) -> DataFrame:
    """Each class in each interval, weighed. Where the classes are known, only their numbers are compared."""
    keys = QUESTION if classes is not None else (*KEYS, *QUESTION)
    weighed = timed_rows.groupBy(*keys).agg(
        F.count(F.lit(1)).alias("rows"), F.sum("messages").alias("messages"), F.sum("bytes").alias("bytes")
    )
    return weighed if classes is None else weighed.join(classes, CLASS)
