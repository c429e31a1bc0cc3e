"""The whole product as processes, for tests that start it and kill parts of it."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from redis import Redis, RedisError

from brokerui.core.home import CHECKOUT
from brokerui.core.redis_keys import PULSE

# Far more than the product needs: a process that exceeds them hangs, however busy the machine is.
START_SECONDS = 300
STOP_SECONDS = 120
UP = (sys.executable, "-m", "brokerui.running.up")
SEVERAL = """
import json, sys
from brokerui.cli.main import main
sys.exit(next(filter(None, (main(json.loads(words)) for words in sys.argv[1:])), 0))
"""
PROGRAMS = ["valkey", "web", "worker", "beat", "endpoint"]


PORTS = iter(random.SystemRandom().sample(range(12_000, 32_000), 20_000))
"""Below the ports that the kernel gives to outgoing connections: there one could be taken while its process restarts.

Each test process draws an order of its own, which no seed of a test makes alike.
"""


def free_port() -> int:
    """A port that nobody listens on, and that this process has not given away before."""
    for port in PORTS:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise OSError("no port is left")


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"REDIS_URL", "DATABASE_URL"}}
    kept |= {"SPACE_LOW_BYTES": "0", "SPACE_LEAST_BYTES": "0"}  # whatever is left on the machine that tests
    kept |= {"PIPELINE": "off"}  # a process more that only a few of them need
    return {**kept, "BROKERUI_HOME": str(home), "DJANGO_SETTINGS_MODULE": "brokerui.settings", **more}


def eventually(condition: Callable[[], Any], seconds: float = STOP_SECONDS) -> Any:
    """What the condition gives once that is true; fails where it never is."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)
    return found


@dataclass
class Product:
    """One that was started."""

    home: Path
    port: int
    process: subprocess.Popen[str]
    printed: list[str] = field(default_factory=list)
    """Lines of standard output."""
    complained: list[str] = field(default_factory=list)
    """Lines of standard error."""

    def state(self) -> dict[str, Any]:
        return dict(json.loads((self.home / "run" / "up.json").read_text()))

    def pids(self) -> dict[str, int]:
        return {each["name"]: each["pid"] for each in self.state()["processes"]}

    def get(self, path: str) -> tuple[int, str, bytes]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=STOP_SECONDS) as response:
            return response.status, response.headers.get("Cache-Control", ""), response.read()

    def status(self, **more: str) -> dict[str, Any]:
        """What `status` says."""
        return dict(json.loads(command(self.home, "status", "--json", **more).stdout))

    def status_once_well(self) -> dict[str, Any]:
        """Wait for the first heartbeat of a worker: each call of the command takes a second of processor."""
        eventually(self._has_heartbeat)
        return dict(eventually(lambda: (now := self.status())["well"] and now))

    def _has_heartbeat(self) -> bool:
        with suppress(RedisError), Redis(unix_socket_path=str(self.home / "valkey" / "valkey.sock")) as client:
            return bool(client.exists(PULSE))
        return False

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def running(
    home: Path, port: int = 0, program: Sequence[str] = UP, folder: Path = CHECKOUT, **more: str
) -> Iterator[Product]:
    """Start the product and wait for its first line of output. Kills all its processes at the end."""
    port = port or free_port()
    process = subprocess.Popen(
        program,
        cwd=folder,
        env=environment(home, PORT=str(port), **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_end_on_hangup,  # noqa: PLW1509 - it only sets a signal: no lock of another thread is needed
    )
    product = Product(home, port, process)
    readers = [
        Thread(target=_collect, args=pair, daemon=True)
        for pair in ((process.stdout, product.printed), (process.stderr, product.complained))
    ]
    for reader in readers:
        reader.start()
    try:
        eventually(lambda: product.printed or process.poll() is not None, START_SECONDS)
        yield product
    finally:
        if process.poll() is None:
            process.kill()  # its minder ends the others
            process.wait()
        for reader in readers:
            reader.join(STOP_SECONDS)
        # First: a stream to which a remaining process still writes can't be closed, its reader waits in it.
        eventually(lambda: not processes_of(home))
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def _end_on_hangup() -> None:
    """As in a terminal: a run of the tests under nohup ignores SIGHUP, and a process inherits that."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _collect(stream: Any, lines: list[str]) -> None:
    lines.extend(iter(stream.readline, ""))


def processes_of(home: Path, name: str = "") -> list[int]:
    """Every process with this home in its environment or its arguments: also those that were not reported."""
    sign = f"BROKERUI_HOME={home}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, environ = ((folder / file).read_bytes() for file in ("cmdline", "environ"))
            is_dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            continue
        is_ours = sign in environ or f"{home}/".encode() in command
        if is_ours and name.encode() in command and not is_dead:
            found.append(int(folder.name))
    return found


def start(home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """One that is expected to end by itself."""
    return command(home, "up", **more)


def done(home: Path, *commands: Sequence[str], **more: str) -> str:
    """Run commands of the product in one process, each once the one before has succeeded; return what they print."""
    program = [sys.executable, "-c", SEVERAL, *map(json.dumps, commands)]
    environ = environment(home, **more)
    ended = subprocess.run(
        program, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False, timeout=START_SECONDS
    )
    assert ended.returncode == 0, (commands, ended.stdout, ended.stderr)
    return ended.stdout


def command(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command of the product."""
    return subprocess.run(
        [sys.executable, "-m", "brokerui.cli.main", *words],
        cwd=CHECKOUT,
        env=environment(home, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=START_SECONDS,
    )
