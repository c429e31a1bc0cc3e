"""Select events by their class; helpers that all telemetry tables share."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

CONVERSATION, CONNECTION, FORWARDED, DROPPED, CLASSIFY, MIRRORED, ACKNOWLEDGED = 124, 138, 139, 140, 141, 144, 149
LOGIN, UNDELIVERABLE, CORRUPTED = 159, 160, 161
SENT, RECEIVED, STATUS, SAMPLE = 1001, 1002, 1003, 1004
EVENT_ORDER = ("at", "source", "position")
"""Sort order of events: by time, then by position in the log."""
SPAN_COLUMNS = ("span", "since")
MAX_RANGE_MESSAGES = 1_000_000
"""Largest range of messages that is expanded: a corrupt range must not fill the memory."""


@dataclass(frozen=True, slots=True)
class EventLog:
    """A cleaned event log without duplicates."""

    events: DataFrame

    def of_class(self, number: int, *subclasses: int) -> DataFrame:
        """Return the events of a class, or of some of its subclasses."""
        found = self.events.where(F.col("event_class") == number)
        return found.where(F.col("event_subclass").isin(*subclasses)) if subclasses else found

    def of_classes(self, *numbers: int) -> DataFrame:
        """Return the events of several classes, in one pass over them."""
        return self.events.where(F.col("event_class").isin(*numbers))

    def end(self) -> DataFrame:
        """Return the last moment of the log, `_log_end`, as a table of one row."""
        return self.events.agg(F.max("at").alias("_log_end"))


def by_span(events: DataFrame) -> DataFrame:
    """Return each event twice: for its minute and for its hour."""
    spans = [
        F.struct(F.lit(name).alias("span"), F.date_trunc(name, "at").alias("since")) for name in ("minute", "hour")
    ]
    return events.select("*", F.inline(F.array(*spans)))


def milliseconds(begin: str | Column, end: str | Column) -> Column:
    """Return the time between two moments, at least 0: the clocks of two machines may differ."""
    first, last = (F.unix_micros(F.col(each) if isinstance(each, str) else each) for each in (begin, end))
    return F.greatest(F.lit(0).cast("long"), F.floor((last - first) / 1000))


def one_row_per_message(ranges: DataFrame) -> DataFrame:
    """Expand ranges of messages to one row per message, `number`."""
    first, last = F.col("first_message_sequence_number"), F.col("message_sequence_number")
    whole = ranges.where((first >= 0) & (last >= first) & (last - first < MAX_RANGE_MESSAGES))
    return whole.withColumn("number", F.explode(F.sequence(first, last)))
