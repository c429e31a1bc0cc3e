"""Find the class and the validity interval of a row: two numbers that stand for all that the rules look at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.internal import InternalFunction

NO_NAME = "\0"
"""Stands for NULL in a hash, which would skip it: no name contains a NUL character."""


def class_number() -> Column:
    """Return the class of a row: a hash of its keys, equal in every run and on every machine.

    Among 5,000 classes, two share a number with a chance of 1 to 10^12; the job then fails with `RowCountError`.
    """
    return F.xxhash64(
        "from_instance",
        F.coalesce("from_database", F.lit(NO_NAME)),
        "to_service",
        F.coalesce("to_broker_instance", F.lit(NO_NAME)),
        "is_reply",
    )


def interval_of(at: Column, boundaries: Sequence[datetime], first: int = 0) -> Column:
    """Count the boundaries up to a moment: a binary search as nested conditions."""
    if not boundaries:
        return F.lit(first)
    middle = len(boundaries) // 2
    earlier = interval_of(at, boundaries[:middle], first)
    later = interval_of(at, boundaries[middle + 1 :], first + middle + 1)
    return F.when(at < F.lit(boundaries[middle]), earlier).otherwise(later)


def passed_moments(moments: Column, at: Column) -> Column:
    """Count the moments (sorted, in microseconds) up to `at`."""
    # An internal function of Spark, which its plotting module uses too. For a number that is not in the array it
    # returns -1 - place, where place is its insertion point.
    place = InternalFunction.array_binary_search(moments, F.unix_micros(at))
    return F.when(place < 0, -1 - place).otherwise(place + 1)
