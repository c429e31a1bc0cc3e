"""What `route` and `replay` share: traffic to questions, questions to answers, and what fits nothing to quarantine."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from pipeline.counting import reasons_in
from pipeline.engine import Answered, Asker, answer, write_sets
from pipeline.epochs import Epochs
from pipeline.estates import Timeline
from pipeline.files import files_below, identity
from pipeline.lake import Lake, is_lake
from pipeline.manifest import manifest
from pipeline.output import QUARANTINE, write_rows
from pipeline.quarantine import write_faults
from pipeline.reading import Source, count_rows, quarantined
from pipeline.record import Run
from pipeline.transforms.cleaning import REASON
from pipeline.transforms.flowing import unknown
from pipeline.transforms.weighing import questions, timed

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
    epochs: Epochs

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
    rows = timed(source.rows, epochs)
    work = folder / WORK
    write_rows(questions(rows, source.classes), work / "questions")
    found = answer(work / "questions", *askers, work / "answers")
    write_sets(found, work / "sets")
    answers, sets = (spark.read.parquet(str(work / name)) for name in ("answers", "sets"))
    return Asked(source, rows, answers, sets, found, folder, epochs)


def inputs_of(traffic: str, *timelines: Timeline) -> list[dict[str, Any]]:
    """What a job reads, for its record: the documents, and the files of the traffic or the runs of a lake."""
    documents = [version.as_json() for timeline in timelines for version in timeline.versions]
    if is_lake(traffic):
        lake = Lake(Path(traffic).absolute())
        return [*documents, {"path": str(lake.root), "runs": sorted(lake.commits())}]
    return [*documents, *map(identity, files_below(traffic))]


def finish(asked: Asked, run: Run, out: int) -> None:
    """Quarantine, and the counts: in = out + quarantined."""
    source, found = asked.source, asked.found
    quarantine = asked.folder / QUARANTINE
    seen = count_rows(source)
    write_faults(source.faults, quarantine)
    if asked.known + found.unknown.rows + len(source.faults) < seen:
        write_rows(quarantined(source, source.placed.where(F.col(REASON).isNotNull())), quarantine)
    if found.unknown.rows:
        strange = unknown(timed(source.placed, asked.epochs), asked.answers).withColumn(REASON, F.lit(UNKNOWN_ENTRY))
        write_rows(quarantined(source, strange), quarantine)
    run.count(seen, out, reasons_in(quarantine))
    shutil.rmtree(asked.folder / WORK)
    run.more["tables"] = manifest(asked.folder)
    run.phase("quarantine")
