"""The record of a run: what went in, what came out, and what it took. It is written beside the result, and printed."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pyspark

from pipeline.manifest import FORMAT


class DoesNotAddUpError(Exception):
    """A job lost or doubled rows: a fault of ours, or two classes with one number; nothing was published."""


@dataclass(slots=True)
class Run:
    """One run of a job, from its start."""

    job: str
    arguments: Mapping[str, Any]
    inputs: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    """How many rows went to quarantine, by reason."""
    more: dict[str, Any] = field(default_factory=dict)
    """What only this job records."""
    said: list[str] = field(default_factory=list)
    """What only this job prints, a line each."""
    _began: float = field(default_factory=time.monotonic)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _phase: float = field(default_factory=time.monotonic)
    _seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _UNDER_WAY[:] = [self]

    @property
    def ended(self) -> Set[str]:
        """The parts of the work that are done."""
        return self._seconds.keys()

    def phase(self, name: str) -> None:
        """Ends a part of the work, which gets a name."""
        now = time.monotonic()
        self._seconds[name] = round(self._seconds.get(name, 0.0) + now - self._phase, 3)
        self._phase = now

    def count(self, rows_in: int, rows_out: int, reasons: Mapping[str, int]) -> None:
        """In = out + quarantined. Raises `DoesNotAddUpError` where it is not."""
        self.reasons = {name: number for name, number in sorted(reasons.items()) if number}
        quarantined = sum(self.reasons.values())
        self.counts |= {"in": rows_in, "out": rows_out, "quarantined": quarantined}
        if rows_in != rows_out + quarantined:
            raise DoesNotAddUpError(f"{rows_in} rows in, {rows_out} out and {quarantined} in quarantine")

    def as_json(self) -> dict[str, Any]:
        """The object of `_run.json`."""
        return {
            "format": FORMAT,
            "job": self.job,
            "arguments": dict(self.arguments),
            "started": self._started.isoformat().replace("+00:00", "Z"),
            "seconds": round(time.monotonic() - self._began, 3),
            "phases": self._seconds,
            "versions": versions(),
            "inputs": self.inputs,
            "counts": self.counts,
            "reasons": self.reasons,
            **self.more,
        }

    def report(self) -> None:
        """Prints the counts, and what else the job has to say."""
        rows = [*self.counts.items(), *((f"  {name}", number) for name, number in self.reasons.items())]
        for name, number in rows:
            sys.stdout.write(f"{name:<24}{number:>16,}\n")
        sys.stdout.write(f"{'seconds':<24}{time.monotonic() - self._began:>16.1f}\n")
        sys.stdout.writelines(f"{line}\n" for line in self.said)


_UNDER_WAY: list[Run] = []


def under_way() -> Run | None:
    """The run that this process began last."""
    return _UNDER_WAY[0] if _UNDER_WAY else None


def versions() -> dict[str, str]:
    """What ran."""
    return {"brokerui": version("brokerui"), "spark": pyspark.__version__, "python": platform.python_version()}
