"""The tables of telemetry as a declared graph: it holds, and computes what a plain reading of the log says."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pipeline.jobs.graph import GraphOptions, graph
from pipeline.jobs.telemetry import TABLES
from pipeline.runtime.session import SparkSettings
from pipeline.runtime.spark_errors import GraphError
from tests.pipeline.estates import row, written
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.event_logs import random_log, write_log
from tests.pipeline.telemetry.tables import alike, table


def test_the_graph_holds(connect: str, tmp_path: Path) -> None:
    log = write_log(random_log(random.Random(3), 20), tmp_path / "log")
    graph(GraphOptions(log, str(tmp_path / "out")), SparkSettings(connect))
    record = json.loads((tmp_path / "out" / "_run.json").read_text())
    assert (record["job"], record["arguments"]["compute"]) == ("graph", False)


@pytest.mark.thorough("one program of Spark's for a refusal that it words itself; test_the_graph_holds runs the other")
def test_a_graph_that_does_not_hold_is_told_and_leaves_nothing(connect: str, tmp_path: Path) -> None:
    """Its log has none of the columns that the tables are made of."""
    log = Path(written(tmp_path / "log" / "a.jsonl", [row()])).parent
    with pytest.raises(GraphError):
        graph(GraphOptions(str(log), str(tmp_path / "out")), SparkSettings(connect))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.thorough("the same tables are computed and compared by the job of telemetry")
def test_the_graph_computes_what_a_plain_reading_says(connect: str, warehouse: Path, tmp_path: Path) -> None:
    rows = random_log(random.Random(3), 400)
    log = write_log(rows, tmp_path / "log")
    graph(GraphOptions(log, str(tmp_path / "out"), compute=True), SparkSettings(connect))
    for name in TABLES:
        assert alike(table(warehouse, name), getattr(naive, name)(rows)), name
    for name in ("hops", "disagreements"):
        assert alike(table(warehouse, name), getattr(naive, name)(rows, None)), name
