"""Delay episodes: from the moment at which a side of a conversation is delayed until the cause is gone."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import CONVERSATION, EVENT_ORDER, SENT, STATUS, EventLog, milliseconds

SIDE = ("instance", "conversation_handle")
END_CONVERSATION, END_WITH_ERROR = 2, 3
CLEARED, CONVERSATION_ENDED = "cleared", "conversation_ended"


def episodes(log: EventLog) -> DataFrame:
    """Return each episode with its causes, its end, and the route that the conversation took afterwards.

    The window runs backwards: Spark evaluates a frame to the end of the partition anew for each row.
    """
    backwards = Window.partitionBy(*SIDE).orderBy(*(F.desc(name) for name in ("at", "_is_send", "source", "position")))
    so_far = backwards.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    routes = _marked(log).withColumn("_way", F.last(_way(), ignorenulls=True).over(so_far))
    following = F.lag(F.struct("at", "event_class", "_is_open", "_way")).over(backwards)
    changes = routes.where("NOT _is_send").withColumn("_next", following)
    closes = F.col("_is_open") & ~F.coalesce(F.col("_next")["_is_open"], F.lit(False))
    numbered = changes.withColumn("_episode", F.sum(closes.cast("int")).over(so_far))
    return _summed(numbered.where("_is_open"))


def _marked(log: EventLog) -> DataFrame:
    """Return the status changes, ends and sends from which episodes are built."""
    number = F.col("event_class")
    ended = F.col("state").isNull() | F.col("event_subclass").isin(END_CONVERSATION, END_WITH_ERROR)
    found = log.of_classes(STATUS, CONVERSATION, SENT).where("conversation_handle IS NOT NULL")
    return (
        found.where((number != CONVERSATION) | ended)
        .withColumn("_is_open", (number == STATUS) & F.col("error").isNotNull())
        .withColumn("_is_send", number == SENT)
    )


def _way() -> Column:
    return F.when(F.col("_is_send"), F.struct("route", "next_hop"))


def _summed(open_changes: DataFrame) -> DataFrame:
    first, last = F.struct(*EVENT_ORDER), F.max_by("_next", F.struct(*EVENT_ORDER))
    causes = F.sort_array(F.collect_list(F.struct(*EVENT_ORDER, "error")))
    of_begin = ("database", "conversation_id", "is_initiator", "from_service", "to_service", "to_broker_instance")
    columns = {
        "began_at": F.min("at"),
        **{name: F.min_by(name, first) for name in of_begin},
        "cause": F.min_by("error", first),
        "began_before": F.min_by(F.col("previous_error").isNotNull(), first),
        "causes": F.transform(causes, lambda one: one["error"]),
    }
    aggregates = (column.alias(name) for name, column in columns.items())
    found = open_changes.groupBy(*SIDE, "_episode").agg(*aggregates, last.alias("_end"))
    end = F.col("_end")
    ended_by = F.when(end["event_class"] == STATUS, CLEARED).when(end.isNotNull(), CONVERSATION_ENDED)
    return found.select(
        *SIDE,
        *columns,
        end["at"].alias("ended_at"),
        F.when(end.isNotNull(), milliseconds("began_at", end["at"])).alias("milliseconds"),
        ended_by.alias("ended_by"),
        *(F.when(ended_by == CLEARED, end["_way"][name]).alias(name) for name in ("route", "next_hop")),
    )
