"""Queue depths, ages and waiting conversations, from the samples of each minute."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import EVENT_ORDER, SAMPLE, SENT, SPAN_COLUMNS, EventLog, by_span

QUEUE, TRANSMISSION_QUEUE, WAITING = 1, 2, 3


def depths(log: EventLog) -> DataFrame:
    """Return, by queue and span: the last depth, the largest depth, and the greatest age."""
    samples = by_span(log.of_class(SAMPLE, QUEUE, TRANSMISSION_QUEUE))
    is_outgoing = (F.col("event_subclass") == TRANSMISSION_QUEUE).alias("is_transmission_queue")
    return samples.groupBy(*SPAN_COLUMNS, "instance", "database", is_outgoing, "queue").agg(
        F.max_by("depth", F.struct(*EVENT_ORDER)).alias("depth"),
        F.max("depth").alias("depth_max"),
        F.max("oldest_age_ms").alias("oldest_age_ms"),
    )


def waiting(log: EventLog) -> DataFrame:
    """Return, by database, cause and span: delayed conversations at the end, and at most."""
    samples = by_span(log.of_class(SAMPLE, WAITING))
    return samples.groupBy(*SPAN_COLUMNS, "instance", "database", "error").agg(
        F.max_by("depth", F.struct(*EVENT_ORDER)).alias("conversations"), F.max("depth").alias("conversations_max")
    )


def attempts(log: EventLog) -> DataFrame:
    """Return, by database and span: messages sent for the first time, and retransmitted."""
    is_first = F.col("event_subclass") == 1
    return (
        by_span(log.of_class(SENT, 1, 2))
        .groupBy(*SPAN_COLUMNS, "instance", "database")
        .agg(
            F.sum(F.when(is_first, F.col("messages")).otherwise(0)).alias("sent"),
            F.sum(F.when(~is_first, F.col("messages")).otherwise(0)).alias("sent_again"),
            F.max("attempts").alias("attempts_max"),
        )
    )
