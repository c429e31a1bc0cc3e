"""Latencies of messages as quantiles: until they are sent, acknowledged, enqueued at the target, received."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import (
    ACKNOWLEDGED,
    CONVERSATION,
    RECEIVED,
    SENT,
    SPAN_COLUMNS,
    EventLog,
    by_span,
    milliseconds,
    one_row_per_message,
)

ENQUEUED, ARRIVED = (1, 2, 3), (6, 7, 8)
ACKNOWLEDGEMENT_CAME = (3, 4)
WHOLE_MESSAGE = 1_048_575
QUANTILES = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99}
ACCURACY = 10_000
"""Accuracy of `percentile_approx`: exact up to this many values, approximate beyond."""
OF_CONVERSATION, OF_SIDE = ("acknowledgement", "end_to_end"), ("in_queue",)
"""Measures that events of a whole conversation make, and those of one side; others need a single event."""
KEYS = ("conversation_id", "conversation_handle")
MEASURED = "kind string, at timestamp, instance string, service string, ms long, " + ", ".join(
    f"{name} string" for name in KEYS
)
_MESSAGE = ("conversation_id", "from_initiator", "number")
_DIRECTION = ("instance", "conversation_id", "from_initiator")


def latencies(log: EventLog) -> DataFrame:
    """Group latencies by measure, instance and service; a message counts in the span in which it ended."""
    return quantiles_of(measured(log))


def measured(log: EventLog) -> DataFrame:
    """Return each measured time: where and when it ended, and the conversation or the side whose events it is from."""
    return first_attempts(log).unionByName(of_conversations(log)).unionByName(of_sides(log))


def of_conversations(log: EventLog) -> DataFrame:
    """Return the measures `OF_CONVERSATION`."""
    return _acknowledgement(log).unionByName(_end_to_end(log))


def quantiles_of(measured_times: DataFrame) -> DataFrame:
    """Return the quantiles by span, measure, instance and service."""
    quantiles = [F.percentile_approx("ms", part, ACCURACY).alias(name) for name, part in QUANTILES.items()]
    return (
        by_span(measured_times)
        .groupBy(*SPAN_COLUMNS, "kind", "instance", "service")
        .agg(F.count(F.lit(1)).alias("messages"), *quantiles, F.max("ms").alias("max_ms"))
    )


def _measured(kind: str, rows: DataFrame, begin: str, end: str, at: str, key: str = "") -> DataFrame:
    return rows.select(
        F.lit(kind).alias("kind"),
        F.col(at).alias("at"),
        "instance",
        F.col("to_service").alias("service"),
        milliseconds(begin, end).alias("ms"),
        *((F.col(name) if name == key else F.lit(None).cast("string")).alias(name) for name in KEYS),
    )


def first_attempts(log: EventLog) -> DataFrame:
    """From SEND to the first attempt, of the oldest message of each *Messages Sent* event."""
    return _measured("first_attempt", log.of_class(SENT, 1).where("enqueued_at IS NOT NULL"), "enqueued_at", "at", "at")


def _acknowledgement(log: EventLog) -> DataFrame:
    """From the first attempt of a message to the first acknowledgement that it is in."""
    sent = (
        one_row_per_message(log.of_class(SENT))
        .groupBy(*_DIRECTION, "number")
        .agg(F.min("at").alias("sent_at"), F.min("to_service").alias("to_service"))
    )
    # An acknowledgement up to an incomplete message ends before that message.
    is_whole = F.col("fragment") == WHOLE_MESSAGE
    last = F.when(is_whole, F.col("message_sequence_number")).otherwise(F.col("message_sequence_number") - 1)
    came = log.of_class(ACKNOWLEDGED, *ACKNOWLEDGEMENT_CAME).withColumn("message_sequence_number", last)
    acknowledged = _cumulative(sent, came).unionByName(_selective(sent, came))
    first = acknowledged.groupBy(*_DIRECTION, "number").agg(
        F.min("acknowledged_at").alias("acknowledged_at"),
        F.min("sent_at").alias("sent_at"),
        F.min("to_service").alias("to_service"),
    )
    return _measured("acknowledgement", first, "sent_at", "acknowledged_at", "acknowledged_at", "conversation_id")


def _cumulative(sent: DataFrame, came: DataFrame) -> DataFrame:
    """Acknowledge messages by ranges from the first message: the earliest range that includes the number."""
    ends = came.where("first_message_sequence_number = 0").select(
        *_DIRECTION, F.col("message_sequence_number").alias("number"), F.col("at").alias("acknowledged_at")
    )
    reached = Window.partitionBy(*_DIRECTION).orderBy(F.desc("number"))
    both = sent.unionByName(ends, allowMissingColumns=True)
    both = both.withColumn("acknowledged_at", F.min("acknowledged_at").over(reached))
    return both.where("sent_at IS NOT NULL AND acknowledged_at IS NOT NULL")


def _selective(sent: DataFrame, came: DataFrame) -> DataFrame:
    """Acknowledge messages by ranges after a gap, which are short."""
    ranges = one_row_per_message(came.where("first_message_sequence_number > 0"))
    first = ranges.groupBy(*_DIRECTION, "number").agg(F.min("at").alias("acknowledged_at"))
    return sent.join(first, [*_DIRECTION, "number"])


def _end_to_end(log: EventLog) -> DataFrame:
    """Measure from SEND to the target queue, also within one instance."""
    sent = _messages(log, ENQUEUED).groupBy(*_MESSAGE).agg(F.min("at").alias("sent_at"))
    arrived = _messages(log, ARRIVED).groupBy(*_MESSAGE, "instance", "to_service").agg(F.min("at").alias("arrived_at"))
    both = sent.join(arrived, list(_MESSAGE))
    return _measured("end_to_end", both, "sent_at", "arrived_at", "arrived_at", "conversation_id")


def of_sides(log: EventLog) -> DataFrame:
    """Measure from the target queue to RECEIVE."""
    side = ("instance", "conversation_handle", "number")
    arrived = _messages(log, ARRIVED).groupBy(*side, "to_service").agg(F.min("at").alias("arrived_at"))
    received = one_row_per_message(log.of_class(RECEIVED)).groupBy(*side).agg(F.min("at").alias("received_at"))
    both = arrived.join(received, list(side))
    return _measured("in_queue", both, "arrived_at", "received_at", "received_at", "conversation_handle")


def _messages(log: EventLog, subclasses: tuple[int, ...]) -> DataFrame:
    found = log.of_class(CONVERSATION, *subclasses).where("message_sequence_number IS NOT NULL")
    return found.withColumn("number", F.col("message_sequence_number"))
