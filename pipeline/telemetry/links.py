"""Connections, principals of mirrored routes, and dropped messages."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import (
    CONNECTION,
    CORRUPTED,
    DROPPED,
    EVENT_ORDER,
    LOGIN,
    MIRRORED,
    SPAN_COLUMNS,
    UNDELIVERABLE,
    EventLog,
    by_span,
    milliseconds,
)

CONNECTED, CLOSED, ACCEPTED = 2, 5, 6
CONNECTION_FAILED = (3, 7, 8)
_CONNECTION = ("instance", "connection_id")


def drops(log: EventLog) -> DataFrame:
    """Return the number of dropped messages by reason."""
    keys = (*SPAN_COLUMNS, "instance", "database", "event_class", "error")
    dropped = by_span(log.of_classes(DROPPED, UNDELIVERABLE, CORRUPTED))
    return dropped.groupBy(*keys).agg(F.count(F.lit(1)).alias("drops"))


def connections(log: EventLog) -> DataFrame:
    """Return each connection with its peer, from when it was established to when it was closed."""
    is_setup, what = F.col("event_class") == CONNECTION, F.col("event_subclass")
    opens, closes = is_setup & what.isin(CONNECTED, ACCEPTED), is_setup & (what == CLOSED)
    logs_in = ~is_setup & (what == 1)
    first_open, first_login = (F.when(one, F.struct(*EVENT_ORDER)) for one in (opens, logs_in))
    # Spark passes over rows whose order is null.
    columns = {
        "opened_at": F.min(F.when(opens, F.col("at"))),
        "address": F.min_by("address", first_open),
        "is_accepted": F.min_by(what == ACCEPTED, first_open),
        "closed_at": F.max(F.when(closes, F.col("at"))),
        "peer": F.min_by("peer", first_login),
    }
    events = log.of_classes(CONNECTION, LOGIN).where("connection_id IS NOT NULL").groupBy(*_CONNECTION)
    found = events.agg(*(column.alias(name) for name, column in columns.items())).where("opened_at IS NOT NULL")
    stood = F.when(F.col("closed_at").isNotNull(), milliseconds("opened_at", "closed_at")).alias("milliseconds")
    return found.select("*", stood)


def connection_failures(log: EventLog) -> DataFrame:
    """Count failures by address and operation: connect, send, receive."""
    what = F.col("event_subclass")
    kind = F.when(what == 3, "connect").when(what == 7, "send").otherwise("receive")
    failed = by_span(log.of_class(CONNECTION, *CONNECTION_FAILED)).groupBy(
        *SPAN_COLUMNS, "instance", "address", kind.alias("kind")
    )
    return failed.agg(F.count(F.lit(1)).alias("failures"))


def uptime(log: EventLog) -> DataFrame:
    """Return, by hour and peer, how long a connection existed. An open one counts until the end of the log."""
    return uptime_of(connections(log), log.end())


def uptime_of(connections_until_end: DataFrame, log_end: DataFrame) -> DataFrame:
    """Return `uptime` of these connections; `log_end`: the last moment of the log."""
    found = connections_until_end.crossJoin(F.broadcast(log_end)).select(
        "instance",
        F.coalesce("peer", "address").alias("far"),
        F.col("opened_at").alias("begin"),
        F.greatest("opened_at", F.coalesce("closed_at", "_log_end")).alias("end"),
    )
    together = _merged_overlaps(found)
    hours = F.sequence(F.date_trunc("hour", "begin"), F.date_trunc("hour", "end"), F.expr("INTERVAL 1 HOUR"))
    next_hour = F.col("since") + F.expr("INTERVAL 1 HOUR")
    part = milliseconds(F.greatest("begin", "since"), F.least("end", next_hour))
    return (
        together.withColumn("since", F.explode(hours))
        .groupBy("since", "instance", "far")
        .agg(F.sum(part).alias("milliseconds"))
    )


def _merged_overlaps(stood: DataFrame) -> DataFrame:
    """Merge overlapping periods."""
    ordered = Window.partitionBy("instance", "far").orderBy("begin", "end")
    before = ordered.rowsBetween(Window.unboundedPreceding, -1)
    begins = F.coalesce(F.col("begin") > F.max("end").over(before), F.lit(True)).cast("int")
    marked = stood.withColumn("_begins", begins).withColumn("_number", F.sum("_begins").over(ordered))
    return marked.groupBy("instance", "far", "_number").agg(F.min("begin").alias("begin"), F.max("end").alias("end"))


def mirrors(log: EventLog) -> DataFrame:
    """Return each change of a mirrored route: the principal, and the one before."""
    route = ("instance", "to_service", "to_broker_instance", "address", "mirror_address")
    before = F.lag("principal").over(Window.partitionBy(*route).orderBy(*EVENT_ORDER))
    state = F.col("event_subclass").alias("state")
    return log.of_class(MIRRORED).select("at", *route, state, "principal", before.alias("principal_before"))
