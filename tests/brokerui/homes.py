"""A home that the product has prepared once for all tests of a run, and copies of it.

To prepare one (migrations, static files, the first user) takes longer than to start all its processes.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.product import environment
from tests.migrated import kept_file

PREPARE: Final = "from brokerui.running.bootstrap import prepare; prepare()"
ADMIN_PASSWORD: Final = "password of prepared homes"
MakeHome = Callable[[Path], Path]


@pytest.fixture(scope="session")
def prepared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all processes of the run, without the demo. It is copied, and nothing is started in it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    home = folder / "prepared"
    with (folder / "prepared.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            _prepare(home)
    return home


def _prepare(home: Path) -> None:
    """Under another name until it is whole. Its database is that of a test process, migrated, where one was kept: the
    first starts of `test_up.py` migrate a new one."""
    unfinished = home.with_suffix(".unfinished")
    unfinished.mkdir(mode=0o700)
    if (migrated := kept_file()).is_file():
        database = unfinished / "brokerui.sqlite3"
        shutil.copyfile(migrated, database)
        database.chmod(0o600)
    environ = environment(unfinished, DEMO="0", BROKERUI_ADMIN_PASSWORD=ADMIN_PASSWORD)
    subprocess.run([sys.executable, "-c", PREPARE], cwd=CHECKOUT, env=environ, umask=0o077, check=True)
    unfinished.rename(home)


@pytest.fixture(scope="session")
def make_home(prepared_home: Path) -> MakeHome:
    """Make a folder a home that the product was started with before, and return it."""

    def make(home: Path) -> Path:
        # Static files are never written to, only replaced.
        shutil.copytree(prepared_home / "static", home / "static", copy_function=os.link)
        for file in prepared_home.iterdir():
            if file.is_file():
                shutil.copy2(file, home)
        return home

    return make
