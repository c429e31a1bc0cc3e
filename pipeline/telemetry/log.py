"""The events of a log by their class, and what its tables have in common."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

CONVERSATION, CONNECTION, FORWARDED, DROPPED, CLASSIFY, MIRRORED, ACKNOWLEDGED = 124, 138, 139, 140, 141, 144, 149
LOGIN, UNDELIVERABLE, CORRUPTED = 159, 160, 161
SENT, RECEIVED, STATUS, SAMPLE = 1001, 1002, 1003, 1004
ORDER = ("at", "source", "position")
"""What came first; at one moment, what was written first."""
SPAN = ("span", "since")
LARGEST_RANGE = 1_000_000
"""Messages of one range: none that one process sends at once has more, and a false one shall not fill the memory."""


@dataclass(frozen=True, slots=True)
class Log:
    """Each event once, typed."""

    events: DataFrame

    def of(self, number: int, *subclasses: int) -> DataFrame:
        """The events of a class, or of these subclasses of it."""
        found = self.events.where(F.col("event_class") == number)
        return found.where(F.col("event_subclass").isin(*subclasses)) if subclasses else found


def by_span(events: DataFrame) -> DataFrame:
    """Each event twice: for its minute and for its hour."""
    spans = [
        F.struct(F.lit(name).alias("span"), F.date_trunc(name, "at").alias("since")) for name in ("minute", "hour")
    ]
    return events.select("*", F.inline(F.array(*spans)))


def milliseconds(begin: str | Column, end: str | Column) -> Column:
    """From one moment to another; clocks of two machines may disagree, and nothing takes less than no time."""
    first, last = (F.unix_micros(F.col(each) if isinstance(each, str) else each) for each in (begin, end))
    return F.greatest(F.lit(0).cast("long"), F.floor((last - first) / 1000))


def numbered(ranges: DataFrame) -> DataFrame:
    """Ranges of messages message by message, as `number`."""
    first, last = F.col("first_message_sequence_number"), F.col("message_sequence_number")
    whole = ranges.where((first >= 0) & (last >= first) & (last - first < LARGEST_RANGE))
    return whole.withColumn("number", F.explode(F.sequence(first, last)))
