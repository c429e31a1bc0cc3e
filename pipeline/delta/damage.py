"""The file of a log that is damaged, by its name: asked where a log cannot be read, as its reader names none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.exceptions import DeltaError

from pipeline.files.location import Location
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say


def cut_off(name: str) -> Sentence:
    """Say that a file of a log is not what its writer wrote."""
    return say("is damaged: the file {name} of its log is cut off or has garbage: bring it back from a copy", name=name)


@contextmanager
def damage_named(log: Path, place: Location) -> Iterator[None]:
    """Raise `InputError` with the name of the file that is damaged where the log of the table at this place fails."""
    try:
        yield
    except (DeltaError, OSError, ValueError) as error:
        if isinstance(error, PermissionError | InputError) or (problem := _damage(log)) is None:
            raise
        raise InputError(str(place), "", problem) from None


def _damage(log: Path) -> Sentence | None:
    """Return the damage of a log; None: its files have such names and contents as writers give them."""
    if not log.is_dir():
        return say("is damaged: a file is in the place of its log") if log.exists() else None
    commits, checkpoints = sorted(log.glob("[0-9]*.json")), sorted(log.glob("[0-9]*.checkpoint*.parquet"))
    damaged = [file.name for file in commits if not _is_commit(file)]
    damaged += [file.name for file in checkpoints if not _is_parquet(file)]
    if damaged:
        return cut_off(damaged[0])
    if (missing := _missing(commits)) is not None:
        name = f"{missing:020}.json"
        return say("is damaged: the file {name} of its log is missing: bring it back from a copy", name=name)
    return None


def _is_commit(file: Path) -> bool:
    """Return whether each line of a commit is an object."""
    try:
        return all(isinstance(json.loads(line), dict) for line in file.read_bytes().splitlines() if line.strip())
    except (OSError, ValueError):
        return False


def _is_parquet(file: Path) -> bool:
    try:
        pq.ParquetFile(file).close()
    except (OSError, pa.ArrowException):
        return False
    return True


def _missing(commits: list[Path]) -> int | None:
    """Return the number of the first commit that is missing between two others."""
    numbers = [int(file.stem) for file in commits if file.stem.isdecimal()]
    return next((number + 1 for number, following in pairwise(numbers) if following > number + 1), None)
