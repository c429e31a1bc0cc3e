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
    is_sent = F.col("event_class") == SENT
    rows = _sent_and_acknowledged(log)
    # A range from the first message acknowledges all up to its end.
    reached = Window.partitionBy(*_DIRECTION).orderBy(F.desc("number"))
    up_to = F.min(F.when(F.col("_is_up_to"), F.col("at"))).over(reached)
    found = (
        rows.withColumn("_up_to_at", up_to)
        .groupBy(*_DIRECTION, "number")
        .agg(
            F.min(F.when(is_sent, F.col("at"))).alias("sent_at"),
            F.min(F.when(is_sent, F.col("to_service"))).alias("to_service"),
            F.least(F.min("_up_to_at"), F.min(F.when(F.col("_is_single"), F.col("at")))).alias("acknowledged_at"),
        )
        .where("sent_at IS NOT NULL AND acknowledged_at IS NOT NULL")
    )
    return _measured("acknowledgement", found, "sent_at", "acknowledged_at", "acknowledged_at", "conversation_id")


def _sent_and_acknowledged(log: EventLog) -> DataFrame:
    """Return a row for each message that was sent; for each one that was acknowledged after a gap, `_is_single`; and
    for the last one of each range of acknowledged messages from the first on, `_is_up_to`."""
    is_sent = F.col("event_class") == SENT
    first, last = F.col("first_message_sequence_number"), F.col("message_sequence_number")
    came = ~is_sent & F.col("event_subclass").isin(*ACKNOWLEDGEMENT_CAME)
    # An acknowledgement up to an incomplete message ends before that message.
    is_whole = is_sent | (F.col("fragment") == WHOLE_MESSAGE)
    end = F.when(is_whole, last).otherwise(last - 1)
    is_up_to = came & (first == 0)
    ranges = (
        log.of_classes(SENT, ACKNOWLEDGED)
        .where(is_sent | came)
        .withColumn("message_sequence_number", end)
        .withColumn("_is_up_to", F.coalesce(is_up_to, F.lit(False)))
        .withColumn("first_message_sequence_number", F.when(is_up_to, last).otherwise(first))
    )
    return one_row_per_message(ranges).withColumn("_is_single", ~is_sent & ~F.col("_is_up_to"))


def _end_to_end(log: EventLog) -> DataFrame:
    """Measure from SEND to the target queue, also within one instance."""
    is_sent = F.col("event_subclass").isin(*ENQUEUED)
    sent_at = F.min(F.when(is_sent, F.col("at"))).over(Window.partitionBy(*_MESSAGE))
    events = log.of_class(CONVERSATION, *ENQUEUED, *ARRIVED).withColumn("number", F.col("message_sequence_number"))
    known = events.where(" AND ".join(f"{name} IS NOT NULL" for name in _MESSAGE))
    both = known.withColumn("sent_at", sent_at)
    arrived = both.where(~is_sent & F.col("sent_at").isNotNull())
    found = arrived.groupBy(*_MESSAGE, "instance", "to_service").agg(
        F.min("at").alias("arrived_at"), F.min("sent_at").alias("sent_at")
    )
    return _measured("end_to_end", found, "sent_at", "arrived_at", "arrived_at", "conversation_id")


def of_sides(log: EventLog) -> DataFrame:
    """Measure from the target queue to RECEIVE."""
    side, is_received = ("instance", "conversation_handle", "number"), F.col("event_class") == RECEIVED
    received_at = F.min(F.when(is_received, F.col("at"))).over(Window.partitionBy(*side))
    arrives = is_received | F.col("event_subclass").isin(*ARRIVED)
    events = log.of_classes(CONVERSATION, RECEIVED).where(arrives & F.col("conversation_handle").isNotNull())
    first = F.when(is_received, F.col("first_message_sequence_number")).otherwise(F.col("message_sequence_number"))
    rows = one_row_per_message(events.withColumn("first_message_sequence_number", first))
    arrived = rows.withColumn("received_at", received_at).where(~is_received & F.col("received_at").isNotNull())
    found = arrived.groupBy(*side, "to_service").agg(
        F.min("at").alias("arrived_at"), F.min("received_at").alias("received_at")
    )
    return _measured("in_queue", found, "arrived_at", "received_at", "received_at", "conversation_handle")
