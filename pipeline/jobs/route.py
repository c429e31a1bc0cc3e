"""`pipeline route`: what each conversation of a traffic met, under the routes in force at its time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.counting import rows_in
from pipeline.engine import Asker
from pipeline.epochs import epochs_of
from pipeline.estates import EVER, Timeline, load_timeline
from pipeline.files import File
from pipeline.jobs.asking import Asked, ask, finish, inputs_of
from pipeline.manifest import SUMMARY
from pipeline.output import replaced, write_record, write_rows
from pipeline.record import Run
from pipeline.session import SparkSettings, spark_session
from pipeline.surviving import emptied, surviving
from pipeline.traffic import check_traffic, open_traffic, span_of, traffic_files
from pipeline.transforms.flowing import flow_matrix, met, routed


@dataclass(frozen=True, slots=True)
class Options:
    """An estate or its history, and the traffic."""

    estate: str
    traffic: str
    out: str


def route(options: Options, settings: SparkSettings) -> Run:
    """Writes a row for each row of the input, with `outcomes` and `verdict`."""
    run = Run("route", asdict(options))
    timeline = load_timeline(options.estate)
    check_traffic(options.traffic)
    run.inputs = inputs_of(options.traffic, timeline)
    run.phase("estates")
    with replaced(options.out) as folder:
        spark = spark_session(settings)
        run.phase("start")
        surviving(
            traffic_files(options.traffic),
            lambda files: _route(spark, options, timeline, files, folder, run),
            lambda: emptied(folder),
        )
        write_record(folder, run.as_json())
    return run


def _route(
    spark: SparkSession, options: Options, timeline: Timeline, files: list[File], folder: Path, run: Run
) -> None:
    epochs = epochs_of([timeline], span_of(options.traffic))
    asker = Asker(timeline)
    asked = ask(spark, open_traffic(spark, options.traffic, files), (asker, asker), epochs, folder)
    run.phase("ask")
    write_rows(routed(asked.rows, asked.answers, asked.sets), folder)
    run.phase("rows")
    _write_summary(asked)
    run.phase("summary")
    run.more = {
        "estates": len(timeline.versions),
        "intervals": len(epochs.boundaries) + 1,
        "questions": asked.questions,
        "before_estate": _before_estate(asked, timeline),
    }
    finish(asked, run, rows_in(folder))


def _before_estate(asked: Asked, timeline: Timeline) -> dict[str, int | str]:
    """How many rows are older than the first version, and since when that holds: nobody knows what they met."""
    first = timeline.versions[0].since
    if first == EVER or not asked.found.unknown.rows:
        return {}
    rows = asked.rows.where(F.col("at") < F.lit(first)).count()
    return {"rows": rows, "since": first.isoformat()} if rows else {}


def _write_summary(asked: Asked) -> None:
    """What a dashboard shows of it: few rows, however much traffic there was."""
    folder = asked.folder / SUMMARY
    write_rows(met(asked.answers, asked.sets).coalesce(1), folder / "outcomes")
    links = flow_matrix(asked.answers, asked.sets).where("side = 'before'").withColumn("side", F.lit("met"))
    write_rows(links.coalesce(1), folder / "flow_matrix")
