"""Traffic that never was, from a seed: any number of rows, the same on any number of machines.

Every chance is a hash of the seed, the row and what is drawn, so that no order of work can matter. Rows come in the
order of time, as a log is written, to the minute; late ones are those of a link that failed.
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
BURST_SHARE, BURST_MINUTES, BURSTS_A_DAY = 0.05, 2, 6
HOUR, CATCHING_UP = 3_600, 300
"""A link fails for an hour; what waited begins within the next minutes."""


@dataclass(frozen=True, slots=True)
class Invented:
    """What traffic is drawn by."""

    seed: int
    rows: int
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
    """Seconds since the start: each day has as many rows."""
    days = F.col("id") * F.lit(how.days / how.rows)
    minutes = minutes_of_a_day(how.seed)
    minute = F.get(F.lit(minutes), F.floor((days - F.floor(days)) * len(minutes)).cast("int"))
    return F.floor(days) * 86_400 + minute * 60 + chance(how, "second") * 60


def minutes_of_a_day(seed: int) -> list[int]:
    """In order, each as often as it is busy: a fifth of noon's traffic at midnight, and bursts, as of planned jobs."""
    curve = _curve()
    begins = random.Random(seed).sample(range(0, MINUTES, BURST_MINUTES), BURSTS_A_DAY)  # noqa: S311 - traffic, not secrets
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
