"""A new result of a job as Delta tables, behind a path or a URL: it counts when `_run.json` names its files.

Nothing is renamed or locked. Each run writes its files into folders of its own in those of the tables. A commit to the
log of each table makes them count for any reader of Delta tables, and `_run.json`, put last, for ours and as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pipeline.files.file_system import delete, delete_empty, file_system
from pipeline.results.former_result import clear_former
from pipeline.results.free_folder import check_replaceable, unwritable
from pipeline.results.output_folder import read_record, write_record
from pipeline.results.run_names import unique_name
from pipeline.results.table_folders import PREFIX, TableFolders, result_place
from pipeline.results.table_logs import commit_tables
from pipeline.runtime.shutdown import SHUTDOWN


@dataclass(frozen=True, slots=True)
class NewTables:
    """A result that is being written."""

    folders: TableFolders
    versions: dict[str, int | None] = field(default_factory=dict)
    """The versions of its tables that may count by now: from the first on, its files stay."""

    def begin(self) -> None:
        """Leave a mark, by which a later run knows what this one left, should it be killed."""
        file_system(self.folders.place).put(self.folders.begun, b"")

    def restart(self) -> None:
        """Remove all that was written so far."""
        self.folders.clear()
        self.begin()

    def publish(self, record: dict[str, Any]) -> None:
        """Let the tables that the record names count from now on, in place of the former result. A signal waits.

        Raises `InputError` if another run wrote one of the tables meanwhile.
        """
        with SHUTDOWN.deferred():
            place = self.folders.place
            former = read_record(place)
            new = commit_tables(place, record, self.versions)
            write_record(place, new)
            delete(self.folders.work)
            delete_empty(self.folders.work.parent)
            clear_former(place, former, new)


@contextmanager
def new_tables(name: str) -> Iterator[NewTables]:
    """Begin a result of this name. Unless it is published, nothing of it stays; a later run removes what a killed one
    left.

    Raises `InputError` if the folder cannot be written, or holds anything but a result of the pipeline.
    """
    result = NewTables(TableFolders(result_place(name), unique_name(PREFIX)))
    try:
        check_replaceable(name)
        result.begin()
    except OSError as error:
        raise unwritable(name, error) from None
    try:
        yield result
    except BaseException:
        if not result.versions:
            result.folders.clear()
        raise
