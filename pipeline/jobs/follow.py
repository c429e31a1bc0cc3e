"""`pipeline ingest --follow`: ingests files as they arrive, until it is stopped."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import PurePosixPath

from pyspark.sql import DataFrame, SparkSession

from pipeline.files.file_system import exists
from pipeline.files.location import Location, decoded_uri, location, spark_name
from pipeline.jobs.batches import CHECKPOINT, BatchMark, empty_total, ingest_batches, is_committed
from pipeline.jobs.ingest import IngestOptions, ingest_files
from pipeline.jobs.stream_folders import check_there
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import lake_for_writing
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings, spark_session, start_for_urls

_OF_THIS_MACHINE = re.compile("^file:/+")
FILES_PER_BATCH = 1_000
FILE_SCHEMA = "path string, modificationTime timestamp, length long, content binary"
"""The schema of Spark's binaryFile source. Only the path is selected, so no content is read here."""


def follow(options: IngestOptions, settings: SparkSettings, every: str | None) -> JobRun:
    """Ingest each batch of new files in a run of its own; without an interval, end when there are no new files.

    Spark's checkpoint knows the files that were seen, the lake those that were committed: a batch that is repeated
    after a kill skips committed files.
    """
    total = empty_total("follow", asdict(options))
    start_for_urls(settings, options.traffic, options.out)
    folder = location(options.traffic)
    check_there([folder])
    with lake_for_writing(options.out) as lake:
        spark = spark_session(settings)
        names = _names_of_files(spark, options.traffic)
        ingest_batches(
            names,
            lake.root / CHECKPOINT,
            every,
            lambda found, mark: _ingest_batch(spark, lake, options, found, mark),
            total,
            [folder],
        )
    return total


def _names_of_files(spark: SparkSession, folder: str) -> DataFrame:
    """Return the streaming DataFrame of the paths of files, as they arrive."""
    found = (
        spark.readStream.format("binaryFile")
        .schema(FILE_SCHEMA)
        .option("recursiveFileLookup", "true")
        .option("maxFilesPerTrigger", str(FILES_PER_BATCH))
    )
    return found.load(spark_name(location(folder))).select("path")


def _ingest_batch(spark: SparkSession, lake: Lake, options: IngestOptions, found: DataFrame, mark: BatchMark) -> JobRun:
    """Ingest the files of a batch, unless a run of the lake has it: they may have changed since."""
    paths = [] if is_committed(lake, mark) else sorted(_path(row["path"], options) for row in found.collect())
    return ingest_files(spark, lake, [path for path in paths if exists(path)], options, mark.as_field())


def _path(name: str, options: IngestOptions) -> Location:
    """Return the place below the folder as the user named it."""
    root = location(options.traffic)
    below = PurePosixPath(_OF_THIS_MACHINE.sub("/", name)).relative_to(PurePosixPath(decoded_uri(root)))
    return root / below
