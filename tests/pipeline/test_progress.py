"""`--watched`: the progress of a job that is under way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.jobs.progress import STAGES, stage_of
from pipeline.jobs.route import RouteOptions, route
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import TO_PARTS, document, row, written

SETTINGS = SparkSettings("local[2]")


def test_the_stage_is_the_first_one_that_has_not_ended() -> None:
    run = JobRun("ingest", {})
    assert stage_of(run) == "bronze"
    run.end_phase("bronze")
    assert stage_of(run) == "silver"
    for stage in STAGES["ingest"]:
        run.end_phase(stage)
    assert stage_of(run) == ""


@pytest.mark.usefixtures("spark")
def test_the_stages_are_those_that_the_jobs_record(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(row(1)))
    estate = written(tmp_path / "estate" / "e.json", document(TO_PARTS))
    traffic, out = str(tmp_path / "a.json"), str(tmp_path / "out")
    jobs = [
        ingest(IngestOptions(traffic, str(tmp_path / "lake")), SETTINGS),
        route(RouteOptions(estate, traffic, out), SETTINGS),
    ]
    for run in jobs:
        assert run.finished_phases == set(STAGES[run.job])
