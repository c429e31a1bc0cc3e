"""Batches of Structured Streaming that are runs of a lake: a query from its start to its end, and which of its batches
a lake has.

The record of a run says which batch it is, and the log names the run: both count by one commit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any, Final, NamedTuple

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pipeline.files.file_system import read_bytes
from pipeline.files.location import Location, spark_name
from pipeline.jobs.stream_folders import WatchedFolders
from pipeline.lake.lake import Lake
from pipeline.results.run_record import JobRun

CHECKPOINT: Final = "_checkpoint"
_NOTHING: Final = pa.table({"nothing": pa.array([], pa.int64())})
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


def ingest_batches(
    rows: DataFrame,
    checkpoint: Location,
    every: str | None,
    ingest: Callable[[DataFrame, BatchMark], JobRun],
    total: JobRun,
    folders: Iterable[Location] = (),
) -> None:
    """Ingest a streaming DataFrame of these folders batch by batch, and add each run to the total; without an interval,
    end when there is no more. A batch that is being committed when the user interrupts is committed to its end. The
    failure of a batch is raised as it is, not as Spark's words about it."""
    is_ingesting, failures, watched = Lock(), list[Exception](), WatchedFolders(folders)

    def ingest_batch(batch: DataFrame, number: int) -> None:
        with is_ingesting:
            try:
                add_counts(total, ingest(batch, BatchMark(_query_of(checkpoint), number)))
            except Exception as failure:
                failures.append(failure)
                raise

    session = rows.sparkSession
    query = _started(rows, checkpoint, every, ingest_batch)
    try:
        watched.wait(query)
    except KeyboardInterrupt:
        # Java has ended: the current batch fails and is repeated next time, or is just being committed.
        with is_ingesting:
            pass
    except StreamingQueryException:
        if failures:
            raise failures[0] from None
        raise
    finally:
        _make_active(session)


def _started(
    rows: DataFrame, checkpoint: Location, every: str | None, ingest_batch: Callable[[DataFrame, int], None]
) -> StreamingQuery:
    writer = rows.writeStream.foreachBatch(ingest_batch).option("checkpointLocation", spark_name(checkpoint))
    return (writer.trigger(processingTime=every) if every else writer.trigger(availableNow=True)).start()


def _make_active(session: SparkSession) -> None:
    """Let the caller go on in this session: a batch has one of its own, which may be the active one by now. Where Java
    has ended, as it has when the user interrupts, there is none to go on in.

    Making a table is the one public way: it begins by making its session the active one, in Python and in Java.
    """
    with suppress(Py4JError, OSError):
        session.createDataFrame(_NOTHING)


def _query_of(checkpoint: Location) -> str:
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
