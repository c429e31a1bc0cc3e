"""Which class and which validity interval a row belongs to: two whole numbers that stand for all the rules look at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.internal import InternalFunction

NO_NAME = "\0"
"""No name holds a NUL, so it can stand for a NULL, which a hash would pass over."""


def class_of_keys() -> Column:
    """The class of a row: a hash of its keys, so that every run and every machine gives the same number.

    Two classes would share one by a chance of 1 to 10^12 among 5,000, and the counts of a job would not add up then.
    """
    return F.xxhash64(
        "from_instance",
        F.coalesce("from_database", F.lit(NO_NAME)),
        "to_service",
        F.coalesce("to_broker_instance", F.lit(NO_NAME)),
        "is_reply",
    )


def interval_of(at: Column, boundaries: Sequence[datetime], first: int = 0) -> Column:
    """How many boundaries are not later than a moment: a binary search, written out."""
    if not boundaries:
        return F.lit(first)
    middle = len(boundaries) // 2
    earlier = interval_of(at, boundaries[:middle], first)
    later = interval_of(at, boundaries[middle + 1 :], first + middle + 1)
    return F.when(at < F.lit(boundaries[middle]), earlier).otherwise(later)


def passed(marks: Column, at: Column) -> Column:
    """How many of some moments, in order and in microseconds, are not later than `at`."""
    # Of the functions that are no part of its interface, Spark's own plots use this one too. Where a number is not
    # found, it gives the place where it would be, as -1 - place.
    place = InternalFunction.array_binary_search(marks, F.unix_micros(at))
    return F.when(place < 0, -1 - place).otherwise(place + 1)
