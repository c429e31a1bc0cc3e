"""How much waits, how long, and why: from the samples of each minute."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.telemetry.log import ORDER, SAMPLE, SENT, SPAN, Log, by_span

QUEUE, TRANSMISSION_QUEUE, WAITING = 1, 2, 3


def depths(log: Log) -> DataFrame:
    """By queue: the last depth of a span, the largest, and the greatest age."""
    samples = by_span(log.of(SAMPLE, QUEUE, TRANSMISSION_QUEUE))
    is_outgoing = (F.col("event_subclass") == TRANSMISSION_QUEUE).alias("is_transmission_queue")
    return samples.groupBy(*SPAN, "instance", "database", is_outgoing, "queue").agg(
        F.max_by("depth", F.struct(*ORDER)).alias("depth"),
        F.max("depth").alias("depth_max"),
        F.max("oldest_age_ms").alias("oldest_age_ms"),
    )


def waiting(log: Log) -> DataFrame:
    """By cause: how many conversations of a database waited, at the end of a span and at most."""
    samples = by_span(log.of(SAMPLE, WAITING))
    return samples.groupBy(*SPAN, "instance", "database", "error").agg(
        F.max_by("depth", F.struct(*ORDER)).alias("conversations"), F.max("depth").alias("conversations_max")
    )


def attempts(log: Log) -> DataFrame:
    """By database: messages that left for the first time, and again."""
    is_first = F.col("event_subclass") == 1
    return (
        by_span(log.of(SENT, 1, 2))
        .groupBy(*SPAN, "instance", "database")
        .agg(
            F.sum(F.when(is_first, F.col("messages")).otherwise(0)).alias("sent"),
            F.sum(F.when(~is_first, F.col("messages")).otherwise(0)).alias("sent_again"),
            F.max("attempts").alias("attempts_max"),
        )
    )
