"""`pipeline replay`: compare the outcomes of a traffic under two estates."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pyspark.sql import SparkSession

from pipeline.evaluation.boundaries import boundaries_of
from pipeline.evaluation.evaluator import TimelineEvaluator
from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.evaluation.unanswered import later_changes, remarks, unanswered
from pipeline.evaluation.weighting import TrafficWeight
from pipeline.inputs.files import InputFile
from pipeline.jobs.traffic_evaluation import EvaluatedTraffic, evaluate, finish_run, run_on_traffic
from pipeline.lake.traffic import TrafficInput, traffic_input
from pipeline.results.output_folder import write_rows
from pipeline.results.parquet_counts import rows_in
from pipeline.results.run_record import JobRun
from pipeline.results.table_folders import TableFolders
from pipeline.runtime.session import SparkSettings, start_for_urls
from pipeline.transforms.gold_tables import differential, flow_matrix, replayed, top_flows

TOP_FLOWS = 100
"""Number of rows in `top_flows`."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Options of `replay`."""

    baseline: str
    proposed: str
    traffic: str
    out: str
    rows: bool = False
    """Also a row for each row of the input."""
    dates: str = ""
    """The order of dates with slashes in text files."""
    encoding: str = ""
    """The encoding of text files without a byte order mark; empty: UTF-8."""
    version: int | None = None
    """The version of a lake; None: the last."""


def replay(options: ReplayOptions, settings: SparkSettings) -> JobRun:
    """Write the differential weighted by traffic, the flows that change most, and the flow matrix."""
    run = JobRun("replay", asdict(options))
    start_for_urls(settings, options.baseline, options.proposed, options.traffic, options.out)
    before, after = load_timeline(options.baseline), load_timeline(options.proposed)
    traffic = traffic_input(options.traffic, options.dates, options.encoding, options.version)
    return run_on_traffic(
        run,
        options.out,
        traffic,
        [before, after],
        settings,
        lambda spark, files, folders: _replay(spark, options, (traffic, before, after), files, folders, run),
    )


def _replay(
    spark: SparkSession,
    options: ReplayOptions,
    asking: tuple[TrafficInput, Timeline, Timeline],
    files: list[InputFile],
    folders: TableFolders,
    run: JobRun,
) -> None:
    traffic, *sides = asking
    boundaries = boundaries_of(sides, traffic.span())
    before, after = (TimelineEvaluator(side) for side in sides)
    evaluated = evaluate(spark, traffic.open(spark, files, folders.work), (before, after), boundaries, folders)
    run.extra = {"summary": summary(evaluated), "intervals": len(boundaries) + 1, "questions": evaluated.questions}
    run.extra |= unanswered(evaluated.totals, sides)
    changes = (_summary_line(change, weight) for change, weight in later_changes(evaluated.totals))
    run.summary_lines = [*changes, *remarks(evaluated.totals, sides)]
    run.end_phase("ask")
    _write_gold(evaluated)
    run.end_phase("gold")
    if options.rows:
        write_rows(replayed(evaluated.rows, evaluated.answers, evaluated.outcome_sets), folders.table("rows"))
    run.end_phase("rows")
    finish_run(evaluated, run, rows_in(folders.table("rows")) if options.rows else evaluated.known)


def summary(evaluated: EvaluatedTraffic) -> dict[str, dict[str, int]]:
    """Return the amount of traffic by verdict: worse, better, moved, unchanged."""
    return {change: asdict(weight) for change, weight in sorted(evaluated.totals.changes.items())}


def _write_gold(evaluated: EvaluatedTraffic) -> None:
    changes = differential(evaluated.answers, evaluated.outcome_sets)
    write_rows(changes.coalesce(1), evaluated.folders.table("differential"))
    write_rows(top_flows(changes, TOP_FLOWS).coalesce(1), evaluated.folders.table("top_flows"))
    write_rows(
        flow_matrix(evaluated.answers, evaluated.outcome_sets).coalesce(1), evaluated.folders.table("flow_matrix")
    )


def _summary_line(change: str, weight: TrafficWeight) -> str:
    return f"{change:<12}" + "".join(f"{number:>16,} {name}" for name, number in asdict(weight).items())
