"""Cost of an event for `telemetry`, also where one conversation has a third of all events.

    .venv/bin/python benchmarks/pipeline/telemetry.py [--messages 200000] [--runs 2]

The claims: the whole job takes at most 8 times what Spark needs to read and write the same events; a log in which one
conversation has a third of the messages costs at most 1.3 times the even one; driver and executors stay under 3 GB.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.claims import claim, machine
from benchmarks.pipeline.traffic import PLACE, START, Bench
from pipeline.jobs.telemetry import TelemetryOptions, telemetry
from pipeline.results.output_folder import write_rows
from pipeline.runtime.session import SparkSettings
from pipeline.schemas import EVENT

LIMIT = 3_000
DAY = 86_400_000
OF_ONE = 10
"""Messages of a conversation."""
SENT, ARRIVED, SIDE = {"event_subclass": 1}, {"event_subclass": 6}, {"database": "D", "state": "CO"}
EVENTS: list[tuple[int, str, dict[str, Any]]] = [
    (124, "from", SENT | SIDE),
    (1001, "from", SENT | SIDE | {"route": "r", "attempts": 0}),
    (124, "to", ARRIVED | SIDE),
    (149, "from", {"event_subclass": 3, "fragment": 1_048_575}),
    (1002, "to", SIDE),
    (1003, "from", SIDE | {"error": 9792}),
    (1003, "from", SIDE | {"previous_error": 9792}),
]
"""Of each message: a class, the instance that says so, and what it has beside the message."""
EVERY = 20
"""Messages per one whose conversation waits once, and goes on."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    even, skewed = (_log(bench.spark, options.messages, of_first) for of_first in (0, options.messages // 3))
    read = bench.best("reading and writing", options.runs, partial(_copy, bench.spark, even)).processor
    took = bench.best("telemetry, even", options.runs, partial(_telemetry, even)).processor
    most = bench.best("telemetry, one with a third", options.runs, partial(_telemetry, skewed)).processor
    kept = [
        claim(
            "telemetry / reading and writing", took / read, 8, "times", f"{took / options.messages * 1e6:.0f} µs each"
        ),
        claim("one conversation with a third / even", most / took, 1.3, "times"),
        claim("memory, driver and executors", bench.peak_megabytes(), LIMIT, "MB"),
    ]
    return not all(kept)


def _copy(spark: SparkSession, log: str) -> None:
    spark.read.parquet(log).write.mode("overwrite").parquet(str(PLACE / "copied"))


def _telemetry(log: str) -> None:
    telemetry(TelemetryOptions(log, str(PLACE / "told")), SparkSettings("local[2]"))


def _log(spark: SparkSession, messages: int, of_first: int) -> str:
    """Write a day's log; the first conversation has `of_first` of the messages."""
    folder = PLACE / f"log-{messages}-{of_first}"
    if not folder.exists():
        new = PLACE / f".{folder.name}"
        write_rows(events_of(messages_of(spark, messages, of_first)), new)
        new.rename(folder)
    return str(folder)


def messages_of(spark: SparkSession, count: int, of_first: int) -> DataFrame:
    is_first = F.col("id") < of_first
    later = F.col("id") - of_first
    return spark.range(0, count, 1, 4).select(
        F.col("id").alias("message"),
        F.when(is_first, 0).otherwise(F.floor(later / OF_ONE) + 1).alias("conversation"),
        F.when(is_first, F.col("id")).otherwise(later % OF_ONE).alias("number"),
    )


def events_of(messages: DataFrame) -> DataFrame:
    """Each message's events, 20 ms apart."""
    each = messages.select("*", F.posexplode(F.array(*(_event(*one) for one in EVENTS))).alias("place", "event"))
    each = each.where(F.col("event.event_class").isin(124, 149, 1001, 1002) | (F.col("message") % EVERY == 0))
    count = messages.count()
    at = F.col("message") * DAY / count + F.col("place") * 20
    known: dict[str, Column] = {
        "source": F.concat(F.lit("events-"), "place"),
        "position": F.col("message"),
        "at": F.timestamp_millis(F.lit(int(START.timestamp() * 1000)) + F.floor(at)),
        "host": F.lit("machine"),
        "event_name": F.lit("an event"),
        "conversation_id": F.concat(F.lit("conversation "), "conversation"),
        "conversation_handle": F.concat(F.lit("handle "), "conversation", "event.instance"),
        "from_service": F.lit("//x/From"),
        "to_service": F.concat(F.lit("//x/To"), F.col("conversation") % 50),
        "from_initiator": F.expr("true"),
        "is_initiator": F.col("event.instance").startswith("from"),
        "message_sequence_number": F.col("number"),
        "first_message_sequence_number": F.when(F.col("event.event_class") != 149, F.col("number")).otherwise(0),
        "messages": F.lit(1),
        "bytes": F.lit(100),
    }
    known |= {name: F.col(f"event.{name}") for name in each.select("event.*").columns}
    fields = ((field.name, field.dataType) for field in EVENT)
    return each.select(*(known.get(name, F.lit(None)).cast(kind).alias(name) for name, kind in fields))


def _event(event_class: int, side: str, more: dict[str, Any]) -> Column:
    columns = ("event_subclass", "database", "state", "route", "attempts", "fragment", "error", "previous_error")
    instance = F.concat(F.lit(side), F.col("conversation") % 20)
    hop = F.concat(F.lit("tcp://to"), F.col("conversation") % 20, F.lit(":4022"))
    return F.struct(
        F.lit(event_class).alias("event_class"),
        instance.alias("instance"),
        F.when(F.lit("route" in more), hop).alias("next_hop"),
        *(F.lit(more.get(name)).cast(EVENT[name].dataType).alias(name) for name in columns),
    )


if __name__ == "__main__":
    sys.exit(main())
