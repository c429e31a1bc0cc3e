"""Sums by day in the place of rows: if no answer changes in the middle of a day, its rows are not read."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.evaluation.answer_history import AnswerHistory, HistoryBuilder
from pipeline.evaluation.class_sums import DAY_US, MOMENT_US, ClassSums, class_keys_in, to_micros
from pipeline.evaluation.evaluator import ClassAnswer, ClassKey, TimelineEvaluator
from pipeline.evaluation.weighting import WeightAssignment
from pipeline.jobs.traffic_evaluation import traffic_weights
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.run_record import RowCountError
from pipeline.transforms.aggregation import WEIGHTS
from pipeline.transforms.day_partition import DAY, day_of

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MOMENTS = [
    BEGIN + timedelta(days=day) + at
    for day in range(3)
    for at in (timedelta(), MICROSECOND, timedelta(hours=12), timedelta(days=1) - MICROSECOND)
]
"""The first two microseconds, noon and the last microsecond of each of three days."""
TYPES = "class long, at timestamp, messages long, bytes long"


def history(*moments: datetime) -> AnswerHistory:
    found = AnswerHistory()
    for number, moment in enumerate((BEGIN - timedelta(days=1), *moments)):
        found.add(to_micros(moment), (number, number))
    return found


def summed(rows: DataFrame, folder: Path) -> ClassSums:
    sums = [F.sum(name).alias(name) for name in WEIGHTS]
    daily = rows.withColumn("rows", F.lit(1)).withColumn(DAY, day_of(F.col("at"))).groupBy("class", DAY).agg(*sums)
    daily.write.parquet(str(folder))
    return ClassSums(parquet_files_in(folder), DAY, DAY_US)


@pytest.mark.parametrize(("seed", "ranges", "named"), [(0, 1, 9), (1, 2, 9), (2, 32, 9), (3, 32, 9), (4, 2, 0)])
def test_each_question_carries_its_rows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, ranges: int, named: int
) -> None:
    chance = random.Random(seed)
    rows = [(chance.randrange(4), chance.choice(MOMENTS), chance.randrange(9), chance.randrange(99)) for _ in range(80)]
    boundaries = sorted(chance.sample(MOMENTS, 3))
    # Class 3 is one for which nothing changes: it has no marks.
    histories = {number: history(*(one for one in boundaries if chance.random() < 0.6)) for number in range(3)}
    histories[3] = history()
    expected: Counter[tuple[int, int, str]] = Counter()
    for number, at, messages, size in rows:
        question = number, bisect_right(histories[number].change_moments, to_micros(at))
        expected.update({(*question, "rows"): 1, (*question, "messages"): messages, (*question, "bytes"): size})
    table = spark.createDataFrame(rows, TYPES)
    days = table.withColumn(DAY, day_of(F.col("at")))
    monkeypatch.setattr("pipeline.evaluation.weighting.MAX_RANGES", ranges)
    monkeypatch.setattr("pipeline.transforms.aggregation.MAX_NAMED_CLASSES", named)
    found = traffic_weights(days, histories, summed(table, tmp_path / "sums"))
    assert +Counter({(*q, name): getattr(weight, name) for q, weight in found.items() for name in WEIGHTS}) == +expected


def test_only_days_in_the_middle_of_which_an_answer_changes_are_looked_at(spark: SparkSession, tmp_path: Path) -> None:
    """At its first moment a day changes as a whole."""
    rows = spark.createDataFrame([(1, moment, 1, 1) for moment in MOMENTS], TYPES)
    noon = BEGIN + timedelta(days=2, hours=12)
    histories = {1: history(BEGIN + timedelta(days=1), noon)}
    weighing = WeightAssignment(histories, DAY_US)
    weighing.add_sums(summed(rows, tmp_path / "sums"))
    assert {day: set(classes) for day, classes in weighing.split_days.items()} == {noon.date(): {1}}
    assert {question: weight.rows for question, weight in weighing.weights.items()} == {(1, 0): 4, (1, 1): 4}


def test_the_rows_of_the_longest_part_of_a_day_are_those_that_the_others_leave(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Until 15 o'clock one answer holds for class 1, from 3 o'clock on one for class 2: rows from 3 to 15 are not
    read."""
    rows = spark.createDataFrame([(number, moment, 1, 1) for number in (1, 2) for moment in MOMENTS[:4]], TYPES)
    afternoon, night = BEGIN + timedelta(hours=15), BEGIN + timedelta(hours=3)
    weighing = WeightAssignment({1: history(afternoon), 2: history(night)}, DAY_US)
    weighing.add_sums(summed(rows, tmp_path / "sums"))
    ends = [to_micros(moment) for moment in (BEGIN, night, afternoon, BEGIN + timedelta(days=1))]
    assert weighing.ranges() == [(ends[0], ends[1]), (ends[2], ends[3])]
    late, early = (1, BEGIN.date(), 2, 1, 1, 1), (2, BEGIN.date(), 0, 2, 2, 2)
    not_asked_for = (1, BEGIN.date(), 0, 9, 9, 9)
    weighing.add_partial_sums([late, early, not_asked_for], [ends[1], ends[2]])
    weighing.add_remainders()
    assert {question: weight.rows for question, weight in weighing.weights.items()} == {
        (1, 0): 3,
        (1, 1): 1,
        (2, 0): 2,
        (2, 1): 2,
    }


# ---------------------------------------------------------------- when the rules are asked

KEY = ClassKey("host1", "Orders", "Stock", None, False)


class Asked(TimelineEvaluator):
    """Gives the same answer for a number of hours; records the moments at which it was asked."""

    def __init__(self, hours: int) -> None:
        self.hours = hours
        self.moments: list[datetime] = []

    def answer(self, key: ClassKey, moment: datetime) -> ClassAnswer:
        self.moments.append(moment)
        return ClassAnswer((), moment + timedelta(hours=self.hours))


def rows_at(spark: SparkSession, folder: Path, *moments: datetime) -> DataFrame:
    table = spark.createDataFrame([(1, moment, 1, 1) for moment in moments], TYPES)
    table.withColumn("rows", F.lit(1)).write.parquet(str(folder))
    return table


def test_nobody_is_asked_about_days_without_traffic(spark: SparkSession, tmp_path: Path) -> None:
    days = [BEGIN, BEGIN + timedelta(days=9)]
    sums = summed(rows_at(spark, tmp_path / "rows", *days), tmp_path / "sums")
    asker = Asked(hours=10)
    histories = HistoryBuilder(asker, asker).histories({1: KEY}, sums)
    assert asker.moments == [day + timedelta(hours=hours) for day in days for hours in (0, 10, 20)]
    assert (histories[1].change_moments, len(histories[1].answers)) == ([], 1)


def test_of_moments_each_is_asked_about_unless_the_answer_still_holds(spark: SparkSession, tmp_path: Path) -> None:
    moments = [BEGIN + timedelta(hours=hours) for hours in (0, 9, 10, 15, 30)]
    rows_at(spark, tmp_path / "rows", *moments)
    asker = Asked(hours=10)
    HistoryBuilder(asker, asker).histories({1: KEY}, ClassSums(parquet_files_in(tmp_path / "rows"), "at", MOMENT_US))
    assert asker.moments == [moments[0], moments[2], moments[4]]


def test_two_classes_with_one_number_are_a_fault(spark: SparkSession, tmp_path: Path) -> None:
    names = "class long, from_instance string, from_database string, to_service string, to_broker_instance string"
    rows = [(7, *KEY), (7, *KEY._replace(to_service="Other"))]
    spark.createDataFrame(rows, f"{names}, is_reply boolean").write.parquet(str(tmp_path / "classes"))
    with pytest.raises(RowCountError):
        class_keys_in(parquet_files_in(tmp_path / "classes"))
