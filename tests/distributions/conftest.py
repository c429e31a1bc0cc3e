"""Build the distributions from a copy of the checkout and make environments to install them into, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT

# No more than a build needs: the copy shows that nothing else of the checkout is used.
SOURCES = (
    *("brokerui", "routing", "pipeline", "templates", "static", "examples", "docs", "distributions"),
    *("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md"),
)
NOT_COPIED = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "_brokerui_client")


@dataclass(frozen=True)
class Environment:
    """A virtual environment of its own."""

    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def site_packages(self) -> Path:
        return Path(sysconfig.get_path("purelib", vars={"base": str(self.folder)}))

    def install(self, *wheels: Path) -> None:
        self._pip("install", "--no-deps", "--no-index", "--no-compile", *map(str, wheels))

    def uninstall(self, name: str) -> None:
        self._pip("uninstall", "--yes", name)

    def _pip(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", *arguments]
        subprocess.run(command, check=True, capture_output=True, text=True)

    def run(self, code: str, *options: str) -> str:
        """Run a program in a folder that is no checkout, and return what it prints."""
        command = [self.python, *options, "-c", code]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=self.folder).stdout.strip()


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        if (CHECKOUT / name).is_dir():
            shutil.copytree(CHECKOUT / name, folder / name, ignore=NOT_COPIED)
        else:
            shutil.copy(CHECKOUT / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def product_wheel(sources: Path) -> Path:
    return _built(sources, sources / "dist")


@pytest.fixture(scope="session")
def compiled_wheel(sources: Path) -> Path:
    """The product with a compiled engine, for this platform."""
    return _built(sources, sources / "dist-compiled", BROKERUI_COMPILE="1")


@pytest.fixture(scope="session")
def client_wheel(sources: Path) -> Path:
    return _built(sources / "distributions" / "client", sources / "dist-client")


def _built(project: Path, target: Path, **environ: str) -> Path:
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--wheel-dir", str(target)]
    command = [sys.executable, "-m", "pip", "wheel", *options, str(project)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environ})
    (wheel,) = target.glob("*.whl")
    return wheel


def empty(folder: Path) -> Environment:
    """Make an environment with nothing in it but the standard library."""
    venv.create(folder / "environment", symlinks=True)
    return Environment(folder / "environment")


def with_dependencies_of_ours(environment: Environment) -> Environment:
    """Give it the packages of this environment, but not the checkout that is installed in it.

    Python reads `.pth` files, as an editable installation has one, only in the environment's own folder.
    """
    (environment.site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return empty(tmp_path)


@pytest.fixture
def with_dependencies(environment: Environment) -> Environment:
    return with_dependencies_of_ours(environment)
