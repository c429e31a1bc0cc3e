"""A commit by which files take the place of others with the same rows, as a compaction makes it.

`deltalake` removes all files of a partition or none, and calls that a change of the data; so this commit is written
here. Readers of changes pass over it, because it says `dataChange: false`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from pipeline.delta.written_files import WrittenFile

WRITER_VERSION: Final = 2
"""Tables of a later one want more of a commit: numbers of rows, or changes beside the files."""
ENGINE: Final = "brokerui"
"""The name of the writer in the history of a table."""
_PLAIN: Final = "/=+:@!$&'()*,;~"
"""Characters of a path that the log has as they are."""


@dataclass(frozen=True, slots=True)
class RemovedFile:
    """A file that counts no more."""

    logged: str
    """Its path as the log has it."""
    partition: Mapping[str, str | None]
    bytes: int


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Files in place of others that have the same rows."""

    removed: Sequence[RemovedFile]
    added: Sequence[WrittenFile]
    _: KW_ONLY
    transactions: Mapping[str, int] = field(default_factory=dict)
    """A number for each application, as in any commit."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the commit in the history of the table."""

    def text(self) -> bytes:
        """Return the file of the commit, whose last line does not end: of a file that is cut off, each line does."""
        now = int(datetime.now(UTC).timestamp() * 1_000)
        return "\n".join(json.dumps(one, ensure_ascii=False) for one in self._actions(now)).encode()

    def _actions(self, now: int) -> Iterator[dict[str, Any]]:
        yield {"commitInfo": self._info(now)}
        for name, number in self.transactions.items():
            yield {"txn": {"appId": name, "version": number, "lastUpdated": now}}
        for removed in self.removed:
            yield {"remove": _removal(removed, now)}
        for added in self.added:
            yield {"add": _addition(added)}

    def _info(self, now: int) -> dict[str, Any]:
        metrics = {
            "numRemovedFiles": len(self.removed),
            "numAddedFiles": len(self.added),
            "numRemovedBytes": sum(file.bytes for file in self.removed),
            "numAddedBytes": sum(file.bytes for file in self.added),
        }
        return {
            "timestamp": now,
            "operation": "OPTIMIZE",
            "operationParameters": {},
            "operationMetrics": metrics,
            "engineInfo": ENGINE,
            **self.about,
        }


def _removal(file: RemovedFile, now: int) -> dict[str, Any]:
    return {
        "path": file.logged,
        "deletionTimestamp": now,
        "dataChange": False,
        "extendedFileMetadata": True,
        "partitionValues": dict(file.partition),
        "size": file.bytes,
    }


def _addition(file: WrittenFile) -> dict[str, Any]:
    return {
        "path": quote(file.path, safe=_PLAIN),
        "partitionValues": dict(file.partition),
        "size": file.bytes,
        "modificationTime": file.modified,
        "dataChange": False,
        "stats": file.statistics,
    }
