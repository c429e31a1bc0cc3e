"""The Python that makes the virtual environment, and the error when none can (scripts/find-python)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "find-python"
GOOD = ""
OLD = "sys.version_info = (3, 10, 4)"
WITHOUT_VENV = "sys.modules['ensurepip'] = None"


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "head").symlink_to(str(shutil.which("head")))
    return folder


def interpreter(path: Path, flaw: str) -> str:
    """This Python, made to look flawed, under another name; it prints that name as its own."""
    start = f"import sys; sys.executable = '{path}'; {flaw or 'pass'}; exec(sys.argv[1])"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$2"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def find(bin_: Path, python: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT], env={"PATH": str(bin_), "PYTHON": python}, capture_output=True, text=True, check=False
    )


def test_the_first_usual_name_that_fits_is_taken(bin_: Path) -> None:
    interpreter(bin_ / "python3.13", WITHOUT_VENV)
    expected = interpreter(bin_ / "python3.12", GOOD)
    interpreter(bin_ / "python3", OLD)
    assert find(bin_).stdout == f"{expected}\n"


def test_the_one_that_is_asked_for_is_the_only_one_tried(bin_: Path) -> None:
    interpreter(bin_ / "python3", GOOD)
    mine = interpreter(bin_ / "mine", OLD)
    answer = find(bin_, mine)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert f"{mine}: is Python 3.10; BrokerUI needs 3.11 or newer" in answer.stderr


def test_of_each_that_does_not_fit_it_says_why(bin_: Path) -> None:
    interpreter(bin_ / "python3.11", WITHOUT_VENV)
    interpreter(bin_ / "python3", OLD)
    answer = find(bin_)
    assert answer.returncode == 1
    assert "python3.13: not found" in answer.stderr
    assert "python3.11: cannot make virtual environments" in answer.stderr
    assert "-venv" in answer.stderr
    assert "python3: is Python 3.10" in answer.stderr
    assert "make setup PYTHON=" in answer.stderr
