"""The folders that a stream reads: an error where one is not there as the stream begins, a warning where it goes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from pipeline.files.file_system import exists, file_system, unreadable
from pipeline.files.location import Location, location
from routing.common.command_line import write_error
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

EVERY_S: Final = 10
"""Seconds between two looks at the folders of a query that runs."""
_PATTERN: Final = re.compile(r"[*?\[{]")
"""A part of a name that Hadoop reads as a pattern of several names."""


def folders_of(rows: DataFrame) -> list[Location]:
    """Return the folders of this machine or of a store that a streaming DataFrame reads; of names with a pattern, the
    folder above it. A topic has none."""
    java: Any = rows._jdf
    leaves = java.queryExecution().analyzed().collectLeaves()
    found = (leaves.apply(number) for number in range(leaves.size()))
    return [location(_without_pattern(name)) for leaf in found for name in _names_in(leaf)]


def _names_in(leaf: Any) -> Iterator[str]:
    """Yield the folders that a leaf of a plan names."""
    if leaf.getClass().getSimpleName() != "StreamingRelation":
        return
    source = leaf.dataSource()
    name = source.options().get("path")
    if name.isDefined():
        yield str(name.get())
    paths = source.paths()
    yield from (str(paths.apply(number)) for number in range(paths.size()))


def _without_pattern(name: str) -> str:
    found = _PATTERN.search(name)
    return name[: found.start()].rpartition("/")[0] or "/" if found else name


def check_there(folders: Iterable[Location]) -> None:
    """Raise `InputError` for a folder that is not there, as Spark reads no row then and says nothing, or that nobody
    may read."""
    for folder in folders:
        try:
            state = file_system(folder).state(folder)
            if state is not None and state.is_folder:
                next(iter(file_system(folder).listed(folder)), None)
        except OSError as error:
            raise unreadable(str(folder), error) from None
        if state is None:
            raise InputError(str(folder), "", say("is not there"))


class WatchedFolders:
    """The folders of a query that runs. The user is warned about each once when it goes, and once when it is back."""

    def __init__(self, folders: Iterable[Location]) -> None:
        self._there = dict.fromkeys(folders, True)

    def wait(self, query: StreamingQuery) -> None:
        """Wait until the query ends, and look at the folders meanwhile. Raises `InputError` for one that is not there
        at the end: nobody knows what it had."""
        while not query.awaitTermination(EVERY_S):
            self.look()
        check_there(self._there)

    def look(self) -> None:
        """Warn about each folder that has gone, or is back, since it was looked at last."""
        for folder, was_there in self._there.items():
            try:
                self._there[folder] = is_there = exists(folder)
            except (OSError, InputError):
                continue  # the query itself fails where a store does not answer
            if is_there != was_there:
                _warn(folder, _BACK if is_there else _GONE)


_GONE: Final = say("is not there any more; files are taken once it is back")
_BACK: Final = say("is back")


def _warn(folder: Location, problem: Sentence) -> None:
    write_error(f"warning: {folder}: {problem}\n")
