"""`pipeline route`: find the outcomes of each row of a traffic under the routes in force at its time."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.evaluation.boundaries import boundaries_of
from pipeline.evaluation.evaluator import TimelineEvaluator
from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.evaluation.unanswered import remarks, unanswered
from pipeline.inputs.files import InputFile
from pipeline.inputs.reader import InputRows
from pipeline.jobs.previous_result import KeptFiles, previous_result
from pipeline.jobs.traffic_evaluation import EvaluatedTraffic, evaluate, finish_run, run_on_traffic
from pipeline.lake.traffic import TrafficInput, open_lake, traffic_input
from pipeline.results.output_folder import write_rows
from pipeline.results.parquet_counts import rows_in
from pipeline.results.run_record import JobRun
from pipeline.results.table_folders import SUMMARY, TableFolders
from pipeline.runtime.session import SparkSettings, start_for_urls
from pipeline.transforms.aggregation import with_interval
from pipeline.transforms.cleaning import valid_rows
from pipeline.transforms.gold_tables import flow_matrix, outcomes_by_class, routed


@dataclass(frozen=True, slots=True)
class RouteOptions:
    """Options of `route`."""

    estate: str
    traffic: str
    out: str
    dates: str = ""
    """The order of dates with slashes in text files."""
    encoding: str = ""
    """The encoding of text files without a byte order mark; empty: UTF-8."""
    version: int | None = None
    """The version of a lake; None: the last."""


def route(options: RouteOptions, settings: SparkSettings) -> JobRun:
    """Write a row for each row of the input, with `outcomes` and `verdict`."""
    run = JobRun("route", asdict(options))
    start_for_urls(settings, options.estate, options.traffic, options.out)
    timeline = load_timeline(options.estate)
    traffic = traffic_input(options.traffic, options.dates, options.encoding, options.version)
    return run_on_traffic(
        run,
        options.out,
        traffic,
        [timeline],
        settings,
        lambda spark, files, folders: _route(spark, options, (traffic, timeline), files, folders, run),
    )


def _route(
    spark: SparkSession,
    options: RouteOptions,
    asking: tuple[TrafficInput, Timeline],
    files: list[InputFile],
    folders: TableFolders,
    run: JobRun,
) -> None:
    traffic, timeline = asking
    boundaries = boundaries_of([timeline], traffic.span())
    asker = TimelineEvaluator(timeline)
    evaluated = evaluate(spark, traffic.open(spark, files, folders.work), (asker, asker), boundaries, folders)
    run.end_phase("ask")
    kept = previous_result(run.job, options.out, traffic.lake, timeline) if traffic.lake else None
    new_rows = _write_rows(spark, traffic, evaluated, kept)
    run.extra["taken_over"] = len(kept.rows) if kept else 0
    run.end_phase("rows")
    _write_summary(evaluated)
    run.end_phase("summary")
    run.extra |= {
        "estates": len(timeline.versions),
        "intervals": len(boundaries) + 1,
        "questions": evaluated.questions,
        **unanswered(evaluated.totals, [timeline]),
    }
    run.summary_lines = list(remarks(evaluated.totals, [timeline]))
    finish_run(evaluated, run, rows_in(folders.rows), kept, new_rows)


def _write_rows(
    spark: SparkSession, traffic: TrafficInput, evaluated: EvaluatedTraffic, kept: KeptFiles | None
) -> InputRows | None:
    """Write the rows that the kept files have not. Returns them, or None if all were written."""
    rows, new_rows, lake = evaluated.rows, None, traffic.lake
    if lake and kept:
        new_rows = open_lake(spark, lake.only_runs(lake.commits().keys() - kept.runs), traffic.name)
        rows = with_interval(valid_rows(new_rows.rows), evaluated.change_moments)
    if new_rows is None or new_rows.files:
        write_rows(routed(rows, evaluated.answers, evaluated.outcome_sets), evaluated.folders.rows)
    return new_rows


def _write_summary(evaluated: EvaluatedTraffic) -> None:
    """Write the tables for the dashboard: few rows, however much traffic there was."""
    folders = evaluated.folders
    write_rows(
        outcomes_by_class(evaluated.answers, evaluated.outcome_sets).coalesce(1), folders.table(f"{SUMMARY}/outcomes")
    )
    links = (
        flow_matrix(evaluated.answers, evaluated.outcome_sets).where("side = 'before'").withColumn("side", F.lit("met"))
    )
    write_rows(links.coalesce(1), folders.table(f"{SUMMARY}/flow_matrix"))
