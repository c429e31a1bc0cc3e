"""The tables of telemetry as a declared graph: it holds, and what it computes is what the job computes."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pipeline.jobs.graph import Options, graph
from pipeline.jobs.telemetry import TABLES, telemetry
from pipeline.jobs.telemetry import Options as TelemetryOptions
from pipeline.session import SparkSettings
from tests.pipeline.event_logs import random_log, write_log

SETTINGS = SparkSettings("local[2]")


def rows(folder: Path) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in pq.read_table(folder).to_pylist())


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_the_graph_computes_what_the_job_computes(tmp_path: Path) -> None:
    write_log(random_log(random.Random(3), 400), tmp_path / "log")
    graph(Options(str(tmp_path / "log"), str(tmp_path / "graph"), compute=True), SETTINGS)
    telemetry(TelemetryOptions(str(tmp_path / "log"), str(tmp_path / "job")), SETTINGS)
    for name in (*TABLES, "hops", "disagreements"):
        assert rows(tmp_path / "graph" / "spark-warehouse" / name) == rows(tmp_path / "job" / name), name
