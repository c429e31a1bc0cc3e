"""The hours, conversations, sides and connections that changed events touch, new or removed ones: only their rows are
computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.telemetry.event_log import (
    ACKNOWLEDGED,
    CONNECTION,
    CONVERSATION,
    DROPPED,
    FORWARDED,
    LOGIN,
    RECEIVED,
    SENT,
    STATUS,
    EventLog,
)
from pipeline.telemetry.next_hops import logins

CONVERSATION_KEY, SIDE_KEY = ("conversation_id",), ("instance", "conversation_handle")
CONNECTION_KEY, HOP_KEY = ("instance", "connection_id"), ("instance", "next_hop")
MAX_HOURS = 1_000
"""With more hours than these, all are computed again."""
_HOUR_US = 3_600_000_000
_DAY_US = 24 * _HOUR_US
_OF_CONVERSATIONS = (CONVERSATION, FORWARDED, DROPPED, ACKNOWLEDGED, SENT)
_OF_SIDES = (CONVERSATION, SENT, RECEIVED, STATUS)


@dataclass(frozen=True, slots=True)
class Hours:
    """Some hours of a log, or all of it."""

    starts: tuple[int, ...] | None = None
    """In microseconds since 1970, sorted; None: all."""

    def has(self, moment: str) -> Column:
        """Return whether a moment is in one of the hours, as ranges by which Spark passes over parts of files."""
        if self.starts is None:
            return F.lit(True)
        return reduce(or_, (_is_within(moment, *ends) for ends in _ranges(self.starts)), F.lit(False))

    def are_days_of(self, day: str | Column) -> Column:
        """Return whether a day has one of the hours."""
        if self.starts is None:
            return F.lit(True)
        days = sorted({start // _DAY_US for start in self.starts})
        return F.unix_date(day).isin(days) if days else F.lit(False)

    def has_day(self, day: date) -> bool:
        """Return whether a day has one of the hours."""
        number = (day - date(1970, 1, 1)).days
        return self.starts is None or any(start // _DAY_US == number for start in self.starts)


ALL_HOURS, NO_HOURS = Hours(), Hours(())


def hours_of(rows: DataFrame) -> Hours:
    """Return the hours in which these rows are."""
    hours = rows.select(F.unix_micros(F.date_trunc("hour", "at")).alias("hour")).distinct()
    found = sorted(row["hour"] for row in hours.limit(MAX_HOURS + 1).collect())
    return Hours(tuple(found)) if len(found) <= MAX_HOURS else ALL_HOURS


def _ranges(starts: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start in starts:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], start + _HOUR_US)
        else:
            found.append((start, start + _HOUR_US))
    return found


def _is_within(moment: str, begin: int, end: int) -> Column:
    return (F.col(moment) >= F.timestamp_micros(F.lit(begin))) & (F.col(moment) < F.timestamp_micros(F.lit(end)))


def conversations_of(changed: EventLog) -> DataFrame:
    """Return the conversations that changed events are about; one row is null if there are events without any."""
    return changed.events.where(F.col("event_class").isin(*_OF_CONVERSATIONS)).select(*CONVERSATION_KEY).distinct()


def sides_of(changed: EventLog) -> DataFrame:
    """Return the sides of conversations that changed events are about."""
    events = changed.events.where(F.col("event_class").isin(*_OF_SIDES) & F.col("conversation_handle").isNotNull())
    return events.select(*SIDE_KEY).distinct()


def connections_of(changed: EventLog) -> DataFrame:
    """Return the connections that changed events are about."""
    events = changed.events.where(F.col("event_class").isin(CONNECTION, LOGIN) & F.col("connection_id").isNotNull())
    return events.select(*CONNECTION_KEY).distinct()


def logins_since(changed: EventLog) -> DataFrame:
    """Return the moment of the first changed login at each next hop, `_login_at`."""
    return logins(changed).where("next_hop IS NOT NULL").groupBy(*HOP_KEY).agg(F.min("at").alias("_login_at"))


def marked(rows: DataFrame, keys: DataFrame, names: Sequence[str], mark: str) -> DataFrame:
    """Add whether each row has one of these keys; a key may be null."""
    found = rows.join(_renamed(keys, names).withColumn(mark, F.lit(True)), _are_same(names), "left")
    return found.select(*rows.columns, F.coalesce(mark, F.lit(False)).alias(mark))


def with_keys(rows: DataFrame, keys: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return the rows that have one of these keys."""
    return rows.join(_renamed(keys, names), _are_same(names), "left_semi")


def without_keys(rows: DataFrame, keys: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return the rows that have none of these keys."""
    return rows.join(_renamed(keys, names), _are_same(names), "left_anti")


def _renamed(keys: DataFrame, names: Sequence[str]) -> DataFrame:
    return keys.select(*(F.col(name).alias(f"_of_{name}") for name in names))


def _are_same(names: Sequence[str]) -> Column:
    return reduce(Column.__and__, (F.col(name).eqNullSafe(F.col(f"_of_{name}")) for name in names))


def touched_events(log: EventLog, conversations: DataFrame, sides: DataFrame) -> DataFrame:
    """Return all events of these conversations and sides, in one pass."""
    classes = sorted({*_OF_CONVERSATIONS, *_OF_SIDES})
    found = log.events.where(F.col("event_class").isin(*classes))
    found = marked(found, conversations, CONVERSATION_KEY, "_is_first")
    found = marked(found, sides, SIDE_KEY, "_is_second")
    return found.where("_is_first OR _is_second").drop("_is_first", "_is_second")


def changed_hours(fresh: DataFrame, removed: DataFrame) -> Hours:
    """Return the hours in which the fresh rows are not the rows in whose place they are."""
    both = fresh.withColumn("_count", F.lit(1)).unionByName(removed.withColumn("_count", F.lit(-1)))
    sums = both.groupBy(*fresh.columns).agg(F.sum("_count").alias("_count"))
    return hours_of(sums.where("_count != 0"))
