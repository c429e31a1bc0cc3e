"""The Spark session of a job: from `local[*]` on a laptop to a cluster, by two settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from pipeline.ending import ENDING
from pipeline.java import java_home

HERE = Path(__file__).resolve().parent
JAVA_OPTIONS = (
    f"-Dlog4j2.configurationFile={(HERE / 'log4j2.properties').as_uri()}",
    "-XX:+UseParallelGC",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)
"""The last two keep newer Javas from warning of what Spark does; older ones do not know them."""
FIXED = {
    "spark.sql.session.timeZone": "UTC",
    # A name is what it is, byte by byte; so is the name of a column.
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Else each call that makes a column asks Java three times more, to say in an error where in Python it was made.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # What others read too, and a third smaller than Spark's old format.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Else a thread for each column takes the whole column of a group of rows at a time, outside of the heap; where that
    # has no room left the thread ends, and the job waits five minutes for it before it fails.
    "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
    # Java compiles no method of more bytes, it interprets it for ever: then rather code that is not made for a stage.
    "spark.sql.codegen.hugeMethodLimit": "8000",
    # So many days are written side by side; only for more are the rows sorted by day first.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    # Else each task of up to 200 partitions opens a file for each of them, for a few rows.
    "spark.shuffle.sort.bypassMergeThreshold": "16",
    # A second attempt of a task replaces what the first one left.
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "1",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """What a job may be told about where it runs."""

    master: str = "local[*]"
    memory: str = "1g"
    """Of the driver, which is everything on one machine."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Any setting of Spark; comes before our own."""


def spark_session(settings: SparkSettings) -> SparkSession:
    """A new session, or the one that this process has. Raises `InputError` where there is no Java."""
    if (running := SparkSession.getActiveSession()) is not None:
        return running
    os.environ["JAVA_HOME"] = java_home()
    # Workers run what this process runs, not whatever `python3` is on the PATH.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if settings.master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    wanted = SparkConf().setAppName("brokerui").setMaster(settings.master).setAll([*configuration(settings).items()])
    with ENDING.undisturbed():
        SparkContext._ensure_initialized(conf=wanted)
    session = SparkSession.builder.config(conf=wanted).getOrCreate()
    ENDING.writes_for_us(getattr(SparkContext._gateway, "proc", None))
    return session


def configuration(settings: SparkSettings) -> dict[str, str]:
    """The settings of Spark that a job runs with."""
    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    return {
        **FIXED,
        **(local if settings.master.startswith("local") else {}),
        "spark.driver.memory": settings.memory,
        # Beside what a user gives as extra ones.
        "spark.driver.defaultJavaOptions": " ".join(JAVA_OPTIONS),
        **settings.more,
    }
