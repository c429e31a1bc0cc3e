"""Jobs as a process starts them elsewhere than in the checkout, and what they leave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

import pyarrow.parquet as pq

from pipeline.lake.lake import Lake, is_lake
from pipeline.results.parquet_counts import parquet_files_in
from tests.pipeline.delta_tables import LOG, delta_tables

PATIENCE_S = 600
"""Until a job counts as hanging, on a machine of any speed."""


class Ended(NamedTuple):
    """A job that has ended."""

    status: int
    out: str
    err: str

    @property
    def counts(self) -> list[str]:
        """The printed lines, without the time."""
        return [line for line in self.out.splitlines() if not line.startswith("seconds")]


@contextmanager
def started(arguments: list[str], folder: Path, *program: str) -> Iterator[subprocess.Popen[str]]:
    """Start a job in a folder of its own; it is killed if the block ends before it."""
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    command = [*(program or (sys.executable, "-m", "pipeline")), *arguments]
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, cwd=folder, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(arguments: list[str], folder: Path, *program: str) -> Ended:
    """Run a job to its end."""
    with started(arguments, folder, *program) as process:
        return end_of(process)


def end_of(process: subprocess.Popen[str]) -> Ended:
    out, err = process.communicate(timeout=PATIENCE_S)
    return Ended(process.returncode, out, err)


def tables(out: Path) -> dict[str, list[str]]:
    """Return the rows of each table of a result in one order, also of the quarantine, without the names of runs."""
    if any(out.rglob(LOG)) and not is_lake(str(out)):
        return delta_tables(out)
    found: dict[str, list[str]] = {}
    for folder in _folders(out):
        name = "/".join(part for part in folder.relative_to(out).parts if not part.startswith("run="))
        rows = found.setdefault(name, [])
        for path in parquet_files_in(folder):
            rows += map(repr, pq.read_table(path, partitioning=None).to_pylist())
    return {name: sorted(rows) for name, rows in found.items()}


def _folders(out: Path) -> list[Path]:
    if is_lake(str(out)):
        names = ("silver", "sums", "classes", "_quarantine")
        return [Path(folder) for name in names for folder in Lake(out).folders(name)]
    parts = {path.parent for path in out.rglob("*.parquet")}
    return sorted(parts)
