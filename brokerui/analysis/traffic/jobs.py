"""The jobs of a round of the pipeline, and where each reads and writes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from brokerui.estate.history import history_write
from brokerui.estate.selectors import live_version


@dataclass(frozen=True, slots=True)
class PipelineCommand:
    """A command of the pipeline; `is_loaded`: its result goes into the database."""

    name: str
    arguments: tuple[str, ...]
    out: Path
    is_loaded: bool
    needs: str = ""
    """The command of the same round without whose result this one has nothing to read; empty: none."""


def has_sources() -> bool:
    """Whether there is anything that a round could take in."""
    return bool(_sources())


def inputs_digest() -> str:
    """Return the digest of the estate and of all files that a round would read; empty without a file."""
    found = [[str(folder), *files] for folder in _sources() if (files := list(_files(folder)))]
    if not found:
        return ""
    return hashlib.sha256(json.dumps([live_version(), found]).encode()).hexdigest()


def jobs_of_a_round() -> list[PipelineCommand]:
    """In order. The history of the estate is written first: each row meets the routes of its own time."""
    folder, version = settings.PIPELINE_FOLDER, live_version()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lake, history = folder / "lake", folder / "history"
    if version:
        history_write(history)
    found = [source for source in _sources() if next(_files(source), None)]
    jobs = [
        PipelineCommand("ingest", ("--in", str(source), "--out", str(lake)), lake, is_loaded=False) for source in found
    ]
    if found and version:
        jobs.append(_asking("route", "--traffic", lake, "--estate", history))
    if settings.EVENT_LOG and settings.EVENT_LOG_FOLDER in found:
        estate = ("--estate", history) if version else ()
        jobs.append(_asking("telemetry", "--events", settings.EVENT_LOG_FOLDER, *estate))
    return jobs


def _asking(name: str, *arguments: str | Path) -> PipelineCommand:
    out = settings.PIPELINE_FOLDER / name
    return PipelineCommand(name, (*map(str, arguments), "--out", str(out)), out, is_loaded=True)


def _sources() -> list[Path]:
    logged = [settings.EVENT_LOG_FOLDER] if settings.EVENT_LOG else []
    return [*logged, *([Path(settings.TRAFFIC_FOLDER)] if settings.TRAFFIC_FOLDER else [])]


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the files that a job would read: none whose name or folder begins with `_` or a dot."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] not in "_.")
        for name in sorted(names):
            if name[0] not in "_.":
                about = Path(place, name).stat()
                yield str(Path(place, name)), about.st_size, about.st_mtime_ns
