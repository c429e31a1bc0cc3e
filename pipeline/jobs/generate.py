"""`pipeline generate`: write synthetic traffic of an estate, from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from pipeline.evaluation.timeline import load_timeline
from pipeline.jobs.sampled_flows import SampledFlow, entry_instances, sample_flows
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import new_tables
from pipeline.results.output_folder import write_rows
from pipeline.results.run_record import JobRun
from pipeline.runtime.local_tables import local_table
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls
from pipeline.transforms.synthetic_traffic import TrafficModel, synthetic_rows
from routing.common.errors import InputError
from routing.common.sentence import say
from routing.model.estate import Estate

ROWS_PER_FILE = 2_500_000
FIRST_MOMENT: Final = datetime(1753, 1, 1, tzinfo=UTC)
"""The first moment that a row of traffic may have."""
FLOW_SCHEMA = (
    "rank int, from_instance string, from_database string, from_service string, "
    "to_service string, to_broker_instance string, is_reply boolean"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """Options of `generate`."""

    estate: str
    rows: int
    seed: int
    out: str
    start: datetime
    days: int = 7
    classes: int = 5_000


def generate(options: GenerateOptions, settings: SparkSettings) -> JobRun:
    """Write Parquet files with the columns of the traffic table; the same seed gives the same rows."""
    run = JobRun("generate", {**asdict(options), "start": options.start.isoformat()})
    _check_time(options)
    start_for_urls(settings, options.estate, options.out)
    estate = load_timeline(options.estate).versions[-1].estate
    flows = sample_flows(estate, options.classes, options.seed)
    if not flows:
        raise InputError(options.estate, "", say("has no database with a service: there is nothing to send to"))
    model = TrafficModel(
        seed=options.seed,
        rows=options.rows,
        start=options.start,
        days=options.days,
        flows=len(flows),
        failing=_failing(estate, flows),
    )
    with new_tables(options.out) as result:
        spark = spark_session(settings)
        run.end_phase("start")
        write_rows(synthetic_traffic(spark, flows, model), result.folders.rows)
        run.end_phase("write")
        run.counts |= {"rows": options.rows, "classes": len(flows)}
        run.extra |= table_manifest(result.folders)
        result.publish(run.as_json())
    return run


def _check_time(options: GenerateOptions) -> None:
    """Raise `InputError` if the traffic begins before the first moment that a row may have, or would outlast time."""
    if options.start < FIRST_MOMENT:
        problem = say(
            "must be {first} or later, not {moment}", first=f"{FIRST_MOMENT:%Y-%m-%d}", moment=options.start.isoformat()
        )
        raise InputError("--start", "", problem)
    if datetime.max.replace(tzinfo=UTC) - options.start < timedelta(days=options.days + 1):
        raise InputError("--start", "", say("leaves no room for {days} days before the year 10000", days=options.days))


def synthetic_traffic(spark: SparkSession, flows: Sequence[SampledFlow], model: TrafficModel) -> DataFrame:
    """Return synthetic rows of these flows."""
    ranked = local_table(spark, ((rank, *flow) for rank, flow in enumerate(flows)), FLOW_SCHEMA)
    files = max(2, -(-model.rows // ROWS_PER_FILE))
    return synthetic_rows(spark.range(0, model.rows, 1, files), ranked, model)


def _failing(estate: Estate, flows: list[SampledFlow]) -> str:
    """Choose the instance whose link fails: the second busiest, since without the busiest too little would be left."""
    busy = list(entry_instances(flows))
    return busy[min(1, len(busy) - 1)] if busy else next(iter(estate.instances))
