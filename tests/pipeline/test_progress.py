"""`--watched`: the progress of a job that is under way."""

from __future__ import annotations

from pipeline.jobs.progress import STAGES, stage_of
from pipeline.results.run_record import JobRun


def test_the_stage_is_the_first_one_that_has_not_ended() -> None:
    run = JobRun("ingest", {})
    assert stage_of(run) == "bronze"
    run.end_phase("bronze")
    assert stage_of(run) == "silver"
    for stage in STAGES["ingest"]:
        run.end_phase(stage)
    assert stage_of(run) == ""
