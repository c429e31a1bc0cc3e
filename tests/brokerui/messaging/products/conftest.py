"""Two deployments on one machine, each with all its processes: `A` and `B` talk to each other, `H` to itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from brokerui.client import Client
from brokerui.core.home import CHECKOUT
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import Product, environment, free_port, running

FIRST: Final = """
USE one
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
CREATE ROUTE r WITH SERVICE_NAME = 'To', ADDRESS = 'tcp://127.0.0.1:{there}'
GO
USE shared
GO
CREATE QUEUE WorkQ
CREATE SERVICE [Work] ON QUEUE WorkQ ([DEFAULT])
CREATE QUEUE AskQ
CREATE SERVICE [Ask] ON QUEUE AskQ
GO
USE activated
GO
CREATE QUEUE EchoQ WITH ACTIVATION (PROCEDURE_NAME = dbo.Echo, MAX_QUEUE_READERS = 2, EXECUTE AS SELF)
CREATE SERVICE [Echo] ON QUEUE EchoQ ([DEFAULT])
"""
SECOND: Final = """
USE two
GO
CREATE QUEUE ToQ
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
CREATE ROUTE r WITH SERVICE_NAME = 'From', ADDRESS = 'tcp://127.0.0.1:{there}'
"""
ACTIVATION: Final = {"ACTIVATION_TASKS": "dbo.Echo", "ACTIVATION_IMPORTS": "tests.brokerui.messaging.procedures"}


TOKEN: Final = """
import json, sys
from brokerui.cli.main import main
assert not any(main(json.loads(words)) for words in sys.argv[1:])
from django.contrib.auth.models import User
from brokerui.accounts.services import token_create
print(token_create(user=User.objects.first(), name="clients")[1])
"""
"""A program that runs commands of the product, and prints a token for its messaging verbs."""


class Access(NamedTuple):
    """The address of a product, and a token."""

    site: str
    token: str

    def client(self) -> Client:
        return Client(self.site, token=self.token)


def host(product: Product, name: str, script: str, here: int, there: int) -> Access:
    """Host the instance with the databases and objects of a script."""
    databases = [word for line in script.splitlines() if line.startswith("USE ") for word in ("--database", line[4:])]
    address = f"tcp://127.0.0.1:{here}"
    file = product.home / "objects.sql"
    file.write_text(script.format(there=there))
    commands = (
        ("host", name, "--listen", address, *databases),
        ("estate", "import", "--into", f"{name}@{address}={file}"),
    )
    program = [sys.executable, "-c", TOKEN, *map(json.dumps, commands)]
    environ = environment(product.home)
    ended = subprocess.run(program, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, (ended.stdout, ended.stderr)
    return Access(f"http://127.0.0.1:{product.port}", ended.stdout.split()[-1])


Hosted = tuple[tuple[Product, Access], tuple[Product, Access]]


def reads_well(home: Path) -> None:
    """Each line of the log of all processes is an object, and no log holds a secret of the home."""
    logs = "\n".join(file.read_text(errors="replace") for file in home.glob("log/*"))
    for line in (home / "log" / "all.log").read_text().splitlines():
        assert json.loads(line)["process"]
    secrets = [file.read_text().strip() for file in home.glob("*secret*")]
    assert secrets
    assert not [secret for secret in secrets if secret in logs]


@pytest.fixture(scope="package")
def hosted(tmp_path_factory: pytest.TempPathFactory, make_home: MakeHome) -> Iterator[Hosted]:
    """One hosts `A` and starts readers of its activated queue; the other hosts `B`."""
    homes = [make_home(tmp_path_factory.mktemp(name)) for name in "ab"]
    more = {"DEMO": "0", "API_RATE_USER": "100000/min", "LOG_FORMAT": "json"}
    with running(homes[0], **more, **ACTIVATION) as first, running(homes[1], **more) as second:
        ports = free_port(), free_port()
        yield (first, host(first, "A", FIRST, *ports)), (second, host(second, "B", SECOND, *reversed(ports)))
        for product in (first, second):
            assert product.stop() == 0
            reads_well(product.home)


@pytest.fixture(scope="package")
def products(hosted: Hosted) -> tuple[Product, Product]:
    (first, _), (second, _) = hosted
    return first, second


@pytest.fixture(scope="package")
def accesses(hosted: Hosted) -> tuple[Access, Access]:
    (_, first), (_, second) = hosted
    return first, second
