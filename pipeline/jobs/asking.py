"""What `route` and `replay` share: traffic to questions, questions to answers, and what fits nothing to quarantine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.counting import reasons_in
from pipeline.engine import Answered, Asker, answer, write_sets
from pipeline.epochs import Epochs
from pipeline.estates import Timeline
from pipeline.lake import CLASSES_TYPE, SUMS_TYPE
from pipeline.manifest import manifest
from pipeline.marks import write_marks
from pipeline.output import QUARANTINE, write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import Source, count_rows, quarantined
from pipeline.record import Run
from pipeline.schemas import KEYS
from pipeline.traffic import Traffic
from pipeline.transforms.cleaning import CLASS, REASON, good
from pipeline.transforms.flowing import unknown
from pipeline.transforms.weighing import condensed, questions, sums_or_rows, timed

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
    """The moments that matter for each class; None where nothing ever changes."""

    @property
    def questions(self) -> int:
        """How often the rules were asked."""
        return self.found.unknown.questions + sum(weight.questions for weight in self.found.changes.values())

    @property
    def known(self) -> int:
        """Rows that have an answer."""
        return sum(weight.rows for weight in self.found.changes.values())


def ask(spark: SparkSession, source: Source, askers: tuple[Asker, Asker], epochs: Epochs, folder: Path) -> Asked:
    """Asks the rules once for each class in each interval that the traffic has."""
    work = folder / WORK
    rows = good(source.rows)
    weighable, folders = _weighable(spark, rows, source.classes, epochs, work)
    marks = _marks(spark, folders, epochs, work)
    if source.sums:
        sums = spark.read.schema(SUMS_TYPE).parquet(*map(str, source.sums))
        weighable = sums_or_rows(sums, weighable, marks, epochs.boundaries)
    classes = spark.read.schema(CLASSES_TYPE).parquet(*map(str, folders))
    write_rows(questions(timed(weighable, marks), classes), work / "questions")
    found = answer(work / "questions", *askers, epochs, work / "answers")
    write_sets(found, work / "sets")
    answers, sets = (spark.read.parquet(str(work / name)) for name in ("answers", "sets"))
    return Asked(source, timed(rows, marks), answers, sets, found, folder, marks)


def _weighable(
    spark: SparkSession, rows: DataFrame, classes: Sequence[Path], epochs: Epochs, work: Path
) -> tuple[DataFrame, Sequence[Path]]:
    """What is to be weighed, and the folders of its classes. A lake knows these; of files they are found out first."""
    if classes:
        return rows.withColumn("rows", F.lit(1)), classes
    write_rows(condensed(rows.withColumn("rows", F.lit(1)), epochs.boundaries), work / "condensed")
    found = spark.read.parquet(str(work / "condensed"))
    write_rows(found.select(*KEYS, CLASS).dropDuplicates(), work / "classes")
    return found, [work / "classes"]


def _marks(spark: SparkSession, classes: Sequence[Path], epochs: Epochs, work: Path) -> DataFrame | None:
    if not epochs.boundaries:
        return None
    write_marks(classes, epochs, work / "marks")
    return spark.read.parquet(str(work / "marks"))


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
        write_rows(quarantined(source, source.placed.where(F.col(REASON).isNotNull())), quarantine)
    if found.unknown.rows:
        source = fresh or source
        strange = unknown(timed(good(source.placed), asked.marks), asked.answers)
        write_rows(quarantined(source, strange.withColumn(REASON, F.lit(UNKNOWN_ENTRY))), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    shutil.rmtree(asked.folder / WORK)
    run.more["tables"] = manifest(asked.folder)
    run.phase("quarantine")
