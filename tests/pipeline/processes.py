"""The processes of a job, and whether it is writing: for tests that kill some of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def is_writing_rows(folder: Path) -> bool:
    """The rows themselves, not the questions that come first. Folders may go while they are looked through."""
    places = (
        Path(place).parts for place, _, files in os.walk(folder) if any(name.startswith("part-") for name in files)
    )
    return any("_temporary" in parts and "_work" not in parts for parts in places)


def children(pid: int) -> Iterator[int]:
    """The processes that this one started, which it alone can have."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            yield int(status.parent.name)
