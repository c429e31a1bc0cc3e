"""`up` in a home of its own: one line with the address once it answers, a clean stop, a quick second start."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brokerui import up
from brokerui.home import CHECKOUT

START_SECONDS = 60
STOP_SECONDS = 15


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "BROKERUI_HOME": str(home), "DJANGO_SETTINGS_MODULE": "brokerui.settings", **more}


@contextmanager
def running(home: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """The process, the line it printed, and the seconds until then."""
    began = time.monotonic()
    command = [sys.executable, "-m", "brokerui.up"]
    process = subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=environment(home, PORT=str(port)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process, _line(process), time.monotonic() - began
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    return process.stdout.readline() if ready else ""


def get(port: int, path: str) -> tuple[int, str, bytes]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
        return response.status, response.headers.get("Cache-Control", ""), response.read()


@pytest.mark.slow
def test_it_serves_fingerprinted_files_and_starts_again_quickly(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as (process, line, _):
        assert line == f"BrokerUI is ready: http://127.0.0.1:{port}/  (Ctrl-C stops it)\n"
        status, _, page = get(port, "/scenarios/")
        assert status == 200
        style = page.decode().split('rel="stylesheet" href="')[1].split('"')[0]
        assert style != "/static/brokerui/css/tokens.css", "its name has a hash of its content"
        status, cache, _ = get(port, style)
        assert (status, "immutable" in cache) == (200, True)
        process.send_signal(signal.SIGINT)
        assert process.wait(STOP_SECONDS) == 0
    # Everything is made: the second start only looks.
    with running(tmp_path, port) as (process, line, seconds):
        assert str(port) in line
        assert seconds < 3
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def start(home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "brokerui.up"]
    return subprocess.run(
        command, cwd=CHECKOUT, env=environment(home, **more), capture_output=True, text=True, check=False
    )


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
    assert up._port(9002) == 9002
    assert up._port(None) == 9001
    monkeypatch.delenv("PORT")
    assert up._port(None) == 8000
