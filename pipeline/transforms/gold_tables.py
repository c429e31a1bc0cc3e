"""Build the gold tables from the answers: outcomes, the differential, top flows, and the flow matrix."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import COLUMNS, KEY_COLUMNS
from pipeline.transforms.aggregation import CLASS_INTERVAL, WEIGHTS

_OUTCOME = ("outcome", "instance", "database", "reason", "address")


def routed(timed_rows: DataFrame, answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Join each row with its outcomes; rows with an unknown entry point are left out."""
    known = answers.where("before IS NOT NULL").select(*CLASS_INTERVAL, F.col("before").alias("number"))
    joined = timed_rows.join(known, list(CLASS_INTERVAL)).join(sets, "number")
    return joined.select(*COLUMNS, "outcomes", "verdict")


def replayed(timed_rows: DataFrame, answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Join each row with its outcomes before and after."""
    joined = timed_rows.join(
        _sided(answers, sets).select(*CLASS_INTERVAL, *_SIDES, "change", "kind"), list(CLASS_INTERVAL)
    )
    return joined.select(*COLUMNS, *_SIDES, F.col("change").alias("verdict"), "kind")


def unknown_entry_rows(timed_rows: DataFrame, answers: DataFrame) -> DataFrame:
    """Return the rows whose entry point is unknown."""
    return timed_rows.join(answers.where("before IS NULL").select(*CLASS_INTERVAL), list(CLASS_INTERVAL), "left_semi")


_SIDES = ("before", "after")


def _sided(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Replace the numbers of outcome sets by the outcomes."""
    known = answers.where("before IS NOT NULL").withColumnsRenamed({side: f"_{side}" for side in _SIDES})
    for side in _SIDES:
        named = sets.select(F.col("number").alias(f"_{side}"), F.col("outcomes").alias(side))
        known = known.join(named, f"_{side}")
    return known


def outcomes_by_class(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Return each class with its outcomes and traffic; a row for each outcome set that it had."""
    known = answers.where("before IS NOT NULL")
    summed = known.groupBy(*KEY_COLUMNS, F.col("before").alias("number")).agg(
        *(F.sum(name).alias(name) for name in WEIGHTS)
    )
    return summed.join(sets, "number").select(*KEY_COLUMNS, "outcomes", "verdict", *WEIGHTS)


def differential(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Return each class whose outcomes change, with its traffic; a row for each pair of before and after."""
    changed = answers.where("change IN ('worse', 'better', 'moved')")
    summed = changed.groupBy(*KEY_COLUMNS, *_SIDES, "change", "kind").agg(
        *(F.sum(name).alias(name) for name in WEIGHTS)
    )
    return _sided(summed, sets).select(*KEY_COLUMNS, *_SIDES, F.col("change").alias("verdict"), "kind", *WEIGHTS)


def top_flows(changes: DataFrame, count: int) -> DataFrame:
    """Return the changed flows with the most traffic."""
    return changes.orderBy(F.desc("messages"), F.desc("bytes"), *KEY_COLUMNS).limit(count)


def flow_matrix(answers: DataFrame, sets: DataFrame) -> DataFrame:
    """Return the traffic from each entry point to each outcome, before and after: the links of a Sankey diagram.

    If the rules leave a choice, the flow counts for each possible outcome, and `is_certain` is false.
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
