"""The public surface of the engine: `routing.api`, as docs/reference/engine.md describes it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import routing.api

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "engine.md").read_text(encoding="utf-8")


def run(script: str) -> str:
    """What the script prints in an interpreter of its own, begun at the top of the checkout."""
    command = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=600, cwd=ROOT, env=environment
    ).stdout


def test_the_page_lists_every_public_name_once() -> None:
    first_cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    listed = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(listed) == sorted(routing.api.__all__)


def test_every_public_name_exists_and_has_a_docstring() -> None:
    for name in routing.api.__all__:
        value = getattr(routing.api, name)
        assert not callable(value) or value.__doc__, name


def test_the_example_runs_as_it_stands() -> None:
    example = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert example
    printed = run(example[1])
    assert "'outcome': 'delivered'" in printed
    assert "MATCH-2" in printed
    assert "'worse': " in printed


def test_importing_it_brings_no_framework() -> None:
    loaded = run("import routing.api, sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))").split()
    assert not {"brokerui", "celery", "django", "pipeline", "pyspark"} & set(loaded)
