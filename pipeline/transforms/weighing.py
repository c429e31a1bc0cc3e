"""Rows to questions: what is distinct in a traffic, and how much of it there was."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from pipeline.epochs import Epochs
from pipeline.schemas import KEYS
from pipeline.transforms.classing import interval_of
from pipeline.transforms.cleaning import CLASS, REASON

INTERVAL = "interval"
QUESTION = (CLASS, INTERVAL)


def timed(rows: DataFrame, epochs: Epochs) -> DataFrame:
    """The good rows, each with its validity interval: the last boundary before it that matters for its service."""
    good = rows.where(F.col(REASON).isNull()).withColumn("_interval", interval_of(F.col("at"), epochs.boundaries))
    since = F.get(F.lit(epochs.since_for_any()), F.col("_interval"))
    if epochs.for_service:
        own = good.sparkSession.createDataFrame(
            list(epochs.for_service.items()), "to_service string, _marks array<int>"
        )
        good = good.join(F.broadcast(own), "to_service", "left")
        passed = F.filter("_marks", lambda mark: mark <= F.col("_interval"))
        since = F.greatest(since, F.when(F.col("_marks").isNotNull(), F.array_max(passed)))
    return good.withColumn(INTERVAL, since).drop("_interval", "_marks")


def questions(timed_rows: DataFrame, classes: DataFrame | None) -> DataFrame:
    """Each class in each interval, weighed. Where the classes are known, only their numbers are compared."""
    keys = QUESTION if classes is not None else (*KEYS, *QUESTION)
    weighed = timed_rows.groupBy(*keys).agg(
        F.count(F.lit(1)).alias("rows"), F.sum("messages").alias("messages"), F.sum("bytes").alias("bytes")
    )
    return weighed if classes is None else weighed.join(classes, CLASS)
