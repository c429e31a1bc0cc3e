"""The record of a run: inputs, counts and durations. It is written beside the result, and printed."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Mapping, Set
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pyspark

from pipeline.results.manifest import FORMAT


class RowCountError(Exception):
    """A job lost or duplicated rows, by a bug or because two classes have one hash. Nothing was published."""


@dataclass(slots=True)
class JobRun:
    """One run of a job: what it read, counted and took."""

    job: str
    arguments: Mapping[str, Any]
    _: KW_ONLY
    inputs: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    """Rows in quarantine, by reason."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Fields that only this job records."""
    summary_lines: list[str] = field(default_factory=list)
    """Lines that only this job prints."""
    _began: float = field(default_factory=time.monotonic)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _phase: float = field(default_factory=time.monotonic)
    _seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _CURRENT[:] = [self]

    @property
    def finished_phases(self) -> Set[str]:
        """The names of the phases that have ended."""
        return self._seconds.keys()

    def end_phase(self, name: str) -> None:
        """End a phase of the job and record how long it took."""
        now = time.monotonic()
        self._seconds[name] = round(self._seconds.get(name, 0.0) + now - self._phase, 3)
        self._phase = now

    def count(self, rows_in: int, rows_out: int, reasons: Mapping[str, int]) -> None:
        """Record the row counts. Raises `RowCountError` unless in = out + quarantined."""
        self.reasons = {name: number for name, number in sorted(reasons.items()) if number}
        quarantined = sum(self.reasons.values())
        self.counts |= {"in": rows_in, "out": rows_out, "quarantined": quarantined}
        if rows_in != rows_out + quarantined:
            raise RowCountError(f"{rows_in} rows in, {rows_out} out and {quarantined} in quarantine")

    def as_json(self) -> dict[str, Any]:
        """Return the object of `_run.json`."""
        return {
            "format": FORMAT,
            "job": self.job,
            "arguments": dict(self.arguments),
            "started": self._started.isoformat().replace("+00:00", "Z"),
            "seconds": round(time.monotonic() - self._began, 3),
            "phases": self._seconds,
            "versions": software_versions(),
            "inputs": self.inputs,
            "counts": self.counts,
            "reasons": self.reasons,
            **self.extra,
        }

    def report(self) -> None:
        """Print the counts and the summary lines."""
        rows = [*self.counts.items(), *((f"  {name}", number) for name, number in self.reasons.items())]
        for name, number in rows:
            sys.stdout.write(f"{name:<24}{number:>16,}\n")
        sys.stdout.write(f"{'seconds':<24}{time.monotonic() - self._began:>16.1f}\n")
        sys.stdout.writelines(f"{line}\n" for line in self.summary_lines)


_CURRENT: list[JobRun] = []


def current_run() -> JobRun | None:
    """Return the latest run of this process, or None."""
    return _CURRENT[0] if _CURRENT else None


def software_versions() -> dict[str, str]:
    """Return the versions of BrokerUI, Spark and Python."""
    return {"brokerui": version("brokerui"), "spark": pyspark.__version__, "python": platform.python_version()}
