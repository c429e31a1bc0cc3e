"""A result behind a URL of a program that writes as it likes, `spark-pipelines`: in a folder of its run, which counts
when `_run.json` names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.files.file_system import delete, file_system
from pipeline.files.location import Location
from pipeline.results.free_folder import check_replaceable, unwritable
from pipeline.results.output_folder import read_record, write_record
from pipeline.results.run_names import is_left, unique_name
from pipeline.results.table_folders import PREFIX, result_place
from pipeline.results.table_logs import FOLDER
from pipeline.runtime.shutdown import SHUTDOWN


@dataclass(frozen=True, slots=True)
class FolderOfRun:
    """A folder of this machine in which the program runs, and the one behind the URL that gets its tables."""

    folder: Path
    place: Location
    name: str

    @property
    def tables(self) -> Location:
        return self.place / self.name

    def publish(self, record: dict[str, Any]) -> None:
        """Let the tables count, in place of the former ones, which are removed with what killed runs left. A signal
        waits."""
        with SHUTDOWN.deferred():
            former = (read_record(self.place) or {}).get(FOLDER)
            write_record(self.place, {**record, FOLDER: self.name})
            for found, _ in list(file_system(self.place).listed(self.place)):
                if found.name != self.name and (found.name == former or is_left(found.name, PREFIX)):
                    delete(found)


@contextmanager
def remote_folder(name: str) -> Iterator[FolderOfRun]:
    """Begin a result of this name. Unless it is published, nothing of it stays.

    Raises `InputError` if the folder cannot be read, or holds anything but a result of the pipeline.
    """
    try:
        check_replaceable(name)
    except OSError as error:
        raise unwritable(name, error) from None
    with TemporaryDirectory(prefix="brokerui-") as folder:
        result = FolderOfRun(Path(folder), result_place(name), unique_name(PREFIX))
        try:
            yield result
        except BaseException:
            with suppress(Exception):  # the Java that reaches the URL may have ended
                delete(result.tables)
            raise
