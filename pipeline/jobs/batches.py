"""Batches of Structured Streaming that are runs of a lake: which of them a lake has, and the sum of their counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pipeline.files.file_system import read_bytes
from pipeline.files.location import Location
from pipeline.lake.lake import Lake
from pipeline.results.run_record import JobRun

CHECKPOINT: Final = "_checkpoint"
BATCH: Final = "batch"
"""The field of a run's record that says which batch it is."""


class BatchMark(NamedTuple):
    """A batch of a query: a batch that comes again has the same mark, and the same rows."""

    query: str
    """The identifier that the checkpoint keeps over all starts of the query."""
    number: int

    def as_field(self) -> dict[str, Any]:
        """Return the field of a run's record."""
        return {BATCH: self._asdict()}


def query_of(checkpoint: Location) -> str:
    """Return the identifier of the query with this checkpoint; a query writes it before its first batch."""
    return str(json.loads(read_bytes(checkpoint / "metadata"))["id"])


def is_committed(lake: Lake, mark: BatchMark) -> bool:
    """Return whether a run of the lake is this batch."""
    return any(record.get(BATCH) == mark._asdict() for record in lake.commits().values())


def empty_total(job: str, arguments: Mapping[str, Any]) -> JobRun:
    """Begin the sum of all batches."""
    total = JobRun(job, arguments)
    total.counts = dict.fromkeys(("in", "out", "quarantined"), 0)
    return total


def add_counts(total: JobRun, run: JobRun) -> None:
    """Add a batch to the sum, and print it."""
    for name, number in run.counts.items():
        total.counts[name] += number
    run.report()
