"""A process that dies costs the test that it was running, the longest begin first, and each has its database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.scheduling import Lane, lane_of, ordered

CONFTEST = """
from tests.databases import TwoDatabases
from tests.scheduling import LongestFirst

def pytest_addoption(parser):
    parser.addoption("--postgresql", action="store_true")

def pytest_configure(config):
    config.addinivalue_line("markers", "both_databases: as in tests/")
    if config.option.postgresql:
        config.pluginmanager.register(TwoDatabases())

def pytest_xdist_make_scheduler(config, log):
    return LongestFirst(config, log)
"""
ON_BOTH = """
import os
import pytest

@pytest.mark.both_databases
@pytest.mark.parametrize("number", range(5))
def test_it(number, request):
    assert os.environ.get("DATABASE_URL", "") == ("there" if "@" in request.node.nodeid else "")

def test_of_sqlite():
    assert "DATABASE_URL" not in os.environ
"""
TESTS = """
import os
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_each(number):
    if number in {dies}:
        os._exit(3)
"""
DIES_ONCE = """
import os
import time
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:
    try:
        Path(__file__).with_suffix(".died").touch(exist_ok=False)
    except FileExistsError:
        pass
    else:
        time.sleep(2)
        os._exit(3)

def test_it():
    pass
"""
COUNT = 40
SECONDS = 120


def summary(folder: Path, **dies: tuple[int, ...]) -> str:
    """The last line of a run in three processes; the tests with these numbers end the process they are in."""
    return output_of(folder, **dies)[-1].strip("= ").partition(" in ")[0]


def output_of(folder: Path, *options: str, **dies: tuple[int, ...]) -> list[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    for name, numbers in dies.items():
        file = folder / "tests" / name / f"test_{name}.py"
        file.parent.mkdir(parents=True)
        file.write_text(TESTS.format(count=COUNT, dies=numbers))
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", "3", "-v", "--rootdir", str(folder)]
    command += [*options, str(folder)]
    environ = {
        **os.environ,
        "DATABASE_URL": "there",
        "PYTHONPATH": str(CHECKOUT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
    }
    ran = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)
    return ran.stdout.splitlines()


@pytest.mark.thorough("nobody dies in the last of these tests either")
def test_nobody_dies(tmp_path: Path) -> None:
    assert summary(tmp_path, alone=(), pipeline=()) == f"{2 * COUNT} passed"


@pytest.mark.parametrize(
    "number",
    [
        0,
        pytest.param(COUNT // 2, marks=pytest.mark.thorough("the first one dies in `make test`")),
        pytest.param(COUNT - 1, marks=pytest.mark.thorough("the first one dies in `make test`")),
    ],
)
def test_the_first_one_in_the_middle_and_the_last_one(tmp_path: Path, number: int) -> None:
    assert summary(tmp_path, alone=(number,), pipeline=(number,)) == f"2 failed, {2 * COUNT - 2} passed"


def test_one_that_looks_for_the_tests(tmp_path: Path) -> None:
    """The others wait for the one that takes its place, and then all have work."""
    (tmp_path / "tests" / "late").mkdir(parents=True)
    (tmp_path / "tests" / "late" / "test_late.py").write_text(DIES_ONCE)
    lines = output_of(tmp_path, alone=(), other=())
    assert f" {2 * COUNT + 1} passed in " in lines[-1]
    assert len({line[:5] for line in lines if "PASSED" in line}) == 3


@pytest.mark.thorough("one process dies in another test")
def test_many(tmp_path: Path) -> None:
    numbers = tuple(range(0, COUNT, 8))
    expected = f"{2 * len(numbers)} failed, {2 * (COUNT - len(numbers))} passed"
    assert summary(tmp_path, alone=numbers, pipeline=numbers) == expected


def test_what_is_marked_runs_on_both_databases(tmp_path: Path) -> None:
    (tmp_path / "tests" / "both").mkdir(parents=True)
    (tmp_path / "tests" / "both" / "test_both.py").write_text(ON_BOTH)
    assert output_of(tmp_path, "--postgresql")[-1].strip("= ").startswith("11 passed in ")


def test_postgresql_is_first_then_the_longest_and_last_what_every_process_can_run() -> None:
    names = [
        "tests/routing/a",
        "tests/brokerui/b",
        "tests/routing/c",
        "tests/brokerui/d",
        "tests/brokerui/b@postgresql",
    ]
    in_order = ordered({name: {name: False} for name in names}, {"tests/routing/c": 7.0, "tests/brokerui/d": 8.0})
    assert list(in_order) == [
        "tests/brokerui/b@postgresql",
        "tests/brokerui/d",
        "tests/routing/c",
        "tests/brokerui/b",
        "tests/routing/a",
    ]


def test_a_process_on_postgresql_runs_nothing_that_expects_sqlite() -> None:
    names = ("tests/brokerui/a", "tests/brokerui/a@postgresql", "tests/routing/a")
    assert [lane_of(name) for name in names] == [Lane.SQLITE, Lane.POSTGRESQL, Lane.NO_DATABASE]
