"""`pipeline generate`: realistic traffic of an estate, from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession

from pipeline.estates import load_timeline
from pipeline.flows import Flow, flows, links
from pipeline.output import RECORD, replaced, write_record, write_rows
from pipeline.record import Run
from pipeline.session import SparkSettings, spark_session
from pipeline.transforms.inventing import Invented, rows
from routing.common.errors import InputError
from routing.common.sentence import say
from routing.model.estate import Estate

ROWS_A_FILE = 2_500_000
FLOW = (
    "rank int, from_instance string, from_database string, from_service string, "
    "to_service string, to_broker_instance string, is_reply boolean"
)


@dataclass(frozen=True, slots=True)
class Options:
    """What traffic is wanted."""

    estate: str
    rows: int
    seed: int
    out: str
    start: datetime
    days: int = 7
    classes: int = 5_000


def generate(options: Options, settings: SparkSettings) -> Run:
    """Writes Parquet files with the columns of the traffic table; the same seed gives the same rows."""
    run = Run("generate", {**asdict(options), "start": options.start.isoformat()})
    estate = load_timeline(options.estate).versions[-1].estate
    drawn = flows(estate, options.classes, options.seed)
    if not drawn:
        raise InputError(options.estate, "", say("has no database with a service: there is nothing to send to"))
    how = Invented(options.seed, options.rows, options.start, options.days, len(drawn), _failing(estate, drawn))
    with replaced(options.out) as folder:
        spark = spark_session(settings)
        run.phase("start")
        write_rows(invented(spark, drawn, how), folder)
        run.phase("write")
        run.counts |= {"rows": options.rows, "classes": len(drawn)}
        write_record(folder, run.as_json(), RECORD)
    return run


def invented(spark: SparkSession, drawn: Sequence[Flow], how: Invented) -> DataFrame:
    """The rows, of these flows."""
    ranked = spark.createDataFrame([(rank, *flow) for rank, flow in enumerate(drawn)], FLOW)
    files = max(2, -(-how.rows // ROWS_A_FILE))
    return rows(spark.range(0, how.rows, 1, files), ranked, how)


def _failing(estate: Estate, drawn: list[Flow]) -> str:
    """A link that fails is missed where there is traffic: the second busiest instance, as the first is too much."""
    busy = list(links(drawn))
    return busy[min(1, len(busy) - 1)] if busy else next(iter(estate.instances))
