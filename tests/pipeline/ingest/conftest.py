"""One lake for the tests that look at lakes: making it takes longer than most of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import row, written


@pytest.fixture(scope="package")
def three_runs(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of three runs and two days that no test alters, beside what it has read; the second run has no clean
    row."""
    folder = tmp_path_factory.mktemp("three_runs")
    runs = [[row(1), row(2, at="2026-03-02T00:00:00Z")], [row(1)], [row(3), {"at": "never"}]]
    for number, rows in enumerate(runs):
        written(folder / "in" / f"{number}.jsonl", rows)
        ingest(IngestOptions(str(folder / "in"), str(folder / "lake")), SparkSettings("local[2]"))
    return folder / "lake"
