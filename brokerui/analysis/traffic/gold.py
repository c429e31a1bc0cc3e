"""A result of the pipeline as it lies in its folder: its record, and its tables, checked before anything is used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from brokerui.analysis.traffic.result_files import ResultFolder, result_folder
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

RECORD = "_run.json"
FORMAT = "brokerui.gold/1"
JOBS = ("route", "replay", "telemetry")
"""Jobs whose results the product loads."""
BATCH = 10_000

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class GoldFile:
    """A file of a table, as the record has it."""

    table: str
    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Gold:
    """A result that is whole: every file is there and is what the record says."""

    folder: ResultFolder
    record: Mapping[str, Any]
    digest: str
    """Digest of the record."""
    job: str
    started: datetime
    files: tuple[GoldFile, ...]
    last: datetime | None
    """The last moment that a log covers; None: it is no result of a log, or of an empty one."""

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[Row]]:
        """The rows of a table in batches, with these columns."""
        for file in self.files:
            if file.table == table:
                yield from _read(self.folder, file.path, columns)


def read_gold(name: str) -> Gold:
    """The result in this folder. Raises `InputError` where it is none, or not whole."""
    folder = result_folder(name)
    content = _content(folder)
    try:
        gold = _gold(folder, content)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(_place(folder, RECORD), "", say("is not the record of a run of the pipeline")) from None
    for file in gold.files:
        _check(folder, file)
    return gold


def _content(folder: ResultFolder) -> bytes:
    try:
        with folder.opened(RECORD) as stream:
            found: bytes = stream.read()
    except FileNotFoundError:
        problem = say("is not the result of a run of the pipeline that was done: it has no {name}", name=RECORD)
        raise InputError(folder.name, "", problem) from None
    except OSError as error:
        raise _unreadable(_place(folder, RECORD), error) from None
    return found


def _place(folder: ResultFolder, path: str) -> str:
    return f"{folder.name}/{path}"


def _gold(folder: ResultFolder, content: bytes) -> Gold:
    record = json.loads(content)
    if record["format"] != FORMAT or record["job"] not in JOBS:
        problem = say("holds no result that can be loaded: those of {jobs} can", jobs=", ".join(JOBS))
        raise InputError(folder.name, "", problem)
    for number in (record["seconds"], *(record["counts"][name] for name in ("in", "out", "quarantined"))):
        float(number)
    files = tuple(_file(table, about) for table, of in record["tables"].items() for about in of["files"])
    digest = hashlib.sha256(content).hexdigest()
    last = (record.get("covers") or [None, None])[1]
    moments = datetime.fromisoformat(record["started"]), datetime.fromisoformat(last) if last else None
    return Gold(folder, record, digest, record["job"], moments[0], files, moments[1])


def _file(table: str, about: Mapping[str, Any]) -> GoldFile:
    path = str(about["path"])
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise ValueError(path)
    return GoldFile(table, path, int(about["rows"]), int(about["bytes"]), about.get("sha256", ""))


def _check(folder: ResultFolder, file: GoldFile) -> None:
    """Raise an error if the file cannot be read, or differs from the run record in size or digest."""
    path = _place(folder, file.path)
    try:
        if folder.size(file.path) != file.bytes:
            raise _damaged(path)
        if file.sha256:
            with folder.opened(file.path) as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            if found != file.sha256:
                raise _damaged(path)
    except OSError as error:
        raise _unreadable(path, error) from None


def _read(folder: ResultFolder, path: str, columns: Sequence[str]) -> Iterator[list[Row]]:
    # Most of the product runs without it.
    try:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError:
        problem = say("is not installed; it comes with brokerui[pipeline]")
        raise InputError("pyarrow", "", problem) from None
    try:
        with folder.opened(path) as stream, pq.ParquetFile(stream) as file:
            if missing := set(columns) - set(file.schema_arrow.names):
                problem = say("has no column {name}: it was written by another version", name=min(missing))
                raise InputError(_place(folder, path), "", problem)
            for batch in file.iter_batches(BATCH, columns=list(columns)):
                yield list(zip(*(batch.column(name).to_pylist() for name in columns), strict=True))
    except (OSError, pa.ArrowException):
        raise _damaged(_place(folder, path)) from None


def _damaged(path: str) -> InputError:
    return InputError(path, "", _DAMAGED)


def _unreadable(path: str, error: OSError) -> InputError:
    return InputError(path, "", say("cannot be read: {reason}", reason=error.strerror or str(error)))


_DAMAGED: Sentence = say("is not what the job wrote: it is damaged, or was changed")
