"""Usage of routes: how often each was chosen, its traffic, and when it was used last."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import (
    CLASSIFY,
    DROPPED,
    FORWARDED,
    SENT,
    SPAN_COLUMNS,
    EventLog,
    by_span,
)

_ROUTE = ("instance", "database", "route")


def routes(log: EventLog) -> DataFrame:
    """Return, by route and span: how often it was chosen, and the traffic that used it."""
    used = by_span(_route_events(log))
    return used.groupBy(*SPAN_COLUMNS, *_ROUTE).agg(*(F.sum(name).alias(name) for name in _USED))


_USED = ("chosen", "messages", "bytes", "sent_again", "forwarded", "dropped")


def last_uses(log: EventLog) -> DataFrame:
    """Return when each route was used last."""
    return _route_events(log).groupBy(*_ROUTE).agg(F.max("at").alias("last_used"))


def later_uses(uses: DataFrame) -> DataFrame:
    """Return the latest of several last uses of each route."""
    return uses.groupBy(*_ROUTE).agg(F.max("last_used").alias("last_used"))


def unused_routes(uses: DataFrame, log_end: DataFrame, known: DataFrame, days: int) -> DataFrame:
    """Return the routes that were not used in the last days of the log; `last_used` is null if never."""
    found = known.join(uses, list(_ROUTE), "left").crossJoin(F.broadcast(log_end))
    recent = F.col("last_used") >= F.col("_log_end") - F.make_dt_interval(F.lit(days))
    return found.where(~F.coalesce(recent, F.lit(False))).drop("_log_end")


def _route_events(log: EventLog) -> DataFrame:
    """Return each event that names a route, with its counts. Messages from the network use the routes of msdb."""
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
    return (
        log.of_classes(SENT, FORWARDED, DROPPED, CLASSIFY)
        .where("route IS NOT NULL")
        .select(
            "at",
            "instance",
            F.when(is_from_outside, F.lit("msdb")).otherwise(F.col("database")).alias("database"),
            "route",
            *(F.coalesce(count, F.lit(0)).cast("long").alias(name) for name, count in counts.items()),
        )
    )
