"""Files that a URL names, through the file systems of Hadoop in the Java of the Spark session, with its settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any, Final

from pyspark import SparkContext

from pipeline.files.hadoop_errors import reported
from pipeline.files.hadoop_streams import HadoopReader, HadoopWriter
from pipeline.files.local import LocalFiles
from pipeline.files.location import Location, RemoteLocation
from pipeline.files.state import FileState

BUFFER_BYTES: Final = 1 << 20
CONDITIONAL: Final = "fs.option.create.conditional.overwrite"
"""The option of S3A by which the store itself refuses a second file of one name."""
_MILLISECOND: Final = 1_000_000


class HadoopFiles:
    """The file systems of `file://`, `hdfs://` and whatever else the session has classes for."""

    def state(self, place: Location) -> FileState | None:
        """Return the state of a file or folder; None: it is not there."""
        try:
            with reported(place):
                store, path = _reached(place)
                return _state(store.getFileStatus(path))
        except FileNotFoundError:
            _check_not_hidden(place)
            return None

    def listed(self, folder: Location) -> Iterator[tuple[Location, FileState]]:
        """Yield what a folder directly holds."""
        with reported(folder):
            store, path = _reached(folder)
            found = store.listStatus(path)
            states = [(status.getPath().getName(), _state(status)) for status in found]
        for name, state in states:
            yield folder / name, state

    def opened(self, file: Location) -> BufferedReader:
        """Open a file for reading at any position."""
        with reported(file):
            store, path = _content(file)
            size = store.getFileStatus(path).getLen()
            raw = HadoopReader(store.open(path), size, file)
        return BufferedReader(raw, BUFFER_BYTES)

    def created(self, file: Location) -> BufferedWriter:
        """Open a new file for writing; folders come with it."""
        with reported(file):
            store, path = _content(file)
            raw = HadoopWriter(store.create(path, True), file)
        return BufferedWriter(raw, BUFFER_BYTES)

    def put(self, file: Location, content: bytes) -> None:
        """Write a small file with one call. Where the file system shows files that are being written, it is no record
        until it is whole."""
        with self.created(file) as stream:
            stream.write(content)

    def put_new(self, file: Location, content: bytes) -> None:
        """Write a small file, by the condition of the store where it has one. Raises `FileExistsError`."""
        with reported(file):
            store, path = _content(file)
            made = store.createFile(path).overwrite(False).recursive().opt(CONDITIONAL, "true").build()
            try:
                made.write(content)
            finally:
                made.close()

    def copy(self, source: Location, target: Location) -> None:
        """Copy a file within Java."""
        with reported(target):
            (of, path), (to, copy) = _content(source), _content(target)
            java = _context()._jvm
            java.org.apache.hadoop.fs.FileUtil.copy(of, path, to, copy, False, True, to.getConf())

    def delete(self, place: Location) -> None:
        """Remove a file, or a folder with all that it holds."""
        with reported(place), suppress(FileNotFoundError):
            store, path = _reached(place)
            store.delete(path, True)

    def delete_empty(self, folder: Location) -> None:
        """Remove a folder unless it holds anything, which the file system itself finds out."""
        with suppress(OSError), reported(folder):
            store, path = _reached(folder)
            store.delete(path, False)


def _check_not_hidden(place: Location) -> None:
    """Raise `PermissionError` for a place of this machine in a folder that nobody may look into: Java says that it is
    not there."""
    if isinstance(place, RemoteLocation) and place.store.startswith("file:"):
        try:
            LocalFiles().state(Path(place.path))
        except PermissionError as error:
            raise PermissionError(error.errno, error.strerror, str(place)) from None
        except OSError:
            return


def _context() -> Any:
    found = SparkContext._active_spark_context
    assert found is not None, "a job with a URL starts Spark first"
    return found


def _reached(place: Location) -> tuple[Any, Any]:
    """Return Java's file system and path of a place."""
    context = _context()
    path = context._jvm.org.apache.hadoop.fs.Path(str(place))
    return path.getFileSystem(context._jsc.hadoopConfiguration()), path


def _content(file: Location) -> tuple[Any, Any]:
    """Return Java's file system and path of a file to read or write. On this machine Hadoop keeps a checksum beside
    each file, which does not fit once the file is replaced by its path: it is neither written nor asked."""
    store, path = _reached(file)
    return (store.getRawFileSystem() if str(file).startswith("file:") else store), path


def _state(status: Any) -> FileState:
    if status.isDirectory():
        return FileState(is_folder=True)
    return FileState(False, int(status.getLen()), int(status.getModificationTime()) * _MILLISECOND)
