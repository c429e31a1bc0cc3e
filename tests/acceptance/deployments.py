"""Two deployments on one machine, each with all its processes, on databases of one PostgreSQL server.

An instance `A` with the service `From` in database `one`; an instance `B` with `To` in `two`. What an application does
is a function of `tests.acceptance.applications`, which runs in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brokerui.home import CHECKOUT
from scripts.postgres import Server
from tests.brokerui.product import Product, command, environment, free_port, running

OBJECTS = """
USE {database}
GO
CREATE QUEUE {service}Q
CREATE SERVICE [{service}] ON QUEUE {service}Q ([DEFAULT])
CREATE ROUTE r WITH SERVICE_NAME = '{far}', ADDRESS = 'tcp://127.0.0.1:{there}'
"""
PROGRAM = """
import sys, django
django.setup()
from tests.acceptance import applications
applications.main(*sys.argv[1:])
"""


@dataclass
class Deployment:
    """A product and where it keeps things."""

    product: Product
    instance: str
    database: str
    service: str
    listens_at: int
    settings: dict[str, str]

    @property
    def home(self) -> Path:
        return self.product.home

    def command(self, *words: str) -> str:
        """What a command says that has to succeed."""
        ended = command(self.home, *words, **self.settings)
        assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
        return ended.stdout

    def application(self, function: str, *arguments: object) -> Application:
        """One that is begun, and waits until it may go."""
        words = [sys.executable, "-c", PROGRAM, self.instance, self.database, function, *map(str, arguments)]
        pipe = subprocess.PIPE
        environ = environment(self.home, **self.settings)
        return Application(subprocess.Popen(words, cwd=CHECKOUT, env=environ, stdin=pipe, stdout=pipe, text=True))

    def host(self, far: Deployment, there: int) -> None:
        """Its instance, with a route to an address of the other."""
        address = f"tcp://127.0.0.1:{self.listens_at}"
        self.command("host", self.instance, "--listen", address, "--database", self.database)
        file = self.home / "objects.sql"
        file.write_text(OBJECTS.format(database=self.database, service=self.service, far=far.service, there=there))
        self.command("estate", "import", "--into", f"{self.instance}@{address}={file}")

    @property
    def place(self) -> str:
        return f"{self.instance}/{self.database}"


@dataclass
class Application:
    """A process that says what it has done, a line of JSON at a time."""

    process: subprocess.Popen[str]

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def says(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"it ended with {self.process.wait()}"
        return json.loads(line)

    def end(self) -> None:
        """Whatever it does now."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@contextmanager
def two(folder: Path, server: Server, **more: str) -> Iterator[tuple[Deployment, Deployment]]:
    """Both, started and joined, each with a database of its own in the server."""
    with ExitStack() as stack:
        made = []
        for name, database, service in (("A", "one", "From"), ("B", "two", "To")):
            settings = {"DEMO": "0", "DATABASE_URL": server.create(f"of_{name.lower()}"), **more}
            home = folder / name.lower()
            home.mkdir()
            product = stack.enter_context(running(home, **settings))
            made.append(Deployment(product, name, database, service, free_port(), settings))
        first, second = made
        yield first, second


def join(first: Deployment, second: Deployment, ports: tuple[int, int] | None = None) -> None:
    """Routes between the two; `ports`: of what stands between them, towards each."""
    to_first, to_second = ports or (first.listens_at, second.listens_at)
    first.host(second, to_second)
    second.host(first, to_first)


def exchange_keys(first: Deployment, second: Deployment) -> None:
    """So that dialogs from the first to the second are encrypted."""
    files = []
    for one in (first, second):
        file = one.home / "public.pem"
        file.write_text(one.command("keys", "make", one.place))
        files.append(str(file))
    first.command("keys", "import", first.place, files[1], "--service", second.service)
    second.command("keys", "import", second.place, files[0])
