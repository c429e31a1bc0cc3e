"""Evaluate the classes of a traffic: the common part of `route` and `replay`, with their quarantine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from pipeline.evaluation.answer_history import AnswerHistory, HistoryBuilder
from pipeline.evaluation.answer_tables import AnswerTotals, AnswerWriter, write_outcome_sets
from pipeline.evaluation.change_moments import write_change_moments
from pipeline.evaluation.class_sums import DAY_US, MOMENT_US, ClassSums, class_keys_in, partial_sums_in
from pipeline.evaluation.evaluator import TimelineEvaluator
from pipeline.evaluation.timeline import Timeline
from pipeline.evaluation.weighting import ClassInterval, TrafficWeight, WeightAssignment
from pipeline.files.location import Location, spark_name
from pipeline.inputs.damaged_files import without_damaged_files
from pipeline.inputs.files import InputFile
from pipeline.inputs.quarantine import write_unreadable_files
from pipeline.inputs.reader import InputRows, as_quarantine_rows, count_rows
from pipeline.jobs.previous_result import KeptFiles
from pipeline.lake.traffic import TrafficInput
from pipeline.results.former_files import rows_of_former
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import new_tables
from pipeline.results.output_folder import write_rows
from pipeline.results.parquet_counts import parquet_files_in, reasons_of
from pipeline.results.run_record import JobRun
from pipeline.results.table_folders import TableFolders
from pipeline.runtime.session import SparkSettings, spark_session
from pipeline.schemas import ANSWERS, CHANGE_MOMENTS, OUTCOME_SETS
from pipeline.transforms.aggregation import partial_sums, sums_between, with_interval
from pipeline.transforms.cleaning import REASON, valid_rows, valid_rows_as_stored
from pipeline.transforms.day_partition import DAY
from pipeline.transforms.gold_tables import unknown_entry_rows

UNKNOWN_ENTRY = "unknown_entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedTraffic:
    """A traffic with the answers for all its classes and intervals."""

    source: InputRows
    rows: DataFrame
    """The valid rows, each with its interval."""
    answers: DataFrame
    outcome_sets: DataFrame
    totals: AnswerTotals
    folders: TableFolders
    change_moments: DataFrame | None
    """The moments at which answers change, by class; None if no answer changes."""

    @property
    def questions(self) -> int:
        """The number of answers: one for each class and interval."""
        return self.totals.unknown.questions + sum(weight.questions for weight in self.totals.changes.values())

    @property
    def known(self) -> int:
        """The number of rows with a known entry point."""
        return sum(weight.rows for weight in self.totals.changes.values())


def run_on_traffic(
    run: JobRun,
    out: str,
    traffic: TrafficInput,
    timelines: Sequence[Timeline],
    settings: SparkSettings,
    work: Callable[[SparkSession, list[InputFile], TableFolders], None],
) -> JobRun:
    """Do `work` with the files of a traffic and new folders, whose tables replace those of `out`. Where Spark finds a
    file damaged, `work` is done again without it."""
    run.inputs = _run_inputs(traffic, *timelines)
    run.end_phase("estates")
    with new_tables(out) as result:
        spark = spark_session(settings)
        run.end_phase("start")
        folders = result.folders
        without_damaged_files(traffic.files(), lambda files: work(spark, files, folders), result.restart)
        result.publish(run.as_json())
    return run


def evaluate(
    spark: SparkSession,
    source: InputRows,
    askers: tuple[TimelineEvaluator, TimelineEvaluator],
    boundaries: Sequence[datetime],
    folders: TableFolders,
) -> EvaluatedTraffic:
    """Evaluate each class, again whenever its answer may change while it has traffic."""
    work, rows, asking = folders.work, valid_rows(source.rows), HistoryBuilder(*askers)
    classes, sums = _class_sums(spark, source, rows, boundaries, work)
    keys = class_keys_in(classes)
    histories = asking.histories(keys, sums)
    has_changes = write_change_moments(histories, work / "change_moments")
    moments = _read(spark, work / "change_moments", CHANGE_MOMENTS) if has_changes else None
    weights = traffic_weights(valid_rows_as_stored(source.rows), histories, sums)
    totals = AnswerWriter(keys, histories, asking.outcome_sets).write(weights, work / "answers")
    write_outcome_sets(asking.outcome_sets, work / "sets")
    return EvaluatedTraffic(
        source=source,
        rows=with_interval(rows, moments),
        answers=_read(spark, work / "answers", ANSWERS),
        outcome_sets=_read(spark, work / "sets", OUTCOME_SETS),
        totals=totals,
        folders=folders,
        change_moments=moments,
    )


def _class_sums(
    spark: SparkSession, source: InputRows, rows: DataFrame, boundaries: Sequence[datetime], work: Location
) -> tuple[Sequence[Location], ClassSums]:
    """Return the files with the class keys, and the sums. A lake has both; for files they are computed first."""
    if source.sums:
        return source.classes, ClassSums(source.sums, DAY, DAY_US)
    condensed_rows = sums_between(rows.withColumn("rows", F.lit(1)), boundaries)
    write_rows(condensed_rows, work / "sums_between")
    files = parquet_files_in(work / "sums_between")
    return files, ClassSums(files, "at", MOMENT_US)


def traffic_weights(
    rows: DataFrame, histories: Mapping[int, AnswerHistory], sums: ClassSums
) -> Mapping[ClassInterval, TrafficWeight]:
    """Return the traffic of each class and interval: by the sums, and by rows where a sum spans several intervals."""
    assignment = WeightAssignment(histories, sums.length)
    assignment.add_sums(sums)
    if assignment.split_days:
        moments = sorted({moment for history in histories.values() for moment in history.change_moments})
        classes = {number for classes in assignment.split_days.values() for number in classes}
        found = partial_sums(rows, assignment.ranges(), classes, moments)
        assignment.add_partial_sums(partial_sums_in(found.toArrow()), moments)
        assignment.add_remainders()
    return assignment.weights


def _read(spark: SparkSession, folder: Location, schema: pa.Schema) -> DataFrame:
    """Read what the driver wrote; with the schema, Spark need not open the files to plan."""
    return spark.read.schema(from_arrow_schema(schema)).parquet(spark_name(folder))


def _run_inputs(traffic: TrafficInput, *timelines: Timeline) -> list[dict[str, Any]]:
    """Describe the inputs of a job for its record: estate documents and traffic."""
    return [*(version.as_json() for timeline in timelines for version in timeline.versions), *traffic.inputs()]


def finish_run(
    evaluated: EvaluatedTraffic,
    run: JobRun,
    written: int,
    kept: KeptFiles | None = None,
    new_rows: InputRows | None = None,
) -> None:
    """Write the quarantine and the counts: in = out + quarantined.

    `written`: rows that this run wrote, beside those in the kept files. `new_rows`: the rows that the kept files do not
    cover.
    """
    source, totals = evaluated.source, evaluated.totals
    quarantine = evaluated.folders.quarantine
    seen = count_rows(source)
    write_unreadable_files(source.faults, quarantine)
    if evaluated.known + totals.unknown.rows + len(source.faults) < seen:
        write_rows(as_quarantine_rows(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
    if totals.unknown.rows:
        source = new_rows or source
        unknown = unknown_entry_rows(
            with_interval(valid_rows(source.placed()), evaluated.change_moments), evaluated.answers
        )
        write_rows(as_quarantine_rows(source, unknown.withColumn(REASON, F.lit(UNKNOWN_ENTRY))), quarantine)
    out = written + (rows_of_former(kept.rows) if kept else 0)
    run.count(seen, out, reasons_of([*(kept.quarantine if kept else ()), *parquet_files_in(quarantine)]))
    run.extra |= table_manifest(evaluated.folders, kept.by_table if kept else {})
    run.end_phase("quarantine")
