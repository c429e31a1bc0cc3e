"""`brokerui outcomes` of 100,000 conversations, as a process: all of it, from the start to the last line.

.venv/bin/python benchmarks/routing/outcomes.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import ROOT, claim, large_document
from benchmarks.estates import conversations, large_estate

ASKED = 100_000


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        questions, one = Path(folder) / "asked.jsonl", Path(folder) / "one.jsonl"
        lines = [json.dumps(line) + "\n" for line in conversations(large_estate(), ASKED)]
        questions.write_text("".join(lines), encoding="utf-8")
        one.write_text(lines[0], encoding="utf-8")
        seconds, loading = (min(run(file) for _ in range(3)) for file in (questions, one))
    peer = f"{loading:.2f} s of it for start and estate, as one conversation shows"
    return 0 if claim("outcomes of 100,000 conversations", seconds, 3, "s", peer) else 1


def run(questions: Path) -> float:
    """Seconds on the clock."""
    command = [
        sys.executable,
        "-m",
        "brokerui.cli.main",
        "outcomes",
        str(large_document()),
        str(questions),
        "--at",
        "2026-01-01",
    ]
    began = time.perf_counter()
    answers = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    assert answers.count(b"\n") == questions.read_bytes().count(b"\n")
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
