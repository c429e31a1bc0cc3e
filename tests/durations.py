"""How long the long tests take, so that a run begins with them: `durations.json`, written by `make durations`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

FILE: Final = Path(__file__).parent / "durations.json"
LONG_S: Final = 1.0
"""A test that takes less than this is not in the file."""


def recorded() -> dict[str, float]:
    """Seconds by the name of the test. A name that is no test any more does no harm."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


class Durations:
    """Adds up what each test took in this run, and writes the file at the end."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment] - xdist reports have a duration

    def pytest_sessionfinish(self) -> None:
        long = {test: round(taken, 1) for test, taken in sorted(self.seconds.items()) if taken >= LONG_S}
        FILE.write_text(json.dumps(long, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
