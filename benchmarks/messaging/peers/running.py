"""The peers, installed and run: RabbitMQ's two nodes, and programs with a Python of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scripts.postgres import Server
from tests.brokerui.product import free_port

HERE = Path(__file__).resolve().parent
PACKAGES = ("pika", "procrastinate", "celery[redis]", "psycopg[binary]")
PROGRAMS = Path("/usr/lib/rabbitmq/bin")
SECONDS = 90


class CannotBeHad(Exception):
    """A peer that does not run here, and why."""


class Peers:
    """Programs of the peers with a Python of their own, which is made in a folder."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "bin" / "python"
        try:
            if not self.python.exists():
                subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
            install = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
            subprocess.run(install, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            raise CannotBeHad(f"its packages cannot be installed: {str(error.stderr).strip()[-200:]}") from error

    def rate(self, program: str, *words: object, **environ: str) -> float:
        """The last number that a program prints."""
        return self.figures(program, *words, **environ)[-1]

    def figures(self, program: str, *words: object, **environ: str) -> list[float]:
        """The numbers of the last line that a program prints."""
        command = [str(self.python), str(HERE / f"{program}.py"), *map(str, words)]
        output = subprocess.run(
            command, env={**os.environ, **environ}, capture_output=True, text=True, check=False, timeout=600
        )
        if output.returncode:
            raise CannotBeHad(output.stderr.strip()[-400:])
        return [float(word) for word in output.stdout.splitlines()[-1].split()]

    @contextmanager
    def worker(self, **environ: str) -> Iterator[None]:
        """Of Celery."""
        command = [str(self.python), str(HERE / "with_celery.py"), "worker"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, env={**os.environ, **environ}, stdout=quiet, stderr=quiet)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def conninfo(server: Server, database: str) -> str:
    return f"host={server.folder} user=brokerui dbname={database}"


# ---------------------------------------------------------------- RabbitMQ
@contextmanager
def rabbit_pair(folder: Path) -> Iterator[tuple[int, int]]:
    """The ports of two nodes, with a shovel from a durable queue of the first to one of the second."""
    if not PROGRAMS.is_dir() or shutil.which("erl") is None:
        raise CannotBeHad("RabbitMQ is not installed (apt-get install rabbitmq-server)")
    with ExitStack() as stack:
        names = free_port()
        first, second = (stack.enter_context(_node(folder, f"peer{number}", names)) for number in (1, 2))
        first.declare()
        second.declare()
        first.shovel(second)
        yield first.port, second.port


class _Node:
    def __init__(self, folder: Path, name: str, names: int) -> None:
        self.port = free_port()
        self.name = f"{name}@localhost"
        self.folder = folder / name
        self.folder.mkdir()
        (self.folder / "plugins").write_text("[rabbitmq_shovel].")
        self.environ = {
            **os.environ,
            "HOME": str(folder),  # of the cookie, which both nodes know
            "ERL_EPMD_PORT": str(names),
            "RABBITMQ_NODENAME": self.name,
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self.folder),
            "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "none"),
        }

    def control(self, *words: str) -> None:
        output = subprocess.run(
            [PROGRAMS / "rabbitmqctl", "-n", self.name, *words],
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        if output.returncode:
            raise CannotBeHad(f"rabbitmqctl {words[0]}: {(output.stdout + output.stderr).strip()[-400:]}")

    def await_start(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + SECONDS
        while True:
            try:
                return self.control("await_startup", "--timeout", "60")
            except CannotBeHad:
                if process.poll() is not None or time.monotonic() > until:
                    raise
                time.sleep(1)  # each try is a virtual machine that starts

    def declare(self) -> None:
        name = 'rabbit_misc:r(<<"/">>, queue, <<"q">>)'
        self.control("eval", f'rabbit_amqqueue:declare({name}, true, false, [], none, <<"bench">>).')

    def shovel(self, other: _Node) -> None:
        value = {
            "src-protocol": "amqp091",
            "src-uri": f"amqp://127.0.0.1:{self.port}",
            "src-queue": "q",
            "src-prefetch-count": 1000,
            "dest-protocol": "amqp091",
            "dest-uri": f"amqp://127.0.0.1:{other.port}",
            "dest-queue": "q",
            "ack-mode": "on-confirm",
        }
        self.control("set_parameter", "shovel", "s", json.dumps(value))


@contextmanager
def _node(folder: Path, name: str, names: int) -> Iterator[_Node]:
    node = _Node(folder, name, names)
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([PROGRAMS / "rabbitmq-server"], env=node.environ, stdout=quiet, stderr=quiet)
    try:
        node.await_start(process)
        yield node
    finally:
        process.terminate()
        process.wait(60)
        # The last one ends what tells nodes of each other.
        subprocess.run(["epmd", "-port", node.environ["ERL_EPMD_PORT"], "-kill"], capture_output=True, check=False)
