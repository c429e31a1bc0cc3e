"""`pipeline ingest --follow`: ingests files as they arrive, until it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Lock

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from pipeline.files import files_below
from pipeline.jobs.ingest import Options, ingest_files
from pipeline.lake import Lake, lake_for_writing
from pipeline.record import Run
from pipeline.session import SparkSettings, spark_session

CHECKPOINT = "_checkpoint"
FILES_A_BATCH = 1_000
A_FILE = "path string, modificationTime timestamp, length long, content binary"
"""What Spark tells of a file; only the path is asked for, so none is read here."""


def follow(options: Options, settings: SparkSettings, every: str | None) -> Run:
    """A run for each batch of new files, `every` so often; None: until there are none, then it ends.

    The checkpoint says which files were met, the lake which ones count: a batch that comes again after a kill finds
    its files known, or ingests them.
    """
    total = Run("follow", asdict(options))
    total.counts = dict.fromkeys(("in", "out", "quarantined"), 0)
    files_below(options.traffic)
    with lake_for_writing(options.out) as lake:
        spark, is_ingesting = spark_session(settings), Lock()

        def ingest_batch(found: DataFrame, _number: int) -> None:
            with is_ingesting:
                _ingest_batch(spark, lake, options, found, total)

        query = _started(spark, options.traffic, lake.root / CHECKPOINT, every, ingest_batch)
        try:
            query.awaitTermination()
        except KeyboardInterrupt:
            # Java has ended: what was being ingested fails, and comes again next time, or is in the lake just now.
            with is_ingesting:
                pass
    return total


def _started(
    spark: SparkSession,
    folder: str,
    checkpoint: Path,
    every: str | None,
    ingest_batch: Callable[[DataFrame, int], None],
) -> StreamingQuery:
    names = (
        spark.readStream.format("binaryFile")
        .schema(A_FILE)
        .option("recursiveFileLookup", "true")
        .option("maxFilesPerTrigger", str(FILES_A_BATCH))
        .load(folder)
        .select("path")
    )
    writer = names.writeStream.foreachBatch(ingest_batch).option("checkpointLocation", str(checkpoint))
    return (writer.trigger(processingTime=every) if every else writer.trigger(availableNow=True)).start()


def _ingest_batch(spark: SparkSession, lake: Lake, options: Options, found: DataFrame, total: Run) -> None:
    paths = sorted(_path(row["path"], options) for row in found.collect())
    run = ingest_files(spark, lake, [path for path in paths if path.exists()], options)
    for name, number in run.counts.items():
        total.counts[name] += number
    run.report()


def _path(name: str, options: Options) -> Path:
    """Below the folder as it was named."""
    root = Path(options.traffic)
    return root / Path(name.removeprefix("file:")).relative_to(root.resolve())
