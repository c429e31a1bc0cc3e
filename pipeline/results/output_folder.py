"""The output folder of a job: it appears whole or not at all, and a second run replaces the first."""

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

RUN_RECORD = "_run.json"
QUARANTINE = "_quarantine"
_NAME_COLUMNS = (
    "conversation_id",
    "from_instance",
    "from_database",
    "from_service",
    "to_service",
    "to_broker_instance",
)
PARQUET_OPTIONS = {
    # Two fifths smaller than with Spark's defaults, in less time, and read as quickly.
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    "parquet.writer.version": "v2",
    # A column with nearly as many values as rows gains nothing from a dictionary, which costs time.
    **{f"parquet.enable.dictionary#{name}": "false" for name in ("conversation_id", "at", "bytes")},
    # Rows are in the order of time: minimum and maximum of a name in a page would filter nothing.
    **{f"parquet.column.statistics.enabled#{name}": "false" for name in _NAME_COLUMNS},
}
"""Options of Spark's Parquet writer."""


@contextmanager
def replaced_folder(name: str) -> Iterator[Path]:
    """Yield a new folder beside `name`; it replaces `name` when the block ends without an error.

    If the process is killed, the previous result stays, or there is none; the next run removes the remains.
    Raises `InputError` if the folder holds anything but a result of the pipeline.
    """
    folder = Path(name).absolute()
    staging, former = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    try:
        check_replaceable(name)
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


def check_replaceable(name: str) -> None:
    """Raise `InputError` unless the folder is absent, empty, or a result of the pipeline."""
    folder = Path(name)
    if folder.exists() and not (folder.is_dir() and ((folder / RUN_RECORD).exists() or not any(folder.iterdir()))):
        raise InputError(name, "", say("holds something else than a result of the pipeline: name a new folder"))


def write_rows(table: DataFrame, folder: Path, *partitions: str) -> None:
    """Append a table as Parquet files to a folder."""
    table.write.mode("append").options(**PARQUET_OPTIONS).partitionBy(*partitions).parquet(str(folder))


def write_record(folder: Path, record: dict[str, Any], name: str = RUN_RECORD) -> None:
    """Write the record of a run atomically, and sync it to the disk before returning."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f".{name}.new"
    with new.open("w", encoding="utf-8") as stream:
        json.dump(record, stream, indent=1)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    new.rename(folder / name)
