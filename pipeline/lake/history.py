"""The versions of a lake, as the log of its clean rows has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from pipeline.delta.changes import TableChange
from pipeline.files.location import Location
from pipeline.lake.commits import check_never_had_log
from pipeline.lake.tables import silver_log


@dataclass(frozen=True, slots=True)
class LakeVersion:
    """A version of the clean rows."""

    version: int
    at: datetime | None
    """The moment of its commit; None: its writer did not say."""
    operation: str
    """`ingest` or `compact`; of another program its own word, such as `DELETE`."""
    run: str
    """The name of the run that committed; empty: another program."""
    rows: int | None
    """The number of rows in this version; None: the log does not say it any more."""
    files: int


def versions_of(root: Location) -> list[LakeVersion]:
    """Return the versions that the log still has, the last one first; none for a lake without a log."""
    last = silver_log(root).read()
    if last is None:
        check_never_had_log(root)
        return []
    changes = [change for change in silver_log(root).changes() if change.version <= last.version]
    counts = [file.rows for file in last.files]
    rows = None if None in counts else sum(count or 0 for count in counts)
    return list(_versions(changes, rows, len(counts)))


def _versions(changes: Sequence[TableChange], rows: int | None, files: int) -> Iterator[LakeVersion]:
    """Yield the versions back from the last, whose numbers of rows and files are known."""
    known = {path: count for change in changes for path, count in change.added.items()}
    for change in reversed(changes):
        about = change.about
        operation = str(about.get("job", change.operation))
        yield LakeVersion(change.version, change.at, operation, str(about.get("run", "")), rows, files)
        more = [*change.added.values(), *(known.get(path) for path in change.removed)]
        if rows is None or None in more:
            rows = None
        else:
            rows += sum(known[path] or 0 for path in change.removed) - sum(one or 0 for one in change.added.values())
        files += len(change.removed) - len(change.added)
