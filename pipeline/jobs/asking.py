"""What `route` and `replay` share: traffic to questions, questions to answers, and what fits nothing to quarantine."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from pipeline.answers import Answered, Answers, write_sets
from pipeline.counting import reasons_in
from pipeline.courses import Asking, Course
from pipeline.engine import Asker
from pipeline.estates import Timeline
from pipeline.manifest import manifest
from pipeline.marks import write_marks
from pipeline.output import QUARANTINE, write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import Source, count_rows, quarantined
from pipeline.record import Run
from pipeline.schemas import ANSWERS, MARKS, SETS
from pipeline.sums import A_DAY, A_MOMENT, Sums, keys_in, parts_in
from pipeline.traffic import Traffic
from pipeline.transforms.cleaning import REASON, good, unwrapped
from pipeline.transforms.filing import DAY
from pipeline.transforms.flowing import unknown
from pipeline.transforms.weighing import condensed, parts, timed
from pipeline.weights import Question, Weighing, Weight

UNKNOWN_ENTRY = "unknown_entry"
WORK = "_work"
"""Questions and answers, while a job runs."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A traffic with the answers to all of its questions."""

    source: Source
    rows: DataFrame
    """The good ones, each with its interval."""
    answers: DataFrame
    sets: DataFrame
    found: Answered
    folder: Path
    marks: DataFrame | None
    """The moments at which answers change, by class; None where none ever does."""

    @property
    def questions(self) -> int:
        """How many answers there are to classes: each holds from one moment at which it changes to the next."""
        return self.found.unknown.questions + sum(weight.questions for weight in self.found.changes.values())

    @property
    def known(self) -> int:
        """Rows that have an answer."""
        return sum(weight.rows for weight in self.found.changes.values())


def ask(
    spark: SparkSession,
    source: Source,
    askers: tuple[Asker, Asker],
    boundaries: Sequence[datetime],
    folder: Path,
) -> Asked:
    """Asks the rules about each class, once more whenever its answer may change while there is traffic of it."""
    work, rows, asking = folder / WORK, good(source.rows), Asking(*askers)
    classes, sums = _summed(spark, source, rows, boundaries, work)
    keys = keys_in(classes)
    courses = asking.courses(keys, sums)
    marks = _read(spark, work / "marks", MARKS) if write_marks(courses, work / "marks") else None
    weights = weighed(unwrapped(source.rows), courses, sums)
    found = Answers(keys, courses, asking.sets).write(weights, work / "answers")
    write_sets(asking.sets, work / "sets")
    answers, sets = _read(spark, work / "answers", ANSWERS), _read(spark, work / "sets", SETS)
    return Asked(source, timed(rows, marks), answers, sets, found, folder, marks)


def _summed(
    spark: SparkSession, source: Source, rows: DataFrame, boundaries: Sequence[datetime], work: Path
) -> tuple[Sequence[Path], Sums]:
    """The folders of the classes, and the sums. A lake has both; of files they are found out first."""
    if source.sums:
        return source.classes, Sums(source.sums, DAY, A_DAY)
    condensed_rows = condensed(rows.withColumn("rows", F.lit(1)), boundaries)
    write_rows(condensed_rows, work / "condensed")
    return [work / "condensed"], Sums([work / "condensed"], "at", A_MOMENT)


def weighed(rows: DataFrame, courses: Mapping[int, Course], sums: Sums) -> Mapping[Question, Weight]:
    """What each question carried: by the sums, and by the rows where a sum is of more than one."""
    weighing = Weighing(courses, sums.length)
    weighing.add_sums(sums)
    if weighing.divided:
        moments = sorted({mark for course in courses.values() for mark in course.marks})
        classes = {number for classes in weighing.divided.values() for number in classes}
        found = parts(rows, weighing.stretches(), classes, moments)
        weighing.add_parts(parts_in(found.toArrow()), moments)
        weighing.add_rests()
    return weighing.weights


def _read(spark: SparkSession, folder: Path, schema: pa.Schema) -> DataFrame:
    """What the driver wrote; Spark need not look into the files to know what they hold."""
    return spark.read.schema(from_arrow_schema(schema)).parquet(str(folder))


def inputs_of(traffic: Traffic, *timelines: Timeline) -> list[dict[str, Any]]:
    """What a job reads, for its record: the documents, and the traffic."""
    return [*(version.as_json() for timeline in timelines for version in timeline.versions), *traffic.inputs()]


def finish(asked: Asked, run: Run, out: int, fresh: Source | None = None) -> None:
    """Quarantine, and the counts: in = out + quarantined. `fresh`: all that is not in quarantine already."""
    source, found = asked.source, asked.found
    quarantine = asked.folder / QUARANTINE
    seen = count_rows(source)
    write_faults(source.faults, quarantine)
    if asked.known + found.unknown.rows + len(source.faults) < seen:
        write_rows(quarantined(source, source.placed().where(F.col(REASON).isNotNull())), quarantine)
    if found.unknown.rows:
        source = fresh or source
        strange = unknown(timed(good(source.placed()), asked.marks), asked.answers)
        write_rows(quarantined(source, strange.withColumn(REASON, F.lit(UNKNOWN_ENTRY))), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    shutil.rmtree(asked.folder / WORK)
    run.more["tables"] = manifest(asked.folder)
    run.phase("quarantine")
