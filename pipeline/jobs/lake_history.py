"""`pipeline lake history`: list the versions of a lake."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pipeline.lake.history import LakeVersion, versions_of
from pipeline.lake.lake import existing_lake
from pipeline.runtime.session import SparkSettings, start_for_urls

HEADS: Final = ("version", "time", "operation", "rows", "files", "run")
_NUMBERS: Final = ("version", "rows", "files")


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """Options of `lake history`."""

    lake: str
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class LakeHistory:
    """The versions of a lake, to be printed."""

    versions: Sequence[LakeVersion]
    as_json: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """The number of versions."""
        return {"versions": len(self.versions)}

    def report(self) -> None:
        """Print a line for each version, or all of them as JSON."""
        if self.as_json:
            found = [_as_json(version) for version in self.versions]
            sys.stdout.write(f"{json.dumps(found, ensure_ascii=False, indent=1)}\n")
        else:
            sys.stdout.writelines(f"{line}\n" for line in self._lines() or ["No versions yet."])

    def _lines(self) -> list[str]:
        rows = [dict(zip(HEADS, HEADS, strict=True)), *map(_as_texts, self.versions)]
        widths = {head: max(len(row[head]) for row in rows) for head in HEADS}
        return [_line(row, widths) for row in rows] if self.versions else []


def history(options: HistoryOptions, settings: SparkSettings) -> LakeHistory:
    """List the versions of a lake that its log still has."""
    start_for_urls(settings, options.lake)
    return LakeHistory(versions_of(existing_lake(options.lake).root), options.as_json)


def _line(row: Mapping[str, str], widths: Mapping[str, int]) -> str:
    return "  ".join(_cells(row, widths)).rstrip()


def _cells(row: Mapping[str, str], widths: Mapping[str, int]) -> Iterator[str]:
    for head, width in widths.items():
        yield row[head].rjust(width) if head in _NUMBERS else row[head].ljust(width)


def _as_texts(version: LakeVersion) -> dict[str, str]:
    return {
        "version": str(version.version),
        "time": "" if version.at is None else f"{version.at:%Y-%m-%d %H:%M:%S}",
        "operation": version.operation,
        "rows": "" if version.rows is None else f"{version.rows:,}",
        "files": f"{version.files:,}",
        "run": version.run,
    }


def _as_json(version: LakeVersion) -> dict[str, Any]:
    return {
        "version": version.version,
        "time": None if version.at is None else _text(version.at),
        "operation": version.operation,
        "rows": version.rows,
        "files": version.files,
        "run": version.run or None,
    }


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
