"""The record of a run: rows in equal rows out plus rows in quarantine."""

from __future__ import annotations

import pytest

from pipeline.results.run_record import JobRun, RowCountError


def test_rows_that_came_are_out_or_in_quarantine() -> None:
    run = JobRun("ingest", {})
    run.count(5, 3, {"no service": 2, "no moment": 0})
    assert run.counts == {"in": 5, "out": 3, "quarantined": 2}
    assert run.reasons == {"no service": 2}


@pytest.mark.parametrize("rows_out", [2, 4])
def test_rows_that_were_lost_are_a_fault(rows_out: int) -> None:
    """Rows that were doubled are one too."""
    with pytest.raises(RowCountError):
        JobRun("ingest", {}).count(5, rows_out, {"no service": 2})
