"""The applications that committed to a table, each with its last number. `deltalake` tells one whose name is known.

Checkpoints keep them, so they outlast commits that were cleaned up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from pipeline.delta.log_folder import commit_name

_DIGITS: Final = 20
_ACTION: Final = "txn"


def transactions_in(log: Path, version: int) -> dict[str, int]:
    """Return the last number of each application in this version of a table, in the order of their commits."""
    start, found = -1, dict[str, int]()
    for checkpoint in _last_checkpoint(log, version):
        start = int(checkpoint.name[:_DIGITS])
        found |= _of_checkpoint(checkpoint)
    for number in range(start + 1, version + 1):
        found |= {one["appId"]: one["version"] for one in actions_in(log / commit_name(number), _ACTION)}
    return found


def actions_in(commit: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the actions of a kind in a commit."""
    with commit.open("rb") as lines:
        for line in lines:
            if line.lstrip().startswith(b'{"%s"' % kind.encode()):
                yield json.loads(line)[kind]


def _last_checkpoint(log: Path, version: int) -> list[Path]:
    """Return the files of the last checkpoint up to this version that is whole."""
    found: dict[str, list[Path]] = {}
    for file in log.glob("*.checkpoint*.parquet"):
        if int(file.name[:_DIGITS]) <= version:
            found.setdefault(file.name[:_DIGITS], []).append(file)
    return next((files for _, files in sorted(found.items(), reverse=True) if _is_whole(files)), [])


def _is_whole(files: list[Path]) -> bool:
    """Return whether a checkpoint has all its parts, which are named NUMBER.OF.parquet."""
    names = [file.name.split(".") for file in files]
    return all(len(name) != 5 or int(name[3]) == len(files) for name in names)


def _of_checkpoint(file: Path) -> dict[str, int]:
    rows = pq.ParquetFile(file).read(columns=[f"{_ACTION}.appId", f"{_ACTION}.version"]).to_pylist()
    return {row[_ACTION]["appId"]: row[_ACTION]["version"] for row in rows if (row[_ACTION] or {}).get("appId")}
