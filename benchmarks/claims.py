"""Parts that benchmarks share: the large estate, the shortest of several runs, and a line for each claim."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.estates import large_estate

ROOT = Path(__file__).resolve().parent.parent
AT = datetime(2026, 1, 1, tzinfo=UTC)
_T = TypeVar("_T")


def claim(what: str, figure: float, bound: float, unit: str, peer: str = "", *, at_least: bool = False) -> bool:
    """Print whether a figure keeps its claim: at most, or at least, the bound."""
    kept = figure >= bound if at_least else figure <= bound
    side = ">=" if at_least else "<="
    print(
        f"{'OK' if kept else 'MISSED':<7}{what}: {figure:,.4g} {unit} ({side} {bound:,g}){'; ' + peer if peer else ''}"
    )
    return kept


def best(runs: int, work: Callable[[], _T]) -> tuple[float, _T]:
    """The seconds of one core that the quickest of some runs took, and what the last one gave."""
    seconds: list[float] = []
    results: list[_T] = []
    for _ in range(runs):
        began = time.process_time()
        results[:] = [work()]
        seconds.append(time.process_time() - began)
    return min(seconds), results[0]


@cache
def large_document(*, hubs_loop: bool = True) -> Path:
    """A file with the large estate; made once a day for all benchmarks."""
    path = Path(tempfile.gettempdir()) / f"brokerui-bench-{os.getuid()}-{datetime.now(UTC):%Y%m%d}-{hubs_loop}.json"
    if not path.exists():
        path.write_text(json.dumps(large_estate(hubs_loop=hubs_loop)), encoding="utf-8")
    return path


def child(function: str, *arguments: object) -> Any:
    """Return the result of `module:function` from a process of its own, whose memory holds nothing else."""
    module, _, name = function.partition(":")
    program = f"import json, sys; from {module} import {name} as f; print(json.dumps(f(*sys.argv[1:])))"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(result.stderr)
    return json.loads(result.stdout.splitlines()[-1])


def megabytes() -> float:
    """The memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def peak_megabytes() -> float:
    """The most memory that this process ever had."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def settle() -> None:
    """So that a measurement pays for no garbage but its own."""
    gc.collect()


def machine() -> str:
    """Describe the machine of the figures; a loop of additions shows how busy it was."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    loop, _ = best(3, lambda: sum(number for number in range(5_000_000)))
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    python = f"Python {sys.version.split()[0]}"
    return f"{os.cpu_count()} x {cpu}, {python}, load {load}; 5,000,000 additions take {loop:.3f} s"


if __name__ == "__main__":
    print(machine())
