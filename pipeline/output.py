"""The folder that a job writes: it appears whole or not at all, and a second run replaces the first."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from routing.common.errors import InputError
from routing.common.sentence import say

RECORD = "_run.json"
QUARANTINE = "_quarantine"
_NAMES = ("conversation_id", "from_instance", "from_database", "from_service", "to_service", "to_broker_instance")
WRITTEN = {
    # Two fifths smaller than with Spark's defaults, in less time, and read as quickly.
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    "parquet.writer.version": "v2",
    # Of columns with nearly as many values as rows, a dictionary costs much and is thrown away in the end.
    **{f"parquet.enable.dictionary#{name}": "false" for name in ("conversation_id", "at", "bytes")},
    # Rows come in the order of time: the least and the greatest name of a page say nothing.
    **{f"parquet.column.statistics.enabled#{name}": "false" for name in _NAMES},
}
"""How Parquet files are written."""


@contextmanager
def replaced(name: str) -> Iterator[Path]:
    """A new folder beside `name`, which takes its place when the block ends well.

    A process that is killed leaves the former result, or none; the next run clears up. Raises `InputError` where
    the folder holds anything but a former result.
    """
    folder = Path(name).absolute()
    staging, former = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    try:
        check_ours(name)
        for left in (staging, former):
            shutil.rmtree(left, ignore_errors=True)
        staging.mkdir(parents=True)
    except OSError as error:
        raise InputError(name, "", say("cannot be written: {reason}", reason=error.strerror or str(error))) from None
    try:
        yield staging
        if folder.exists():
            folder.rename(former)
        staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def check_ours(name: str) -> None:
    """Raises `InputError` unless the folder is absent, empty, or a former result."""
    folder = Path(name)
    if folder.exists() and not (folder.is_dir() and ((folder / RECORD).exists() or not any(folder.iterdir()))):
        raise InputError(name, "", say("holds something else than a result of the pipeline: name a new folder"))


def write_rows(table: DataFrame, folder: Path, *partitions: str) -> None:
    """A table as Parquet files straight in a folder that may hold others."""
    table.write.mode("append").options(**WRITTEN).partitionBy(*partitions).parquet(str(folder))


def write_record(folder: Path, record: dict[str, Any], name: str = RECORD) -> None:
    """The record of a run, whole or not at all, and on the disk before anything that relies on it."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f".{name}.new"
    with new.open("w", encoding="utf-8") as stream:
        json.dump(record, stream, indent=1)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    new.rename(folder / name)
