"""Ingest a stream, such as a topic, into a lake: each batch of Spark's is a run of its own, and counts exactly once.

Rows come as a streaming DataFrame, from whatever source the session has a connector for. Each batch is written to
bronze as lines of JSON, and those are read, cleaned and quarantined as files are.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.files.file_system import files_in
from pipeline.files.location import spark_name
from pipeline.inputs.files import JSON, FileLayout, InputFile
from pipeline.jobs.batches import CHECKPOINT, BatchMark, empty_total, ingest_batches, is_committed
from pipeline.jobs.ingest import IngestOptions, write_run
from pipeline.jobs.stream_folders import check_there, folders_of
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import lake_for_writing, new_run
from pipeline.lake.tables import BRONZE
from pipeline.results.run_record import JobRun
from pipeline.runtime.intervals import spark_interval
from pipeline.schemas import COLUMNS
from routing.common.errors import InputError
from routing.common.sentence import say

VALUE: Final = "value"
"""The column with a row as JSON, text or bytes, as connectors of topics name it."""
MOMENTS: Final = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """Options of a stream."""

    name: str
    """Of the stream in its lake: its checkpoint and the places of rejected rows have it."""
    out: str
    every: str | None = None
    """The time between two batches, as `10 seconds`; None: end when everything that is there by now is ingested."""
    keep_duplicates: bool = False


def stream(rows: DataFrame, options: StreamOptions) -> JobRun:
    """Ingest a streaming DataFrame: of JSON in the column `value`, or of the columns of traffic. Returns when there is
    no more, or when its caller is interrupted.

    The checkpoint says which rows a batch has, the record of a run which batch it is: a batch that comes again after a
    kill counts once.
    """
    if not _NAME.fullmatch(options.name):
        raise InputError(options.name, "", say("must be a name of letters, digits, dots and dashes"))
    every = None if options.every is None else _interval(options.every)
    total, lines = empty_total("stream", asdict(options)), _as_lines(rows)
    check_there(folders := folders_of(rows))
    with lake_for_writing(options.out) as lake:

        def ingest(batch: DataFrame, mark: BatchMark) -> JobRun:
            return _ingest_batch(batch, lake, mark, options)

        ingest_batches(lines, lake.root / f"{CHECKPOINT}-{options.name}", every, ingest, total, folders)
    return total


def _interval(text: str) -> str:
    try:
        return spark_interval(text)
    except ValueError as fault:
        raise InputError("every", "", say("{reason}", reason=str(fault))) from None


def _as_lines(rows: DataFrame) -> DataFrame:
    """Return each row as a line of JSON; within a value, the end of a line means no more than a space."""
    if VALUE in rows.columns:
        # Unlike `translate`, this leaves bytes that are no character as they are.
        text = F.replace(F.replace(F.col(VALUE).cast("string"), F.lit("\n"), F.lit(" ")), F.lit("\r"), F.lit(" "))
        return rows.select(text.alias(VALUE))
    known = [name for name in rows.columns if name in COLUMNS]
    if not known:
        raise InputError("the stream", "", say("has neither a column named value nor one of traffic"))
    return rows.select(F.to_json(F.struct(*known), MOMENTS).alias(VALUE))


def _ingest_batch(batch: DataFrame, lake: Lake, mark: BatchMark, options: StreamOptions) -> JobRun:
    """Ingest a batch in one run, unless a run of the lake has it."""
    run = JobRun("stream", asdict(options))
    run.count(0, 0, {})
    lake = lake.opened()
    if is_committed(lake, mark):
        return run
    with new_run(lake) as tables:
        bronze = tables.table(BRONZE)
        batch.write.text(spark_name(bronze))
        files = [InputFile(place, FileLayout(JSON)) for place in files_in(bronze) if place.suffix == ".txt"]
        run.end_phase("bronze")
        if files:
            run.extra = mark.as_field()
            cleaning = IngestOptions("", options.out, options.keep_duplicates)
            write_run(batch.sparkSession, tables, files, run, cleaning, f"{options.name}/batch {mark.number}")
    return run
