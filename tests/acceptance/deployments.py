"""Two deployments on one machine, each with all its processes, on databases of one PostgreSQL server.

An instance `A` with the service `From` in database `one`; an instance `B` with `To` in `two`. What an application does
is a function of `tests.acceptance.applications`, which runs in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brokerui.core.home import CHECKOUT
from scripts.postgres import Server
from tests.brokerui.product import Product, command, environment, free_port, running

OBJECTS = """
USE {database}
GO
CREATE QUEUE {service}Q
CREATE SERVICE [{service}] ON QUEUE {service}Q ([DEFAULT])
CREATE ROUTE r WITH SERVICE_NAME = '{far}', ADDRESS = 'tcp://127.0.0.1:{there}'
"""
IDENTIFIERS = {name: f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for name, digit in (("A", 1), ("B", 2))}
Ports = Mapping[str, tuple[int, int]]
"""Ports of each instance: where it listens, and where it can be reached."""
PROGRAM = """
import sys
from brokerui.core.start import django_ready; django_ready()
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

    def host_pair(self, far: Deployment, ports: Ports) -> None:
        """Its instance and a mirror of it, `A` and `AM`, each behind a port of its own; so is the other deployment."""
        names = (self.instance, f"{self.instance}M")
        document = {
            "format": "brokerui.estate/1",
            "instances": [
                self._of_pair(name, role, far, ports) for name, role in zip(names, ("PRINCIPAL", "MIRROR"), strict=True)
            ],
        }
        file = self.home / "pair.json"
        file.write_text(json.dumps(document))
        self.command("estate", "import", str(file))
        for name in names:
            self.command("host", name, "--listen", f"tcp://127.0.0.1:{ports[name][0]}")

    def _of_pair(self, name: str, role: str, far: Deployment, ports: Ports) -> dict[str, Any]:
        addresses = [f"tcp://127.0.0.1:{ports[far.instance + letter][1]}" for letter in ("", "M")]
        way = {"name": "r", "remote_service_name": far.service, "broker_instance": IDENTIFIERS[far.instance]}
        database = {
            "name": self.database,
            "broker_instance": IDENTIFIERS[self.instance],
            "mirroring_role": role,
            "services": [{"name": self.service, "queue": f"dbo.{self.service}Q", "contracts": ["DEFAULT"]}],
            "routes": [{**way, "address": addresses[0], "mirror_address": addresses[1]}],
        }
        local = {"name": "AutoCreatedLocal", "address": "LOCAL"}
        address = f"tcp://127.0.0.1:{ports[name][0]}"
        return {"name": name, "addresses": [address], "databases": [database, {"name": "msdb", "routes": [local]}]}

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

    def stop(self) -> None:
        """As it wants to be asked to; it must not have ended by itself."""
        assert self.process.poll() is None, "it has ended by itself"
        self.process.terminate()
        self.says()
        self.process.wait()

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
            product = stack.enter_context(running(home, 0, **settings))  # type: ignore[arg-type]  # no setting is `folder`
            made.append(Deployment(product, name, database, service, free_port(), settings))
        first, second = made
        yield first, second


def join(first: Deployment, second: Deployment) -> None:
    """Routes between the two."""
    first.host(second, second.listens_at)
    second.host(first, first.listens_at)


def exchange_keys(first: Deployment, second: Deployment) -> None:
    """So that dialogs from the first to the second are encrypted."""
    files = []
    for one in (first, second):
        file = one.home / "public.pem"
        file.write_text(one.command("keys", "make", one.place))
        files.append(str(file))
    first.command("keys", "import", first.place, files[1], "--service", second.service)
    second.command("keys", "import", second.place, files[0])
