"""`pipeline route`: what each conversation of a traffic met, under the routes in force at its time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.counting import rows_in
from pipeline.engine import Asker
from pipeline.epochs import boundaries_of
from pipeline.estates import EVER, Timeline, load_timeline
from pipeline.files import File
from pipeline.former import former_of
from pipeline.jobs.asking import Asked, ask, finish, inputs_of
from pipeline.manifest import SUMMARY
from pipeline.output import replaced, write_record, write_rows
from pipeline.reading import Source
from pipeline.record import Run
from pipeline.session import SparkSettings, spark_session
from pipeline.surviving import emptied, surviving
from pipeline.traffic import Traffic, open_lake, traffic_of
from pipeline.transforms.cleaning import good
from pipeline.transforms.flowing import flow_matrix, met, routed
from pipeline.transforms.weighing import timed


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
    traffic = traffic_of(options.traffic)
    run.inputs = inputs_of(traffic, timeline)
    run.phase("estates")
    with replaced(options.out) as folder:
        spark = spark_session(settings)
        run.phase("start")
        surviving(
            traffic.files(),
            lambda files: _route(spark, options, (traffic, timeline), files, folder, run),
            lambda: emptied(folder),
        )
        write_record(folder, run.as_json())
    return run


def _route(
    spark: SparkSession, options: Options, asking: tuple[Traffic, Timeline], files: list[File], folder: Path, run: Run
) -> None:
    traffic, timeline = asking
    boundaries = boundaries_of([timeline], traffic.span())
    asker = Asker(timeline)
    asked = ask(spark, traffic.open(spark, files), (asker, asker), boundaries, folder)
    run.phase("ask")
    fresh = _write_rows(spark, options.out, traffic, timeline, asked, run)
    run.phase("rows")
    _write_summary(asked)
    run.phase("summary")
    run.more |= {
        "estates": len(timeline.versions),
        "intervals": len(boundaries) + 1,
        "questions": asked.questions,
        "before_estate": _before_estate(asked, timeline),
    }
    finish(asked, run, rows_in(folder), fresh)


def _write_rows(
    spark: SparkSession, out: str, traffic: Traffic, timeline: Timeline, asked: Asked, run: Run
) -> Source | None:
    """Of a lake, only what no run before has written, which is returned; of files all."""
    rows, fresh, lake = asked.rows, None, traffic.lake
    former = former_of(run.job, out, lake, timeline) if lake else None
    if lake and former:
        former.take_over(asked.folder)
        fresh = open_lake(spark, lake.of(lake.commits().keys() - former.runs), traffic.name)
        rows = timed(good(fresh.rows), asked.marks)
    if fresh is None or fresh.files:
        write_rows(routed(rows, asked.answers, asked.sets), asked.folder)
    run.more["taken_over"] = len(former.files) if former else 0
    return fresh


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
