"""Compare the next hops that routes predict with the instances that report the messages."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import (
    CONVERSATION,
    DROPPED,
    EVENT_ORDER,
    FORWARDED,
    LOGIN,
    SENT,
    SPAN_COLUMNS,
    EventLog,
    by_span,
)
from pipeline.telemetry.latencies import ARRIVED

AGREES, DISAGREES, UNSEEN = "agrees", "disagrees", "unseen"
_MESSAGE = ("conversation_id", "from_initiator", "number")
COMPARED = """
    at timestamp, instance string, conversation_id string, from_initiator boolean, number long, route string,
    next_hop string, expected string, peer string, told array<string>, verdict string
"""
_PREDICTION = ("at", "instance", *_MESSAGE, "route", "next_hop", "expected", "peer", "told")


def hops(compared: DataFrame) -> DataFrame:
    """Count the predictions by verdict."""
    keys = (*SPAN_COLUMNS, "instance", "next_hop", "expected", "verdict")
    return by_span(compared).groupBy(*keys).agg(F.count(F.lit(1)).alias("predictions"))


def disagreements(compared: DataFrame) -> DataFrame:
    """Return the predictions that observation contradicts."""
    return compared.where(F.col("verdict") == DISAGREES).select(*_PREDICTION)


def compared_hops(log: EventLog, owners: DataFrame | None) -> DataFrame:
    """Compare each message sent to a next hop: the expected instance, the peer at that address, and the reporting peer.

    Expected is the instance that has the address in the estate (`owners`), or the last that logged in there.
    A range of messages is represented by its first message.
    """
    return judged(log, reported(log), owners)


def reported(log: EventLog) -> DataFrame:
    """Return each message sent to a next hop, with the other instances that logged it (`told`)."""
    found = _predicted(log).join(_reporters(log), list(_MESSAGE), "left")
    reporters = F.array_remove(F.coalesce("told", F.array().cast("array<string>")), F.col("instance"))
    return found.withColumn("told", F.array_sort(reporters))


def judged(log: EventLog, messages: DataFrame, owners: DataFrame | None) -> DataFrame:
    """Compare these messages with the peer that had logged in at their next hop, by the logins of the log."""
    found = _with_peer(log, messages)
    if owners is not None:
        found = found.join(F.broadcast(owners), "next_hop", "left")
    owner = F.col("owner") if owners is not None else F.lit(None).cast("string")
    found = found.withColumn("expected", F.coalesce(owner, "peer"))
    return found.select(*_PREDICTION, _verdict().alias("verdict"))


def _verdict() -> Column:
    expected, peer, reporters = F.col("expected"), F.col("peer"), F.col("told")
    unseen = expected.isNull() | (peer.isNull() & (F.size(reporters) == 0))
    wrong = (peer.isNotNull() & (peer != expected)) | ((F.size(reporters) > 0) & ~F.array_contains(reporters, expected))
    return F.when(unseen, UNSEEN).when(wrong, DISAGREES).otherwise(AGREES)


def _predicted(log: EventLog) -> DataFrame:
    is_sent = F.col("event_class") == SENT
    number = F.when(is_sent, F.col("first_message_sequence_number")).otherwise(F.col("message_sequence_number"))
    found = log.of_classes(SENT, FORWARDED).where("next_hop IS NOT NULL").where(is_sent | (F.col("fragment") == 0))
    return found.withColumn("number", number).select("at", "instance", *_MESSAGE, "route", "next_hop")


def _with_peer(log: EventLog, predicted: DataFrame) -> DataFrame:
    """Add the peer: the last instance that logged in at that address, as this instance saw it."""
    both = predicted.withColumn("_is_sent", F.lit(True)).unionByName(logins(log), allowMissingColumns=True)
    before = Window.partitionBy("instance", "next_hop").orderBy(
        "at", F.coalesce("_is_sent", F.lit(False)), *EVENT_ORDER[1:]
    )
    latest = F.last("peer", ignorenulls=True).over(before.rowsBetween(Window.unboundedPreceding, 0))
    return both.withColumn("peer", latest).where("_is_sent")


def logins(log: EventLog) -> DataFrame:
    """Return each login with the address at which a prediction finds its peer."""
    return log.of_class(LOGIN, 1).select(*EVENT_ORDER, "instance", F.col("address").alias("next_hop"), "peer")


def _reporters(log: EventLog) -> DataFrame:
    """Return the instances that logged a message in an event other than sending it."""
    reports = (F.col("event_class") != CONVERSATION) | F.col("event_subclass").isin(*ARRIVED)
    events = log.of_classes(CONVERSATION, FORWARDED, DROPPED).where(reports)
    events = events.withColumn("number", F.col("message_sequence_number")).where("number IS NOT NULL")
    return events.groupBy(*_MESSAGE).agg(F.collect_set("instance").alias("told"))
