"""Files of this machine, by Python itself."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from stat import S_ISDIR
from typing import Final

from pipeline.files.location import Location
from pipeline.files.state import FileState

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class LocalFiles:
    """The file system of plain paths."""

    def state(self, place: Location) -> FileState | None:
        """Return the state of a file or folder; None: it is not there."""
        try:
            found = _path(place).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _state(found)

    def listed(self, folder: Location) -> Iterator[tuple[Location, FileState]]:
        """Yield what a folder directly holds."""
        for path in _path(folder).iterdir():
            try:
                yield path, _state(path.stat())
            except FileNotFoundError:
                continue  # removed meanwhile, or a link to nothing

    def opened(self, file: Location) -> BufferedReader:
        """Open a file for reading."""
        return _path(file).open("rb")

    def created(self, file: Location) -> BufferedWriter:
        """Open a new file for writing."""
        path = _path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")

    def put(self, file: Location, content: bytes) -> None:
        """Write a file that appears whole, and is on the disk when this returns."""
        path = _path(file)
        new = path.with_name(f".{path.name}.new")
        with self.created(new) as stream:
            _write_to_disk(stream, content)
        new.rename(path)

    def put_new(self, file: Location, content: bytes) -> None:
        """Write a file that appears whole. Raises `FileExistsError`."""
        path = _path(file)
        new = path.with_name(f".{path.name}.new-{os.getpid()}")
        with self.created(new) as stream:
            _write_to_disk(stream, content)
        try:
            os.link(new, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with path.open("xb") as stream:
                _write_to_disk(stream, content)
        finally:
            new.unlink()

    def copy(self, source: Location, target: Location) -> None:
        """Copy a file. A volume that is full is that of the copy, where Python names the file that is read."""
        _path(target).parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(_path(source), _path(target))
        except OSError as error:
            if error.errno in _FULL:
                raise OSError(error.errno, error.strerror, str(target)) from None
            raise

    def delete(self, place: Location) -> None:
        """Remove a file, or a folder with all that it holds."""
        path = _path(place)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    def delete_empty(self, folder: Location) -> None:
        """Remove a folder unless it holds anything."""
        with suppress(OSError):
            _path(folder).rmdir()


def _path(place: Location) -> Path:
    assert isinstance(place, Path), place
    return place


def _state(found: os.stat_result) -> FileState:
    return FileState(S_ISDIR(found.st_mode), found.st_size, found.st_mtime_ns)


def _write_to_disk(stream: BufferedWriter, content: bytes) -> None:
    stream.write(content)
    stream.flush()
    os.fsync(stream.fileno())
