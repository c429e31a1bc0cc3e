"""Tables of a result, as Parquet files, and the record of the run."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame

from pipeline.files.file_system import file_system, read_bytes
from pipeline.files.location import Location, spark_name

RUN_RECORD = "_run.json"
QUARANTINE = "_quarantine"
PARQUET_OPTIONS = {
    # Two fifths smaller than with Spark's defaults, in less time, and read as quickly.
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    "parquet.writer.version": "v2",
    # A column with nearly as many values as rows gains nothing from a dictionary, which costs time.
    **{f"parquet.enable.dictionary#{name}": "false" for name in ("conversation_id", "at", "bytes")},
}
"""Options of Spark's Parquet writer."""


def write_rows(table: DataFrame, folder: Location, *partitions: str) -> None:
    """Append a table as Parquet files to a folder."""
    table.write.mode("append").options(**PARQUET_OPTIONS).partitionBy(*partitions).parquet(spark_name(folder))


def record_text(record: dict[str, Any]) -> bytes:
    """Return the content of the record of a run."""
    return f"{json.dumps(record, indent=1)}\n".encode()


def write_record(folder: Location, record: dict[str, Any], name: str = RUN_RECORD) -> None:
    """Write the record of a run as a whole; it lasts when this returns."""
    file_system(folder).put(folder / name, record_text(record))


def read_record(folder: Location) -> dict[str, Any] | None:
    """Return the record of the result in a folder; None: there is none, or none that was written to its end."""
    try:
        found = json.loads(read_bytes(folder / RUN_RECORD))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return found if isinstance(found, dict) else None
