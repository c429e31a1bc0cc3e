"""Traffic that never was, from a seed: any number of rows, the same on any number of machines.

Every chance is a hash of the seed, the row and what is drawn, so that no order of work can matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import log, sin, tau

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.schemas import COLUMNS

MINUTES = 24 * 60
BURST_SHARE, BURST_SECONDS, BURSTS_A_DAY = 0.05, 120, 6
HOUR, CATCHING_UP = 3_600, 300
"""A link fails for an hour; what waited begins within the next minutes."""


@dataclass(frozen=True, slots=True)
class Invented:
    """What traffic is drawn by."""

    seed: int
    start: datetime
    days: int
    flows: int
    failing: str
    """The instance whose link fails for an hour in the middle of the first day."""
    busiest: float = 0.0
    """An additional share of all rows for the first flow, to measure skew."""


def rows(numbers: DataFrame, flows: DataFrame, how: Invented) -> DataFrame:
    """A row of the traffic table for each number (`id`); `flows` are the classes by rank, from 0."""
    drawn = numbers.select("id", _rank(how).alias("rank"), _second(how).alias("second"))
    return (
        drawn.join(F.broadcast(flows), "rank")
        .select(
            _identifier(how).alias("conversation_id"),
            _at(how).alias("at"),
            *(flow for flow in COLUMNS if flow in flows.columns),
            _messages(how).alias("messages"),
            (_messages(how) * _bytes_each(how)).alias("bytes"),
        )
        .select(*COLUMNS)
    )


def chance(how: Invented, what: str) -> Column:
    """A number from 0 to below 1 for each row, another one for each thing that is drawn."""
    return F.xxhash64(F.lit(how.seed), F.lit(what), "id").bitwiseAND(F.lit((1 << 53) - 1)) / F.lit(float(1 << 53))


def _rank(how: Invented) -> Column:
    """Zipf: the flow of rank r has about 1/r of the traffic."""
    zipf = F.floor(F.exp(chance(how, "flow") * F.lit(log(how.flows + 1)))) - 1
    rank = F.least(zipf, F.lit(how.flows - 1)).cast("int")
    return F.when(chance(how, "busiest") < how.busiest, F.lit(0)).otherwise(rank)


def _second(how: Invented) -> Column:
    """Seconds since the start: days with nights, and bursts of two minutes."""
    day = F.floor(chance(how, "day") * how.days)
    minute = F.get(F.lit(day_curve()), F.floor(chance(how, "minute") * MINUTES).cast("int"))
    steady = minute * 60 + chance(how, "second") * 60
    burst = F.floor(chance(how, "burst") * BURSTS_A_DAY)
    # A burst begins at a moment of its day that all its rows draw alike.
    begins = F.xxhash64(F.lit(how.seed), F.lit("begins"), day, burst).bitwiseAND(F.lit(0xFFFF)) / 0x10000 * 86_000
    in_burst = chance(how, "in burst") < BURST_SHARE
    return day * 86_400 + F.when(in_burst, begins + chance(how, "second") * BURST_SECONDS).otherwise(steady)


def day_curve() -> list[int]:
    """The minutes of a day, each as often as it is busy: a fifth of the traffic of noon at midnight."""
    busy = [1.2 - sin(tau * (minute / MINUTES + 0.25)) for minute in range(MINUTES)]
    found: list[int] = []
    step, seen = sum(busy) / MINUTES, 0.0
    for minute, weight in enumerate(busy):
        seen += weight
        while len(found) < MINUTES and seen >= (len(found) + 0.5) * step:
            found.append(minute)
    return found


def _at(how: Invented) -> Column:
    second = F.col("second")
    begins = 11 * HOUR
    fails = (F.col("from_instance") == how.failing) & second.between(begins, begins + HOUR)
    late = begins + HOUR + (second - begins) * (CATCHING_UP / HOUR)
    start = F.lit(int(how.start.timestamp()) * 1_000_000)
    return F.timestamp_micros(start + (F.when(fails, late).otherwise(second) * 1_000_000).cast("long"))


def _identifier(how: Invented) -> Column:
    high, low = (F.lpad(F.lower(F.hex(F.xxhash64(F.lit(how.seed), F.lit(half), "id"))), 16, "0") for half in "ab")
    parts = (high, 1, 8), (high, 9, 4), (high, 13, 4), (low, 1, 4), (low, 5, 12)
    return F.concat_ws("-", *(F.substring(*part) for part in parts))


def _messages(how: Invented) -> Column:
    """Most conversations are short; a few have hundreds of messages."""
    return (1 + F.floor(F.exp(chance(how, "messages") * chance(how, "long") * 6) - 1)).cast("long")


def _bytes_each(how: Invented) -> Column:
    return F.floor(F.exp(5 + chance(how, "bytes") * 5)).cast("long")
