"""The Spark session of a job: from `local[*]` on a laptop to a cluster, by two settings."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipeline.files.location import is_url
from pipeline.runtime.java import check_limits, java_home
from pipeline.runtime.java_classes import kept_classes
from pipeline.runtime.shutdown import SHUTDOWN
from pipeline.runtime.spark_errors import spark_has_ended
from routing.common.errors import InputError
from routing.common.sentence import say

LOCAL = "local[*]"
HERE = Path(__file__).resolve().parent
JAVA_OPTIONS = (
    f"-Dlog4j2.configurationFile={(HERE / 'log4j2.properties').as_uri()}",
    "-XX:+UseParallelGC",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)
"""The last two silence warnings of newer Java versions about Spark; older ones ignore them (the option before)."""
FIXED_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # Names compare byte by byte, also those of columns.
    "spark.sql.caseSensitive": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Only names of ASCII change their case here. The tables of ICU for all others take two seconds to load.
    "spark.sql.icu.caseMappings.enabled": "false",
    # Otherwise each call that makes a column costs three more calls to Java, to show its Python line in an error.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # The standard type, a third smaller than Spark's old INT96.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Otherwise one thread per column reads the whole column of a row group into off-heap memory; when that is full the
    # thread ends, and the job waits five minutes before it fails.
    "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
    # Java never compiles a larger method: then Spark shall not fuse the operators of a stage into one.
    "spark.sql.codegen.hugeMethodLimit": "8000",
    # Writes this many days at once; only with more does Spark sort the rows by day first.
    "spark.sql.maxConcurrentOutputFileWriters": "64",
    # Otherwise each task with up to 200 partitions opens a file for each, for a few rows.
    "spark.shuffle.sort.bypassMergeThreshold": "16",
    # The second attempt of a task replaces the output of the first.
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "1",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Where a job runs, and with which settings of Spark."""

    master: str | None = None
    """None: where `spark-submit` was told to run it, else `LOCAL`."""
    memory: str = "1g"
    """Heap of the driver; with `local[…]` the driver does all the work."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Further settings of Spark; they override the defaults of the pipeline."""


def spark_session(settings: SparkSettings) -> SparkSession:
    """Return the session of this process, or start one. Raises `InputError` if there is no Java, or it does not
    start."""
    if (running := SparkSession.getActiveSession()) is not None:
        _prepare(running, settings)
        return running
    wanted = SparkConf().setAppName("brokerui").setAll([*spark_configuration(settings).items()])
    if master := _master(settings):
        wanted.setMaster(master)
    if not _is_submitted():
        check_limits()
        os.environ["JAVA_HOME"] = java_home()
        # Workers run the Python of this process, not the `python3` on the PATH.
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        if _is_local(settings):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    _start_java(wanted)
    gateway: Any = SparkContext._gateway
    SparkContext._jvm = gateway.jvm = kept_classes(gateway.jvm)
    session = _started(wanted, settings)
    SHUTDOWN.own_java(getattr(SparkContext._gateway, "proc", None), _silence_of(SparkContext._jvm))
    return session


def _start_java(wanted: SparkConf) -> None:
    """Start Java, unless `spark-submit` has. Raises `InputError` if it ends at once, after its own words on standard
    error."""
    try:
        with SHUTDOWN.deferred():
            SparkContext._ensure_initialized(conf=wanted)
    except PySparkException as failure:
        if failure.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        problem = say("did not start; its own words above say why, such as too little memory (--memory, ulimit -v)")
        raise InputError("Java", "", problem) from None


def _silence_of(java: Any) -> Callable[[], object]:
    """Return the call that ends the log of Java, in which tasks fail one after the other while it ends. Only then are
    its classes looked for."""

    def silence() -> None:
        log4j = java.org.apache.logging.log4j
        log4j.core.config.Configurator.setAllLevels("", log4j.Level.OFF)

    return silence


def _started(wanted: SparkConf, settings: SparkSettings) -> SparkSession:
    try:
        return SparkSession.builder.config(conf=wanted).getOrCreate()
    except Py4JJavaError as failure:
        if not spark_has_ended(failure):
            raise
        problem = say("does not answer, or gives no place to run: is this the address of a running master?")
        raise InputError(_master(settings) or "Spark", "", problem) from None


def release_session() -> None:
    """Let go of what a job left in Python and Java, before the next one begins in the same session. Where Java has
    ended, the next job starts another."""
    gc.collect()
    java = SparkContext._jvm
    if java is None:
        return
    try:
        if (session := SparkSession.getActiveSession()) is not None:
            session.catalog.clearCache()
            java.System.gc()
    except (Py4JError, OSError):
        _forget_java()


def _forget_java() -> None:
    """Have PySpark start a new Java for the next session."""
    if (context := SparkContext._active_spark_context) is not None:
        with suppress(Py4JError, OSError):
            context.stop()
    if (gateway := SparkContext._gateway) is not None:
        with suppress(Py4JError, OSError):
            gateway.shutdown()
    SHUTDOWN.own_java(None)
    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = None


def start_for_urls(settings: SparkSettings, *names: str | None) -> None:
    """Start the session before anything is read, if one of the names is a URL: only Java reads those."""
    if any(name is not None and is_url(name) for name in names):
        spark_session(settings)


def spark_configuration(settings: SparkSettings) -> dict[str, str]:
    """Return all settings of Spark for a job; none of a driver's Java that runs already."""
    local = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    # `default`: added to the extraJavaOptions of the user.
    driver = {"spark.driver.memory": settings.memory, "spark.driver.defaultJavaOptions": " ".join(JAVA_OPTIONS)}
    return {
        **FIXED_SETTINGS,
        **(local if _is_local(settings) else {}),
        **({} if _is_submitted() else driver),
        **settings.extra,
    }


def _master(settings: SparkSettings) -> str | None:
    """Return where the job runs; None: where `spark-submit` was told."""
    return settings.master or (None if _is_submitted() else LOCAL)


def _is_local(settings: SparkSettings) -> bool:
    return (_master(settings) or "").startswith("local")


def _is_submitted() -> bool:
    """Return whether a Java of `spark-submit` started this process: its memory and options are given by then."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _prepare(running: SparkSession, settings: SparkSettings) -> None:
    """Give a session that somebody else may have started the settings that a job depends on."""
    for name, value in {**FIXED_SETTINGS, **settings.extra}.items():
        # A session gives every setting that it does not know to the file system, without this beginning.
        own = name.removeprefix("spark.hadoop.")
        if own != name or running.conf.isModifiable(name):
            running.conf.set(own, value)
