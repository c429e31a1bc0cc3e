"""The records of the runs of a lake, in `_commits`: a run counts when its record stands there.

Readers and writers of a lake learn from here alone which runs there are, and which number the next one has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Final

from pipeline.files.file_system import exists, file_system, files_in, read_bytes
from pipeline.files.location import Location, RemoteLocation
from pipeline.results.output_folder import record_text

COMMITS: Final = "_commits"
FOLDER, FILES = "folder", "files"
"""Fields of the record of a run behind a URL: the name of its folders, and its files by table."""
_RECORD: Final = re.compile(r"run=[0-9]+[.]json")
_READ: Final[dict[tuple[RemoteLocation, int, int], bytes]] = {}
"""Records behind URLs that this process has read, by size and time of change: a record is never altered."""


def record_files(root: Location) -> list[Location]:
    """Return the files of the records in their order, also of those that a listing does not show yet."""
    found = [place for place in files_in(root / COMMITS) if _RECORD.fullmatch(place.name)]
    while isinstance(root, RemoteLocation) and exists(following := root / COMMITS / f"{run_after(found)}.json"):
        found.append(following)
    return found


def record_contents(root: Location, runs: Set[str] | None) -> dict[str, bytes]:
    """Return the records of these runs, or of all. Behind a URL, one that is not whole was never committed."""
    found = {place.stem: _content(place) for place in record_files(root) if runs is None or place.stem in runs}
    return {name: content for name, content in found.items() if isinstance(root, Path) or _is_whole(content)}


def run_after(records: Sequence[Location]) -> str:
    """Return the name of the run that follows those of these records."""
    last = max((int(place.stem.removeprefix("run=")) for place in records), default=0)
    return f"run={last + 1:06}"


def put_record(root: Location, run: str, record: dict[str, object]) -> None:
    """Let a run count. Raises `FileExistsError` if another run of this name counts already."""
    file_system(root).put_new(root / COMMITS / f"{run}.json", record_text(record))


def _content(file: Location) -> bytes:
    if isinstance(file, Path):
        return read_bytes(file)
    state = file_system(file).state(file)
    if state is None:
        return b""
    key = (file, state.size, state.modified)
    if key not in _READ:
        _READ[key] = read_bytes(file)
    return _READ[key]


def _is_whole(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True
