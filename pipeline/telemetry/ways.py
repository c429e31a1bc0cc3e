"""Which routes carry traffic, and whether messages come to where the routes said."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.telemetry.latencies import ARRIVED
from pipeline.telemetry.log import CLASSIFY, CONVERSATION, DROPPED, FORWARDED, LOGIN, ORDER, SENT, SPAN, Log, by_span

AGREES, DISAGREES, UNSEEN = "agrees", "disagrees", "unseen"
_ROUTE = ("instance", "database", "route")
_MESSAGE = ("conversation_id", "from_initiator", "number")
_PREDICTION = ("at", "instance", *_MESSAGE, "route", "next_hop", "expected", "peer", "told")


def routes(log: Log) -> DataFrame:
    """By route: how often it was chosen, and what went its way."""
    used = by_span(_uses(log))
    return used.groupBy(*SPAN, *_ROUTE).agg(*(F.sum(name).alias(name) for name in _USED))


_USED = ("chosen", "messages", "bytes", "sent_again", "forwarded", "dropped")


def last_uses(log: Log) -> DataFrame:
    """When each route was used last."""
    return _uses(log).groupBy(*_ROUTE).agg(F.max("at").alias("last_used"))


def unused_routes(log: Log, known: DataFrame, days: int) -> DataFrame:
    """The routes of an estate that were not used in the last days of the log; null: never in all of it."""
    end = log.events.agg(F.max("at").alias("_log_end"))
    found = known.join(last_uses(log), list(_ROUTE), "left").crossJoin(F.broadcast(end))
    recent = F.col("last_used") >= F.col("_log_end") - F.make_dt_interval(F.lit(days))
    return found.where(~F.coalesce(recent, F.lit(False))).drop("_log_end")


def _uses(log: Log) -> DataFrame:
    """Each event that names a route, with what it counts as. What comes from outside goes by the routes of msdb."""
    is_sent, messages = F.col("event_class") == SENT, F.col("messages")
    is_first = is_sent & (F.col("event_subclass") == 1)
    forwarded = F.col("event_class") == FORWARDED
    counts = {
        "chosen": F.when(F.col("event_class") == CLASSIFY, 1),
        "messages": F.when(is_first, messages),
        "bytes": F.when(is_first, F.col("bytes")),
        "sent_again": F.when(is_sent & ~is_first, messages),
        "forwarded": F.when(forwarded & (F.coalesce("fragment", F.lit(0)) == 0), 1),
        "dropped": F.when(F.col("event_class") == DROPPED, 1),
    }
    is_from_outside = F.coalesce("is_from_network", F.lit(False)) | F.col("event_class").isin(FORWARDED, DROPPED)
    found = reduce(DataFrame.unionByName, (log.of(number) for number in (SENT, FORWARDED, DROPPED, CLASSIFY)))
    return found.where("route IS NOT NULL").select(
        "at",
        "instance",
        F.when(is_from_outside, F.lit("msdb")).otherwise(F.col("database")).alias("database"),
        "route",
        *(F.coalesce(count, F.lit(0)).cast("long").alias(name) for name, count in counts.items()),
    )


def hops(compared: DataFrame) -> DataFrame:
    """Predicted against observed, counted."""
    keys = (*SPAN, "instance", "next_hop", "expected", "verdict")
    return by_span(compared).groupBy(*keys).agg(F.count(F.lit(1)).alias("predictions"))


def disagreements(compared: DataFrame) -> DataFrame:
    """Every prediction that did not come true."""
    return compared.where(F.col("verdict") == DISAGREES).select(*_PREDICTION)


def compared_hops(log: Log, owners: DataFrame | None) -> DataFrame:
    """Each message that left for a next hop: who should have it, who was at that address, and who told of it.

    Who should is the instance that has the address, by the estate (`owners`); without one, who logged in there last.
    A range of messages is looked at by its first one.
    """
    found = _with_peer(log, _predicted(log)).join(_tellers(log), list(_MESSAGE), "left")
    if owners is not None:
        found = found.join(F.broadcast(owners), "next_hop", "left")
    owner = F.col("owner") if owners is not None else F.lit(None).cast("string")
    told = F.array_remove(F.coalesce("told", F.array().cast("array<string>")), F.col("instance"))
    found = found.withColumns({"expected": F.coalesce(owner, "peer"), "told": F.array_sort(told)})
    return found.select(*_PREDICTION, _verdict().alias("verdict"))


def _verdict() -> Column:
    expected, peer, told = F.col("expected"), F.col("peer"), F.col("told")
    unseen = expected.isNull() | (peer.isNull() & (F.size(told) == 0))
    wrong = (peer.isNotNull() & (peer != expected)) | ((F.size(told) > 0) & ~F.array_contains(told, expected))
    return F.when(unseen, UNSEEN).when(wrong, DISAGREES).otherwise(AGREES)


def _predicted(log: Log) -> DataFrame:
    sent = log.of(SENT).withColumn("number", F.col("first_message_sequence_number"))
    forwarded = log.of(FORWARDED).where("fragment = 0").withColumn("number", F.col("message_sequence_number"))
    columns = (*ORDER, "instance", *_MESSAGE, "route", "next_hop")
    return sent.unionByName(forwarded).where("next_hop IS NOT NULL").select(*columns)


def _with_peer(log: Log, predicted: DataFrame) -> DataFrame:
    """With the instance that logged in last at that address, seen from here."""
    logins = log.of(LOGIN, 1).select(*ORDER, "instance", F.col("address").alias("next_hop"), "peer")
    both = predicted.withColumn("_is_sent", F.lit(True)).unionByName(logins, allowMissingColumns=True)
    before = Window.partitionBy("instance", "next_hop").orderBy("at", F.coalesce("_is_sent", F.lit(False)), *ORDER[1:])
    latest = F.last("peer", ignorenulls=True).over(before.rowsBetween(Window.unboundedPreceding, 0))
    return both.withColumn("peer", latest).where("_is_sent")


def _tellers(log: Log) -> DataFrame:
    """The instances that told of a message, other than by sending it."""
    told = reduce(DataFrame.unionByName, (log.of(CONVERSATION, *ARRIVED), log.of(FORWARDED), log.of(DROPPED)))
    told = told.withColumn("number", F.col("message_sequence_number")).where("number IS NOT NULL")
    return told.groupBy(*_MESSAGE).agg(F.collect_set("instance").alias("told"))
