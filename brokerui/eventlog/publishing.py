"""From complete files of JSON lines to Parquet, which appears whole, once, under its final name."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from brokerui.eventlog.schema import BOOLEAN, COLUMNS, INTEGER, MOMENT, SMALL, TEXT, Values, event_of, row_of
from brokerui.eventlog.stage import OPEN, SUFFIX, staged

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)
ROWS_AT_ONCE: Final = 20_000
"""Rows of one row group, the most that is in memory at a time."""
DAY: Final = "date="


def publish(folder: Path) -> int:
    """Every complete file; gives how many events that were. Raises `OSError`, and then the others stay for later."""
    done = 0
    for stage in sorted((folder / OPEN).glob(f"*{SUFFIX}")):
        with _taken(stage) as is_ours:
            if is_ours:
                done += _publish(folder, stage)
    return done


@contextmanager
def _taken(stage: Path) -> Iterator[bool]:
    """Take the right to publish a file that no process writes or publishes any more; it lapses after a while."""
    try:
        descriptor = os.open(stage, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = stage.exists()
    except BlockingIOError:
        is_ours = False
    try:
        yield is_ours
    finally:
        os.close(descriptor)


def _publish(folder: Path, stage: Path) -> int:
    source = stage.stem
    target = folder / f"{DAY}{_day_of(source)}" / f"{source}.parquet"
    rows = 0
    if not target.exists():  # else the process that wrote it was killed before it removed the stage
        target.parent.mkdir(mode=0o700, exist_ok=True)
        rows = _write(stage, target)
    stage.unlink()
    return rows


def _day_of(source: str) -> date:
    """`events-20261120T184500Z-…`"""
    return datetime.strptime(source.split("-")[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).date()


def _write(stage: Path, target: Path) -> int:
    """Gives how many rows; a file without rows is not made."""
    from pyarrow import parquet  # noqa: PLC0415 - 40 MB that only this task needs

    schema, written = _arrow_schema(), 0
    rows = _rows(stage)
    some = list(islice(rows, ROWS_AT_ONCE))
    if not some:
        return 0
    hidden = target.with_name(f".{target.name}.tmp")
    try:
        with parquet.ParquetWriter(hidden, schema, compression="zstd") as writer:
            while some:
                writer.write_batch(_batch(some, schema))
                written += len(some)
                some = list(islice(rows, ROWS_AT_ONCE))
        _to_disk(hidden)
        hidden.rename(target)
        _to_disk(target.parent)
    finally:
        hidden.unlink(missing_ok=True)
    return written


def _rows(stage: Path) -> Iterator[Values]:
    host = socket.gethostname()
    for position, (instance, at, number, values) in enumerate(staged(stage), start=1):
        whose = {"source": stage.stem, "position": position, "at": at, "host": host, "instance": instance}
        yield {**row_of(event_of(number, values)), **whose}


def _arrow_schema() -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - the same

    kinds = {TEXT: pa.string(), INTEGER: pa.int64(), SMALL: pa.int32(), BOOLEAN: pa.bool_()}
    kinds[MOMENT] = pa.timestamp("ms", tz="UTC")
    return pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])


def _batch(rows: list[Values], schema: pa.Schema) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - the same

    columns = [pa.array([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.record_batch(columns, schema)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_old(folder: Path, days: int, today: date) -> None:
    """Folders of days that are longer ago; none if `days` is 0."""
    for path in folder.glob(f"{DAY}*") if days else ():
        try:
            day = date.fromisoformat(path.name.removeprefix(DAY))
        except ValueError:
            continue
        if day < today - timedelta(days=days):
            shutil.rmtree(path, ignore_errors=True)
