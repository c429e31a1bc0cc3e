"""Generate traffic from a seed: any number of rows, the same on any number of machines.

Every random number is a hash of the seed, the row and the quantity drawn, so the order of work does not matter. Rows
are in the order of time to the minute, as in a log, except those that a failed link delayed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime
from math import log, sin, tau

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import COLUMNS

MINUTES = 24 * 60
BURST_SHARE, BURST_MINUTES, BURSTS_PER_DAY = 0.05, 2, 6
HOUR_S, CATCH_UP_S = 3_600, 300
"""A link fails for an hour; its waiting conversations begin within the next five minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficModel:
    """Parameters of synthetic traffic."""

    seed: int
    rows: int
    start: datetime
    days: int
    flows: int
    failing: str
    """The instance whose link fails for an hour in the middle of the first day."""
    busiest: float = 0.0
    """An additional share of all rows for the first flow, to measure skew."""


def synthetic_rows(numbers: DataFrame, flows: DataFrame, model: TrafficModel) -> DataFrame:
    """Return a row of the traffic table for each number (`id`); `flows` are the classes by rank, from 0."""
    drawn = numbers.select("id", _rank(model).alias("rank"), _second(model).alias("second"))
    return (
        drawn.join(F.broadcast(flows), "rank")
        .select(
            _identifier(model).alias("conversation_id"),
            _at(model).alias("at"),
            *(flow for flow in COLUMNS if flow in flows.columns),
            _messages(model).alias("messages"),
            (_messages(model) * _bytes_each(model)).alias("bytes"),
        )
        .select(*COLUMNS)
    )


def chance(model: TrafficModel, what: str) -> Column:
    """Return a number in [0, 1) for each row, independent for each quantity drawn."""
    return F.xxhash64(F.lit(model.seed), F.lit(what), "id").bitwiseAND(F.lit((1 << 53) - 1)) / F.lit(float(1 << 53))


def _rank(model: TrafficModel) -> Column:
    """Draw the flow by Zipf's law: rank r has about 1/r of the traffic."""
    zipf = F.floor(F.exp(chance(model, "flow") * F.lit(log(model.flows + 1)))) - 1
    rank = F.least(zipf, F.lit(model.flows - 1)).cast("int")
    return F.when(chance(model, "busiest") < model.busiest, F.lit(0)).otherwise(rank)


def _second(model: TrafficModel) -> Column:
    """Return seconds since the start; every day has the same number of rows."""
    days = F.col("id") * F.lit(model.days / model.rows)
    minutes = minutes_of_a_day(model.seed)
    minute = F.get(F.lit(minutes), F.floor((days - F.floor(days)) * len(minutes)).cast("int"))
    return F.floor(days) * 86_400 + minute * 60 + chance(model, "second") * 60


def minutes_of_a_day(seed: int) -> list[int]:
    """Return sorted minutes, each as often as it is busy: a fifth of noon's traffic at midnight, and short bursts."""
    curve = _curve()
    begins = random.Random(seed).sample(range(0, MINUTES, BURST_MINUTES), BURSTS_PER_DAY)  # noqa: S311 - traffic, not secrets
    bursts = [begin + minute for begin in begins for minute in range(BURST_MINUTES)]
    each = round(len(curve) * BURST_SHARE / (1 - BURST_SHARE) / len(bursts))
    return sorted(curve + bursts * each)


def _curve() -> list[int]:
    busy = [1.2 - sin(tau * (minute / MINUTES + 0.25)) for minute in range(MINUTES)]
    found: list[int] = []
    step, seen = sum(busy) / MINUTES, 0.0
    for minute, weight in enumerate(busy):
        seen += weight
        while len(found) < MINUTES and seen >= (len(found) + 0.5) * step:
            found.append(minute)
    return found


def _at(model: TrafficModel) -> Column:
    second = F.col("second")
    begins = 11 * HOUR_S
    fails = (F.col("from_instance") == model.failing) & second.between(begins, begins + HOUR_S)
    late = begins + HOUR_S + (second - begins) * (CATCH_UP_S / HOUR_S)
    start = F.lit(int(model.start.timestamp()) * 1_000_000)
    return F.timestamp_micros(start + (F.when(fails, late).otherwise(second) * 1_000_000).cast("long"))


def _identifier(model: TrafficModel) -> Column:
    high, low = (F.lpad(F.lower(F.hex(F.xxhash64(F.lit(model.seed), F.lit(half), "id"))), 16, "0") for half in "ab")
    parts = (high, 1, 8), (high, 9, 4), (high, 13, 4), (low, 1, 4), (low, 5, 12)
    return F.concat_ws("-", *(F.substring(*part) for part in parts))


def _messages(model: TrafficModel) -> Column:
    """Most conversations are short; a few have hundreds of messages."""
    return (1 + F.floor(F.exp(chance(model, "messages") * chance(model, "long") * 6) - 1)).cast("long")


def _bytes_each(model: TrafficModel) -> Column:
    return F.floor(F.exp(5 + chance(model, "bytes") * 5)).cast("long")
