"""A wheel with a compiled engine: the simulator finds no broken promise, and both stores conform to it."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZipFile

import pytest

from brokerui.core.home import CHECKOUT
from tests.distributions.conftest import Environment

COMPILER = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]
COMPILED = EXTENSION_SUFFIXES[0]
WORLDS = 60
ENGINE = "import routing.dialog.send as engine; print(engine.__file__)"
CONFORMING = (
    "tests/routing/runtime/store",
    "tests/brokerui/messaging/test_store.py",
    "tests/routing/dialog/test_model.py",
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.thorough("It is the same source, compiled on request alone, and compiling takes minutes."),
    pytest.mark.skipif(shutil.which(COMPILER) is None, reason="nothing here compiles C"),
]


@pytest.fixture
def compiled(with_dependencies: Environment, compiled_wheel: Path) -> Environment:
    with_dependencies.install(compiled_wheel)
    return with_dependencies


def test_the_wheel_has_the_source_beside_each_compiled_module(compiled_wheel: Path, product_wheel: Path) -> None:
    names = set(ZipFile(compiled_wheel).namelist())
    modules = {name.removesuffix(COMPILED) for name in names if name.startswith("routing/") and name.endswith(COMPILED)}
    assert {"routing/dialog/send", "routing/runtime/broker", "routing/adjacent/fragment"} <= modules
    assert {f"{module}.py" for module in modules} <= names
    assert product_wheel.name.endswith("-py3-none-any.whl")
    assert not compiled_wheel.name.endswith("-any.whl")


def test_the_simulator_finds_no_broken_promise_and_the_same_worlds(compiled: Environment, tmp_path: Path) -> None:
    assert not compiled.run(ENGINE).endswith(".py")
    seed = str(secrets.randbelow(10**9))
    counted = [simulated(folder, seed, tmp_path) for folder in (compiled.folder / "bin", Path(sys.executable).parent)]
    assert counted[0] == counted[1]


def simulated(programs: Path, seed: str, folder: Path) -> str:
    """Return the messages, frames, losses and crashes of some worlds from a seed."""
    command = [str(programs / "brokerui"), "simulate", "--seed", seed, "--runs", str(WORLDS), "--faults", "heavy"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    _, counts, *_ = ended.stdout.splitlines()
    return counts


def test_the_stores_conform(compiled: Environment) -> None:
    """The tests of the checkout, with the engine of the wheel before its own."""
    found = f"pythonpath={compiled.site_packages} {CHECKOUT}"
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "tests.distributions.only_compiled", "-o", found]
    environ = {name: value for name, value in os.environ.items() if name != "HYPOTHESIS_PROFILE"}
    command = [sys.executable, "-m", "pytest", *options, *CONFORMING]
    ended = subprocess.run(command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
