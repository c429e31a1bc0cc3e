"""Two deployments on one machine, each with all its processes: `A` and `B` talk to each other, `H` to itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.brokerui.homes import MakeHome
from tests.brokerui.product import Product, done, free_port, running

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


def host(product: Product, name: str, script: str, here: int, there: int) -> None:
    """Host the instance with the databases and objects of a script."""
    databases = [word for line in script.splitlines() if line.startswith("USE ") for word in ("--database", line[4:])]
    address = f"tcp://127.0.0.1:{here}"
    file = product.home / "objects.sql"
    file.write_text(script.format(there=there))
    import_it = ("estate", "import", "--into", f"{name}@{address}={file}")
    done(product.home, ("host", name, "--listen", address, *databases), import_it)


def reads_well(home: Path) -> None:
    """Each line of the log of all processes is an object, and no log holds a secret of the home."""
    logs = "\n".join(file.read_text(errors="replace") for file in home.glob("log/*"))
    for line in (home / "log" / "all.log").read_text().splitlines():
        assert json.loads(line)["process"]
    secrets = [file.read_text().strip() for file in home.glob("*secret*")]
    assert secrets
    assert not [secret for secret in secrets if secret in logs]


@pytest.fixture(scope="package")
def products(tmp_path_factory: pytest.TempPathFactory, make_home: MakeHome) -> Iterator[tuple[Product, Product]]:
    """One hosts `A` and starts readers of its activated queue; the other hosts `B`."""
    homes = [make_home(tmp_path_factory.mktemp(name)) for name in "ab"]
    more = {"DEMO": "0", "API_RATE_USER": "100000/min", "LOG_FORMAT": "json"}
    with running(homes[0], **more, **ACTIVATION) as first, running(homes[1], **more) as second:
        ports = free_port(), free_port()
        host(first, "A", FIRST, *ports)
        host(second, "B", SECOND, *reversed(ports))
        yield first, second
        for product in (first, second):
            assert product.stop() == 0
            reads_well(product.home)
