"""Declare each telemetry table: Spark finds their order and checks that they fit together.

`spark-pipelines` imports this module and collects the declarations.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.inputs.reader import event_log_rows
from pipeline.jobs.telemetry import EVENTS_FORMAT, TABLES
from pipeline.telemetry import next_hops
from pipeline.telemetry.event_log import EventLog
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.events import deduplicated_events

IN = "spark.brokerui.events"
"""The setting that names the folder of the log."""


def _session() -> SparkSession:
    found = SparkSession.active()
    assert found is not None
    return found


# A declaration may not read a file, so the columns of the log are read here.
_cleaned = EVENTS_FORMAT.clean(event_log_rows(_session(), str(_session().conf.get(IN)))).where(F.col(REASON).isNull())


@dp.materialized_view
def events() -> DataFrame:
    """Each event once, typed."""
    return deduplicated_events(_cleaned)


def _log() -> EventLog:
    return EventLog(_session().read.table("events"))


def _declared(name: str, table: Callable[[EventLog], DataFrame]) -> None:
    dp.materialized_view(name=name)(lambda: table(_log()))


for _name, _table in TABLES.items():
    _declared(_name, _table)


@dp.temporary_view
def compared() -> DataFrame:
    """Each message sent to a next hop, with the instance that should receive it."""
    return next_hops.compared_hops(_log(), None)


@dp.materialized_view
def hops() -> DataFrame:
    """Counts of predictions by verdict."""
    return next_hops.hops(_session().read.table("compared"))


@dp.materialized_view
def disagreements() -> DataFrame:
    """Predictions that observation contradicts."""
    return next_hops.disagreements(_session().read.table("compared"))
