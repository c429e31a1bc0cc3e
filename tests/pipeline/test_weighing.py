"""Sums by day in the place of rows: where nothing changes in the middle of a day, nobody looks at a row of it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.transforms.filing import DAY, day_of
from pipeline.transforms.weighing import WEIGHTS, questions, sums_or_rows, timed

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MOMENTS = [
    BEGIN + timedelta(days=day) + at
    for day in range(3)
    for at in (timedelta(), MICROSECOND, timedelta(hours=12), timedelta(days=1) - MICROSECOND)
]
"""The ends of each day, and what is nearest to them."""
TYPES = "class long, at timestamp, rows long, messages long, bytes long"


def micros(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // MICROSECOND


@pytest.mark.parametrize("seed", range(3))
def test_the_same_questions_come_of_sums_as_of_rows(spark: SparkSession, seed: int) -> None:
    chance = random.Random(seed)
    rows = spark.createDataFrame(
        [
            (chance.randrange(4), chance.choice(MOMENTS), 1, chance.randrange(9), chance.randrange(99))
            for _ in range(80)
        ],
        TYPES,
    )
    boundaries = sorted(chance.sample(MOMENTS, 3))
    # Class 3 is one for which nothing changes: it has no marks.
    marks = [(number, [micros(one) for one in boundaries if chance.random() < 0.6]) for number in range(3)]
    table = spark.createDataFrame([one for one in marks if one[1]], "class long, marks array<long>")
    classes = spark.createDataFrame([(number,) for number in range(4)], "class long")
    sums = _by_day(rows)

    def weighed(what: DataFrame) -> set[tuple[object, ...]]:
        return {tuple(one) for one in questions(timed(what, table), classes).collect()}

    assert weighed(sums_or_rows(sums, rows, table, boundaries)) == weighed(rows)


def _by_day(rows: DataFrame) -> DataFrame:
    sums = [F.sum(name).alias(name) for name in WEIGHTS]
    return rows.withColumn(DAY, day_of(F.col("at"))).groupBy("class", DAY).agg(*sums)


def test_only_days_in_which_something_changes_are_looked_at(spark: SparkSession) -> None:
    """At its first moment a day changes as a whole."""
    rows = spark.createDataFrame([(1, moment, 1, 1, 1) for moment in MOMENTS], TYPES)
    sums = _by_day(rows)
    midnight, noon = BEGIN + timedelta(days=1), BEGIN + timedelta(days=2, hours=12)
    marks = spark.createDataFrame([(1, [micros(midnight), micros(noon)])], "class long, marks array<long>")
    found = sums_or_rows(sums, rows, marks, [midnight, noon]).collect()
    assert sorted(one["rows"] for one in found) == [1, 1, 1, 1, 4, 4]
    assert sums_or_rows(sums, rows, None, []).count() == 3
