"""Answers to what people look at: what changed, how much of it, and from where to where it flows."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import COLUMNS, KEYS
from pipeline.transforms.weighing import QUESTION, WEIGHTS

_OUTCOME = ("outcome", "instance", "database", "reason", "address")


def routed(timed_rows: DataFrame, answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Each row with its outcomes; those with an unknown entry point are left out."""
    known = answers.where("before IS NOT NULL").select(*QUESTION, F.col("before").alias("number"))
    joined = timed_rows.join(known, list(QUESTION)).join(sets, "number")
    return joined.select(*COLUMNS, "outcomes", "verdict")


def replayed(timed_rows: DataFrame, answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Each row with its outcomes before and after."""
    joined = timed_rows.join(_sided(answers, sets).select(*QUESTION, *_SIDES, "change", "kind"), list(QUESTION))
    return joined.select(*COLUMNS, *_SIDES, F.col("change").alias("verdict"), "kind")


def unknown(timed_rows: DataFrame, answers: DataFrame) -> DataFrame:
    """The rows that no answer is for."""
    return timed_rows.join(answers.where("before IS NULL").select(*QUESTION), list(QUESTION), "left_semi")


_SIDES = ("before", "after")


def _sided(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Answers with the outcomes in the place of their numbers."""
    known = answers.where("before IS NOT NULL").withColumnsRenamed({side: f"_{side}" for side in _SIDES})
    for side in _SIDES:
        named = sets.select(F.col("number").alias(f"_{side}"), F.col("outcomes").alias(side))
        known = known.join(named, f"_{side}")
    return known


def met(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Every class with its outcomes, and what it carried; once for each set of outcomes it had."""
    known = answers.where("before IS NOT NULL")
    summed = known.groupBy(*KEYS, F.col("before").alias("number")).agg(*(F.sum(name).alias(name) for name in WEIGHTS))
    return summed.join(sets, "number").select(*KEYS, "outcomes", "verdict", *WEIGHTS)


def differential(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Every class that ends otherwise, with what it carried; once for each pair of before and after it had."""
    changed = answers.where("change IN ('worse', 'better', 'moved')")
    summed = changed.groupBy(*KEYS, *_SIDES, "change", "kind").agg(*(F.sum(name).alias(name) for name in WEIGHTS))
    return _sided(summed, sets).select(*KEYS, *_SIDES, F.col("change").alias("verdict"), "kind", *WEIGHTS)


def top_flows(changes: DataFrame, count: int) -> DataFrame:
    """The changed flows that carry most."""
    return changes.orderBy(F.desc("messages"), F.desc("bytes"), *KEYS).limit(count)


def flow_matrix(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """From each entry point to each end, before and after: the links of a Sankey diagram.

    Where the rules leave a choice, the flow is counted for each of its possible ends, and `is_certain` is false.
    """
    sides = [
        answers.where(F.col(side).isNotNull())
        .groupBy("from_instance", "from_database", F.col(side).alias("number"))
        .agg(*(F.sum(name).alias(name) for name in WEIGHTS))
        .withColumn("side", F.lit(side))
        for side in _SIDES
    ]
    ends = sets.select("number", (F.size("outcomes") == 1).alias("is_certain"), F.explode("outcomes").alias("end"))
    links = sides[0].unionByName(sides[1]).join(ends, "number")
    keys = ("side", "from_instance", "from_database", *_OUTCOME, "is_certain")
    return links.select("*", "end.*").groupBy(*keys).agg(*(F.sum(name).alias(name) for name in WEIGHTS)).select("*")
