"""Operations of the pipeline on files, wherever they are, and the file system that does them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Final, Protocol

from pipeline.files.hadoop import HadoopFiles
from pipeline.files.local import LocalFiles
from pipeline.files.location import Location, location
from pipeline.files.state import FileState
from routing.common.errors import InputError
from routing.common.sentence import say

COPIED_BYTES: Final = 1 << 20


class FileSystem(Protocol):
    """The few operations that the pipeline needs. Renames, locks and atomic listings are none of them.

    Failures are `OSError`s: `FileNotFoundError`, `FileExistsError` and `PermissionError` mean what they say.
    """

    def state(self, place: Location) -> FileState | None:
        """Return the state of a file or folder; None: it is not there."""

    def listed(self, folder: Location) -> Iterator[tuple[Location, FileState]]:
        """Yield what a folder directly holds, in any order. A store may show a new file late."""

    def opened(self, file: Location) -> BufferedReader:
        """Open a file for reading at any position."""

    def created(self, file: Location) -> BufferedWriter:
        """Open a new file for writing, in a folder that need not be there."""

    def put(self, file: Location, content: bytes) -> None:
        """Write a small file, in place of one that is there."""

    def put_new(self, file: Location, content: bytes) -> None:
        """Write a small file. Raises `FileExistsError` if one of this name is there: of two writers one succeeds."""

    def copy(self, source: Location, target: Location) -> None:
        """Copy a file within the file system."""

    def delete(self, place: Location) -> None:
        """Remove a file, or a folder with all that it holds; nothing if it is not there."""

    def delete_empty(self, folder: Location) -> None:
        """Remove a folder unless it holds anything, whether a listing shows it or not."""


@dataclass(frozen=True, slots=True)
class FileSystems:
    """The file system of each kind of place."""

    local: FileSystem
    remote: FileSystem


FILE_SYSTEMS = FileSystems(LocalFiles(), HadoopFiles())


def file_system(place: Location) -> FileSystem:
    """Return the file system of a place."""
    return FILE_SYSTEMS.local if isinstance(place, Path) else FILE_SYSTEMS.remote


def state_of(place: Location) -> FileState:
    """Return the state of a file or folder. Raises `FileNotFoundError` if it is not there."""
    found = file_system(place).state(place)
    if found is None:
        raise FileNotFoundError(2, "No such file or directory", str(place))
    return found


def exists(place: Location) -> bool:
    """Return whether a file or folder is there."""
    return file_system(place).state(place) is not None


def is_folder(place: Location) -> bool:
    """Return whether a folder is there."""
    found = file_system(place).state(place)
    return found is not None and found.is_folder


def files_in(folder: Location) -> list[Location]:
    """Return the files directly in a folder, sorted; none if it is not there."""
    if not exists(folder):
        return []
    return sorted(place for place, state in file_system(folder).listed(folder) if not state.is_folder)


def read_bytes(file: Location) -> bytes:
    """Read a whole file."""
    with file_system(file).opened(file) as stream:
        return stream.read()


def copy_file(source: Location, target: Location) -> None:
    """Copy a file, also to another file system."""
    if isinstance(source, Path) == isinstance(target, Path):
        file_system(source).copy(source, target)
        return
    with file_system(source).opened(source) as stream, file_system(target).created(target) as copy:
        shutil.copyfileobj(stream, copy, COPIED_BYTES)


def delete(place: Location) -> None:
    """Remove a file, or a folder with all that it holds; nothing if it is not there."""
    file_system(place).delete(place)


def delete_empty(folder: Location) -> None:
    """Remove a folder unless it holds anything, whether a listing shows it or not; nothing if it is not there."""
    if is_folder(folder):
        file_system(folder).delete_empty(folder)


def folder_of(name: str) -> Location:
    """Return the folder that a user names; of a file, the folder that it is in."""
    named = location(name)
    return named if is_folder(named) else named.parent


def unreadable(name: str, error: OSError) -> InputError:
    """Say in one line why a place that a user named cannot be read."""
    return InputError(name, "", say("cannot be read: {reason}", reason=error.strerror or str(error)))


def check_readable(file: Location) -> None:
    """Raise `InputError` if a file cannot be read."""
    try:
        with file_system(file).opened(file) as stream:
            stream.read(1)
    except OSError as error:
        raise unreadable(str(file), error) from None
