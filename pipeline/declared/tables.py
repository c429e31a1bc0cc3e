"""Each table by its name, with what it is made of: Spark finds the order, and what does not fit together, by itself.

Imported by `spark-pipelines`, which collects what is declared meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.jobs.telemetry import EVENTS, TABLES
from pipeline.reading import logged
from pipeline.telemetry import ways
from pipeline.telemetry.log import Log
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.events import each_once

IN = "spark.brokerui.events"
"""The setting that names the folder of the log."""


def _session() -> SparkSession:
    found = SparkSession.active()
    assert found is not None
    return found


# What is declared may not look at a file, so that the columns of the log are found out here.
_cleaned = EVENTS.clean(logged(_session(), str(_session().conf.get(IN)))).where(F.col(REASON).isNull())


@dp.materialized_view
def events() -> DataFrame:
    """Each event once, typed."""
    return each_once(_cleaned)


def _log() -> Log:
    return Log(_session().read.table("events"))


def _declared(name: str, table: Callable[[Log], DataFrame]) -> None:
    dp.materialized_view(name=name)(lambda: table(_log()))


for _name, _table in TABLES.items():
    _declared(_name, _table)


@dp.temporary_view
def compared() -> DataFrame:
    """Each message that left for a next hop, with who should have it."""
    return ways.compared_hops(_log(), None)


@dp.materialized_view
def hops() -> DataFrame:
    """Predicted against observed, counted."""
    return ways.hops(_session().read.table("compared"))


@dp.materialized_view
def disagreements() -> DataFrame:
    """Every prediction that did not come true."""
    return ways.disagreements(_session().read.table("compared"))
