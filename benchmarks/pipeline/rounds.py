"""Processor time of the jobs of a round in one process, against the same jobs in a process each.

    .venv/bin/python benchmarks/pipeline/rounds.py [--rows 20000] [--runs 1]

The claim: `pipeline round` takes at most 0.6 of what `generate`, `ingest`, `route` and `replay` take one by one.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import ROOT, claim, machine

BOUND = 0.6
SET_CHILD_SUBREAPER = 36
"""Of prctl: a Java whose Python has ended becomes a child of this process, which then knows what it took."""
PIPELINE = (sys.executable, "-m", "pipeline")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    print(machine())
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory() as name:
        folder, jobs = Path(name), _jobs(Path(name), options.rows)
        apart = _least(options.runs, folder, lambda: _run_all(jobs))
        lines = Path(f"{folder}.txt")
        lines.write_text("\n".join(map(" ".join, jobs)), encoding="utf-8")
        together = _least(options.runs, folder, lambda: _run(["round", str(lines)]))
        lines.unlink()
    print(f"  one by one {apart:.1f} s of processor, as a round {together:.1f} s")
    return not claim("a round / its jobs one by one", together / apart, BOUND, "times")


def _jobs(folder: Path, rows: int) -> list[list[str]]:
    estate, proposed = ROOT / "examples" / "three-servers.json", ROOT / "examples" / "three-servers" / "proposed.json"
    traffic, lake = f"{folder}/traffic", f"{folder}/lake"
    return [
        f"generate --estate {estate} --rows {rows} --seed 1 --out {traffic}".split(),
        f"ingest --in {traffic} --out {lake}".split(),
        f"route --estate {estate} --traffic {lake} --out {folder}/routed".split(),
        f"replay --baseline {estate} --proposed {proposed} --traffic {lake} --out {folder}/replayed".split(),
    ]


def _least(runs: int, folder: Path, work: Callable[[], object]) -> float:
    """Return the least processor time of some runs, each with an empty folder."""
    took = []
    for _ in range(runs):
        shutil.rmtree(folder)
        folder.mkdir()
        before = _processor()
        work()
        took.append(_processor() - before)
    return min(took)


def _run_all(jobs: Sequence[Sequence[str]]) -> None:
    for job in jobs:
        _run(job)


def _run(words: Sequence[str]) -> None:
    """Run the pipeline, and wait for its Java too, which ends after it."""
    status = subprocess.run([*PIPELINE, *words], check=False, stdout=subprocess.DEVNULL, cwd=ROOT).returncode
    assert status == 0, words
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
