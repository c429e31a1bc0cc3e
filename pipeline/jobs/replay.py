"""`pipeline replay`: what a traffic met, and what it would have met under proposed routes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from pipeline.counting import rows_in
from pipeline.engine import Asker
from pipeline.epochs import boundaries_of
from pipeline.estates import Timeline, load_timeline
from pipeline.files import File
from pipeline.jobs.asking import Asked, ask, finish, inputs_of
from pipeline.output import replaced, write_record, write_rows
from pipeline.record import Run
from pipeline.session import SparkSettings, spark_session
from pipeline.surviving import emptied, surviving
from pipeline.traffic import Traffic, traffic_of
from pipeline.transforms.flowing import differential, flow_matrix, replayed, top_flows
from pipeline.weights import Weight

TOP = 100
"""Changed flows that are worth a look each."""


@dataclass(frozen=True, slots=True)
class Options:
    """Two estates, of which the first may be a history, and the traffic."""

    baseline: str
    proposed: str
    traffic: str
    out: str
    rows: bool = False
    """Also a row for each row of the input."""


def replay(options: Options, settings: SparkSettings) -> Run:
    """Writes the differential, weighted by the traffic; the flows that change most; and the flow matrix."""
    run = Run("replay", asdict(options))
    before, after = load_timeline(options.baseline), load_timeline(options.proposed)
    traffic = traffic_of(options.traffic)
    run.inputs = inputs_of(traffic, before, after)
    run.phase("estates")
    with replaced(options.out) as folder:
        spark = spark_session(settings)
        run.phase("start")
        surviving(
            traffic.files(),
            lambda files: _replay(spark, options, (traffic, before, after), files, folder, run),
            lambda: emptied(folder),
        )
        write_record(folder, run.as_json())
    return run


def _replay(
    spark: SparkSession,
    options: Options,
    asking: tuple[Traffic, Timeline, Timeline],
    files: list[File],
    folder: Path,
    run: Run,
) -> None:
    traffic, *sides = asking
    boundaries = boundaries_of(sides, traffic.span())
    before, after = (Asker(side) for side in sides)
    asked = ask(spark, traffic.open(spark, files), (before, after), boundaries, folder)
    run.more = {"summary": summary(asked), "intervals": len(boundaries) + 1, "questions": asked.questions}
    run.said = [_said(change, weight) for change, weight in sorted(asked.found.changes.items())]
    run.phase("ask")
    _write_gold(asked)
    run.phase("gold")
    if options.rows:
        write_rows(replayed(asked.rows, asked.answers, asked.sets), folder / "rows")
    run.phase("rows")
    finish(asked, run, rows_in(folder / "rows") if options.rows else asked.known)


def summary(asked: Asked) -> dict[str, dict[str, int]]:
    """How much of the traffic changes for the worse, for the better, otherwise, and not at all."""
    return {change: asdict(weight) for change, weight in sorted(asked.found.changes.items())}


def _write_gold(asked: Asked) -> None:
    changes = differential(asked.answers, asked.sets)
    write_rows(changes.coalesce(1), asked.folder / "differential")
    write_rows(top_flows(changes, TOP).coalesce(1), asked.folder / "top_flows")
    write_rows(flow_matrix(asked.answers, asked.sets).coalesce(1), asked.folder / "flow_matrix")


def _said(change: str, weight: Weight) -> str:
    return f"{change:<12}" + "".join(f"{number:>16,} {name}" for name, number in asdict(weight).items())
