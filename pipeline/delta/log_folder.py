"""The log of a table as files of this machine, on which `deltalake` works.

A log of this machine is used where it lies. One in any other store is fetched: its files are read by the file system of
the data, with the session's own settings, and a commit is put back there as one new file. So each store that Spark
writes to has tables, and no key of a store is handed on. Files are found by their names: a listing may be late.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from pipeline.delta.damage import cut_off, damage_named
from pipeline.delta.errors import OvertakenError
from pipeline.delta.rewriting import ENGINE
from pipeline.files.file_system import delete, exists, file_system, read_bytes
from pipeline.files.location import Location, RemoteLocation
from routing.common.errors import InputError

LOG: Final = "_delta_log"
LAST_CHECKPOINT: Final = "_last_checkpoint"
_OF_THIS_MACHINE: Final = ("file://", "file://localhost")
_WITHOUT_LAST_END: Final = ("delta-rs", ENGINE)
"""Names of writers that do not end the last line of a commit."""
UNFINISHED_FOR: Final = timedelta(minutes=10)
"""The age at which a commit that is not whole was left by a killed writer."""


@dataclass(frozen=True, slots=True)
class LogFolder:
    """The root of a table on this machine. Only the log needs to be there."""

    root: Path
    place: Location
    """Where the table is."""

    @property
    def log(self) -> Path:
        """The folder with the files of the log."""
        return self.root / LOG

    @property
    def uri(self) -> str:
        """The root as `deltalake` takes it, which decodes a plain path too."""
        return self.root.as_uri()

    @property
    def is_fetched(self) -> bool:
        """Return whether the files are copies of those of a store."""
        return _here(self.place) is None

    def empty_commit(self) -> str | None:
        """Return the name of a commit without content; None: there is none."""
        found = sorted(file.name for file in self.log.glob("*.json") if not file.stat().st_size)
        return found[0] if found else None

    def put_commit(self, version: int, content: bytes) -> None:
        """Write the file of a commit, and a checkpoint after it. Raises `OvertakenError` if there is one of this
        number."""
        try:
            file_system(self.log).put_new(self.log / commit_name(version), content)
        except FileExistsError:
            raise OvertakenError(self.place) from None
        with suppress(DeltaError, OSError):  # readers do without a checkpoint: the commit counts
            DeltaTable(self.uri).create_checkpoint()
        self.publish(version)

    def publish(self, version: int) -> None:
        """Put a commit that was made here into the store, with its checkpoint. Raises `OvertakenError` if the store has
        one of this number."""
        if not self.is_fetched:
            return
        files = file_system(self.place)
        try:
            files.put_new(self.place / LOG / commit_name(version), (self.log / commit_name(version)).read_bytes())
        except FileExistsError:
            raise OvertakenError(self.place) from None
        made = [file for file in self.log.glob(f"{version:020}.checkpoint*.parquet") if file.is_file()]
        for file in made:
            files.put(self.place / LOG / file.name, file.read_bytes())
        if made:
            files.put(self.place / LOG / LAST_CHECKPOINT, (self.log / LAST_CHECKPOINT).read_bytes())


@contextmanager
def log_folder(place: Location, *, whole: bool = False) -> Iterator[LogFolder]:
    """Yield the log of the table at this place; `whole`: with the commits from before its last checkpoint."""
    if (here := _here(place)) is not None:
        with damage_named(here / LOG, place):
            yield LogFolder(here, place)
        return
    with TemporaryDirectory(prefix="delta-log-") as folder:
        root = Path(folder)
        (root / LOG).mkdir()
        _fetch(place, root / LOG, whole=whole)
        with damage_named(root / LOG, place):
            yield LogFolder(root, place)


def has_log(place: Location) -> bool:
    """Return whether there is a table at this place."""
    return exists(place / LOG / commit_name(0)) or exists(place / LOG / LAST_CHECKPOINT)


def commit_name(version: int) -> str:
    """Return the name of the file of a commit."""
    return f"{version:020}.json"


def clear_unfinished(place: Location) -> None:
    """Remove the last commit if a killed writer left it half written, where the store shows such files."""
    if _here(place) is not None:
        return  # there a commit gets its name when it is whole
    last = next(reversed([*_commits(place / LOG, _checkpoint(place / LOG)[0] + 1)]), None)
    if last is None or _is_whole(read_bytes(last)):
        return
    state = file_system(place).state(last)
    written = datetime.fromtimestamp((state.modified if state else 0) / 1e9, UTC)
    if datetime.now(UTC) - written > UNFINISHED_FOR:
        delete(last)


def _here(place: Location) -> Path | None:
    """Return the path of a place of this machine, unless `deltalake` mistakes it: it decodes `%20` in each name, and
    takes `\\` for a slash."""
    if isinstance(place, RemoteLocation) and place.store not in _OF_THIS_MACHINE:
        return None
    path = place.absolute() if isinstance(place, Path) else Path(place.path)
    return path if unquote(str(path)) == str(path).replace("\\", "/") else None


def _fetch(place: Location, copies: Path, *, whole: bool) -> None:
    log = place / LOG
    version, names = _checkpoint(log)
    for name in names:
        (copies / name).write_bytes(read_bytes(log / name))
    for file in [*_earlier(log, version, whole=whole), *_commits(log, version + 1)]:
        content = read_bytes(file)
        if not _is_whole(content):
            if not exists(log / commit_name(int(file.stem) + 1)):
                break  # its writer is at work, or was killed: it does not count
            content = read_bytes(file)  # the next commit came when it was whole, perhaps a moment ago
            if not _is_whole(content):
                raise InputError(str(place), "", cut_off(file.name))
        (copies / file.name).write_bytes(content)


def _commits(log: Location, first: int) -> Iterator[Location]:
    """Yield the commits from this one on, until one is not there."""
    for version in count(first):
        if not exists(file := log / commit_name(version)):
            return
        yield file


def _earlier(log: Location, version: int, *, whole: bool) -> list[Location]:
    """Return the commit of a checkpoint, which names its moment; `whole`: with those before it that nobody removed."""
    files: list[Location] = []
    while version >= 0 and (whole or not files) and exists(file := log / commit_name(version)):
        files.append(file)
        version -= 1
    return files[::-1]


def _checkpoint(log: Location) -> tuple[int, list[str]]:
    """Return the version of the last checkpoint and the names of its files; -1 if there is none."""
    try:
        about: dict[str, Any] = json.loads(read_bytes(log / LAST_CHECKPOINT))
        version, parts = int(about["version"]), int(about.get("parts") or 0)
    except (FileNotFoundError, ValueError, KeyError):
        return -1, []
    stem = f"{version:020}.checkpoint"
    names = [f"{stem}.{number:010}.{parts:010}.parquet" for number in range(1, parts + 1)] or [f"{stem}.parquet"]
    return version, [*names, LAST_CHECKPOINT]


def _is_whole(content: bytes) -> bool:
    """Return whether a commit was written to its end. Spark ends the last line as any other; writers of here do not, so
    that a file of theirs that ends with a line was cut off there."""
    if content.endswith(b"\n"):
        return not _writer(content).startswith(_WITHOUT_LAST_END) and _is_whole(content.rstrip())
    try:
        json.loads(content.rpartition(b"\n")[2])
    except ValueError:
        return False
    return True


def _writer(content: bytes) -> str:
    try:
        found = json.loads(content.partition(b"\n")[0])
        return str(found["commitInfo"]["engineInfo"])
    except (ValueError, KeyError, TypeError):
        return ""
