"""A new result of a job: it counts as a whole when it is published, and replaces the former one.

A plain folder is swapped with its successor. Behind a URL nothing is renamed: files are written where they stay, in a
folder of this run alone, and `_run.json`, which is put last, names the files that count.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import uuid4

from pipeline.files.file_system import delete, exists, file_system
from pipeline.files.location import Location, RemoteLocation, location
from pipeline.results.output_folder import RUN_RECORD, read_record, write_record
from pipeline.results.table_folders import PREFIX, is_of_files
from routing.common.errors import InputError
from routing.common.sentence import say

FOLDER: Final = "folder"
"""The field of a record that names the folder with the files of a result behind a URL."""
_STAMP: Final = "%Y%m%dT%H%M%SZ"
LEFT_FOR: Final = timedelta(days=1)
"""The age at which a folder that nobody published counts as left by a killed run."""


class NewResult(Protocol):
    """A result that is being written."""

    @property
    def folder(self) -> Location:
        """The folder to write into, which is new."""

    def publish(self, record: dict[str, Any]) -> None:
        """Let the result count from now on, in place of a former one."""


@contextmanager
def new_result(name: str) -> Iterator[NewResult]:
    """Begin a result of this name. Unless it is published, nothing of it stays; the next run removes what a killed one
    left.

    Raises `InputError` if the folder cannot be written, or holds anything but a result of the pipeline.
    """
    place = location(name)
    with _swapped(name, place) if isinstance(place, Path) else _named(name, place) as result:
        yield result


def check_replaceable(name: str) -> None:
    """Raise `InputError` unless the folder is absent, empty, or a result of the pipeline."""
    folder = location(name)
    state = file_system(folder).state(folder)
    if state is None or (state.is_folder and (exists(folder / RUN_RECORD) or _is_free(folder))):
        return
    raise InputError(name, "", say("holds something else than a result of the pipeline: name a new folder"))


def _is_free(folder: Location) -> bool:
    """Return whether a folder holds nothing but what killed runs left."""
    return all(
        state.is_folder and (is_of_files(place.name) or _is_free(place))
        for place, state in file_system(folder).listed(folder)
    )


def unwritable(name: str, error: OSError) -> InputError:
    """Say in one line why a folder that a user named cannot be written."""
    return InputError(name, "", say("cannot be written: {reason}", reason=error.strerror or str(error)))


# ---------------------------------------------------------------- plain folders


@dataclass(frozen=True, slots=True)
class SwappedResult:
    """A folder beside the former one, whose name it takes."""

    folder: Path
    place: Path
    former: Path

    def publish(self, record: dict[str, Any]) -> None:
        """Swap the folders."""
        write_record(self.folder, record)
        if self.place.exists():
            self.place.rename(self.former)
        self.folder.rename(self.place)


@contextmanager
def _swapped(name: str, place: Path) -> Iterator[SwappedResult]:
    place = place.absolute()
    staging, former = (place.with_name(f".{place.name}.{word}") for word in ("new", "old"))
    try:
        check_replaceable(name)
        for left in (staging, former):
            shutil.rmtree(left, ignore_errors=True)
        staging.mkdir(parents=True)
    except OSError as error:
        raise unwritable(name, error) from None
    try:
        yield SwappedResult(staging, place, former)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


# ---------------------------------------------------------------- behind a URL


@dataclass(frozen=True, slots=True)
class NamedResult:
    """A folder of this run alone; the record names its files."""

    folder: RemoteLocation
    place: RemoteLocation

    def publish(self, record: dict[str, Any]) -> None:
        """Put the record that names the files, and remove those that do not count any more."""
        former, own = read_record(self.place), self.folder.name
        write_record(self.place, {**record, FOLDER: own, **_below(own, record)})
        for place, _ in list(file_system(self.place).listed(self.place)):
            if place.name not in (own, RUN_RECORD) and _counts_no_more(place.name, former):
                delete(place)


def _counts_no_more(name: str, former: dict[str, Any] | None) -> bool:
    """Return whether a file or folder beside the new result is of the former one, or was left by a killed run."""
    if name.startswith(PREFIX):
        return is_left(name, PREFIX) or (former is not None and former.get(FOLDER) == name)
    # A former result that was written by its path lies in the folder itself.
    return former is not None and FOLDER not in former


def _below(folder: str, record: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a record with the names that their files have below the result."""
    if "tables" not in record:
        return {}
    tables = {
        table: {**about, "files": [{**file, "path": f"{folder}/{file['path']}"} for file in about["files"]]}
        for table, about in record["tables"].items()
    }
    return {"tables": tables}


@contextmanager
def _named(name: str, place: RemoteLocation) -> Iterator[NamedResult]:
    result = NamedResult(place / unique_name(PREFIX), place)
    try:
        check_replaceable(name)
    except OSError as error:
        raise unwritable(name, error) from None
    try:
        yield result
    finally:
        if (read_record(place) or {}).get(FOLDER) != result.folder.name:
            delete(result.folder)


def published_folder(place: Location) -> Location:
    """Return the folder with the files of a result: that which its record names, if it names one."""
    folder = (read_record(place) or {}).get(FOLDER)
    return place / folder if isinstance(folder, str) and folder.startswith(PREFIX) else place


def unique_name(prefix: str) -> str:
    """Return a name that no other run has, and that says when it was given."""
    return f"{prefix}{datetime.now(UTC):{_STAMP}}-{uuid4().hex[:8]}"


def is_left(name: str, prefix: str) -> bool:
    """Return whether a run that began long ago gave itself this name."""
    if not name.startswith(prefix):
        return False
    try:
        began = datetime.strptime(name.removeprefix(prefix).partition("-")[0], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return False
    return datetime.now(UTC) - began > LEFT_FOR
