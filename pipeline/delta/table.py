"""A Delta table: the files of each version, and commits that let files count that Spark wrote below its root."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction, create_table_with_add_actions
from pyspark.sql.types import StructType

from pipeline.delta.changes import TableChange, changes_in
from pipeline.delta.errors import OvertakenError, log_errors
from pipeline.delta.log_folder import LogFolder, clear_unfinished, commit_name, has_log, log_folder
from pipeline.delta.rewriting import WRITER_VERSION, RemovedFile, Rewriting
from pipeline.delta.transactions import transactions_in
from pipeline.delta.written_files import WrittenFile
from pipeline.files.location import Location, is_url, location
from routing.common.errors import InputError
from routing.common.sentence import say

_CONFIGURATION: Final = {"delta.checkpointInterval": "10"}
"""A log behind a URL is read file by file: from its last checkpoint on."""

_READER_VERSION: Final = 1
"""Tables of a later one have rows that count no more inside of files, or other names of columns."""
_COLUMNS: Final = ("path", "size_bytes", "num_records", "partition")


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file that counts in a version of a table."""

    path: str
    """Below the root of the table, with slashes."""
    place: Location
    partition: Mapping[str, str | None]
    bytes: int
    rows: int | None
    """None: its writer did not say."""
    logged: str = field(default="", compare=False)
    """The path as the log has it; empty: no log has it."""

    def as_removed(self) -> RemovedFile:
        """Return the file as a commit names it that takes it out of the table."""
        return RemovedFile(self.logged, self.partition, self.bytes)


@dataclass(frozen=True, slots=True)
class TableVersion:
    """A version of a table."""

    version: int
    files: tuple[TableFile, ...]
    transactions: Mapping[str, int]
    """The last number of each application that committed with one, in the order of commits."""
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableCommit:
    """Files that count from one moment on, and the applications that commit them."""

    files: Sequence[WrittenFile]
    _: KW_ONLY
    overwrite: bool = False
    """Only these files count from now on, and those of before do not."""
    removed: Sequence[TableFile] = ()
    """Files of before that do not count any more, while the others do."""
    transactions: Mapping[str, int] = field(default_factory=dict)
    """A number for each application. It outlasts the commit in checkpoints."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the commit in the history of the table."""


@dataclass(frozen=True, slots=True)
class DeltaLog:
    """The log of a table with columns and partitions. Nothing is read before it is asked."""

    root: Location
    schema: StructType
    partitions: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties that a new table gets, beside those that all have."""

    def exists(self) -> bool:
        """Return whether the table has a version."""
        return has_log(self.root)

    def version(self) -> int | None:
        """Return the number of the last version; None: there is no table."""
        found = self.read()
        return None if found is None else found.version

    def read(self, version: int | None = None) -> TableVersion | None:
        """Return a version of the table, by default the last; None: there is no table.

        Raises `InputError` if there is no such version, or the log is damaged.
        """
        if not self.exists():
            return None
        with log_errors(self.root), log_folder(self.root, whole=version is not None) as folder:
            table = _opened(folder, version)
            if (needed := table.protocol().min_reader_version) > _READER_VERSION:
                problem = say("its table needs a reader of version {needed} of Delta, not 1", needed=needed)
                raise InputError(str(self.root), "", problem)
            number = table.version()
            columns = tuple(one.name for one in table.schema().fields)
            return TableVersion(number, tuple(_files(table, self.root)), transactions_in(folder.log, number), columns)

    def changes(self) -> list[TableChange]:
        """Return the commits that the log still has, in their order."""
        with log_errors(self.root), log_folder(self.root, whole=True) as folder:
            return changes_in(folder.log, DeltaTable(folder.uri).version())

    def clear_unfinished(self) -> None:
        """Remove the half commit of a writer that was killed in the middle of it."""
        clear_unfinished(self.root)

    def commit(self, commit: TableCommit, after: int | None) -> int:
        """Let files count that are there, as the version after this one (None: there is no table yet); columns that
        are new to the table come with them. Returns the number of the new version.

        Raises `OvertakenError` if another commit came first; then nothing of this one counts.
        """
        with log_errors(self.root), log_folder(self.root) as folder:
            if after is None:
                return self._create(folder, commit)
            if not commit.overwrite:
                after = self._widen(folder, after)
            table = _table_at(folder, after)
            with _overtaken(folder, after):
                table.create_write_transaction(
                    [*map(_add_action, commit.files), *map(_remove_action, commit.removed)],
                    "overwrite" if commit.overwrite else "append",
                    self._columns(),
                    partition_by=[*self.partitions],
                    commit_properties=_properties(commit),
                )
            folder.publish(after + 1)
            return after + 1

    def rewrite(self, rewriting: Rewriting, after: int) -> int:
        """Let files take the place of others that have the same rows, as the version after this one. Returns the number
        of the new version.

        Raises `OvertakenError` if another commit came first, `InputError` if the table needs a newer writer.
        """
        with log_errors(self.root), log_folder(self.root) as folder:
            if (needed := _table_at(folder, after).protocol().min_writer_version) > WRITER_VERSION:
                problem = say("its table needs a writer of version {needed} of Delta, not 2", needed=needed)
                raise InputError(str(self.root), "", problem)
            folder.put_commit(after + 1, rewriting.text())
            return after + 1

    def _create(self, folder: LogFolder, commit: TableCommit) -> int:
        if self.exists():
            raise OvertakenError(self.root)
        with _overtaken(folder, -1):
            create_table_with_add_actions(
                folder.uri,
                self._columns(),
                [_add_action(file) for file in commit.files],
                partition_by=[*self.partitions],
                configuration={**_CONFIGURATION, **self.properties},
                commit_properties=_properties(commit),
            )
        folder.publish(0)
        return 0

    def _widen(self, folder: LogFolder, version: int) -> int:
        """Add the columns that a former version of the pipeline did not have, whose files have NULL there; returns the
        version of the table."""
        table = _table_at(folder, version)
        known = {one.name for one in table.schema().fields}
        more = [one for one in self._columns().fields if one.name not in known]
        if not more:
            return version
        with _overtaken(folder, version):
            table.alter.add_columns(more, commit_properties=CommitProperties(max_commit_retries=0))
        folder.publish(version + 1)
        return version + 1

    def _columns(self) -> Schema:
        """Return the columns as Delta has them, whose words are those of Spark. All may be NULL, so that files of
        before a column fit."""
        columns = StructType()
        for one in self.schema.fields:
            columns.add(one.name, one.dataType, nullable=True)
        return Schema.from_json(columns.json())


def _opened(folder: LogFolder, version: int | None) -> DeltaTable:
    """Return the table in a version, by default the last. Raises `InputError` if there is no such version, or a commit
    was cut off to nothing, which others take for one without files."""
    if (empty := folder.empty_commit()) is not None:
        raise InputError(str(folder.place), "", say("is damaged: the file {name} of its log is empty", name=empty))
    if version is not None and version > (last := DeltaTable(folder.uri).version()):
        raise InputError(
            str(folder.place), "", say("has no version {version}: the last is {last}", version=version, last=last)
        )
    return DeltaTable(folder.uri, version)


def _table_at(folder: LogFolder, version: int) -> DeltaTable:
    """Return the table. Raises `OvertakenError` unless this is its last version."""
    table = DeltaTable(folder.uri)
    if table.version() != version:
        raise OvertakenError(folder.place)
    return table


@contextmanager
def _overtaken(folder: LogFolder, version: int) -> Iterator[None]:
    """Raise `OvertakenError` if a commit after this version fails because there is one."""
    try:
        yield
    except (CommitFailedError, DeltaError):
        if (folder.log / commit_name(version + 1)).exists():
            raise OvertakenError(folder.place) from None
        raise


def _properties(commit: TableCommit) -> CommitProperties:
    """Return the properties of a commit. It is tried once: a second one would not know the commit between them."""
    applications = [Transaction(name, number) for name, number in commit.transactions.items()]
    return CommitProperties({**commit.about}, max_commit_retries=0, app_transactions=applications)


def _add_action(file: WrittenFile) -> AddAction:
    return AddAction(file.path, file.bytes, file.partition, file.modified, data_change=True, stats=file.statistics)


def _remove_action(file: TableFile) -> RemoveAction:
    moment = datetime.now(UTC).timestamp()
    return RemoveAction(file.path, True, int(moment * 1_000), file.bytes, {**file.partition})


def _files(table: DeltaTable, root: Location) -> Iterator[TableFile]:
    found = pa.table(table.get_add_actions())
    for row in found.select([name for name in found.column_names if name in _COLUMNS]).to_pylist():
        path = unquote(row["path"])
        place = location(path) if is_url(path) else root / path
        partition = {name: None if value is None else str(value) for name, value in row.get("partition", {}).items()}
        yield TableFile(path, place, partition, row["size_bytes"], row["num_records"], row["path"])
