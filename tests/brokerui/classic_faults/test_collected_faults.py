"""Classic faults that only a server can show: leaks, security and failovers, from the grid to the remedy.

The scripts are sound; the rows collected from the servers show the fault. Import, lint, explain and pages agree on it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.classic_faults.faults import DEPOT, SHOP
from tests.brokerui.classic_faults.test_faults import linted, words_of
from tests.brokerui.cli.command_line import Call, call_with, written
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
AT = "2030-01-01"
STOCK = "//depot/Stock"
KEY = "8a1c2f10-0000-4000-8000-000000000002"
Grid = tuple[str, tuple[str, ...], int]
"""The heading, the cells of a row, and how many such rows there are."""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


@dataclass(frozen=True)
class CollectedFault:
    """A fault: the server where its rows were collected, and the findings that lint has to give for it."""

    name: str
    place: str
    """Instance and database of the grid."""
    columns: tuple[str, ...]
    row: tuple[str, ...]
    rows: int
    code: str
    cause: str
    step: str
    sql: str = ""
    """A piece of the T-SQL that explain and Delayed offer; empty: none is offered."""
    runs_on: str = ""
    """The instance on which it is to run."""


WAITING = ("to_service_name", "from_service_name", "enqueue_time", "transmission_status")
LEFT = ("conversation_handle", "state", "state_desc", "far_service")
NOT_SET_UP = "Dialog security is not available for this conversation because there is no remote service binding for "


def stuck(status: str) -> dict[str, Any]:
    row = (STOCK, "//shop/Orders", "2029-12-31 10:00:00.000", status)
    return {"place": "shop/Orders", "columns": WAITING, "row": row, "rows": 12}


def left(place: str, state: str, words: str, far: str) -> dict[str, Any]:
    return {"place": place, "columns": LEFT, "row": ("", state, words, far), "rows": 1_200}


FAULTS = (
    CollectedFault(
        "the target never ends",
        **left("depot/Stock", "DI", "DISCONNECTED_INBOUND", "//shop/Orders"),
        code="conversation-leak",
        cause="The other side has ended, and the application here has not.",
        step="END CONVERSATION at each EndDialog message",
    ),
    CollectedFault(
        "the initiator fires and forgets",
        **left("shop/Orders", "CD", "CLOSED", STOCK),
        code="conversation-leak",
        cause="Ended on both sides; SQL Server keeps them against repeated messages.",
        step="Let the target end first, and give dialogs a LIFETIME",
    ),
    CollectedFault(
        "there is no remote service binding",
        **stuck(f"{NOT_SET_UP}the target service. Create a remote service binding, or …"),
        code="dialog-security",
        cause="its database has no key for the other one: no remote service binding.",
        step="CREATE REMOTE SERVICE BINDING",
        sql=f"CREATE REMOTE SERVICE BINDING [To {STOCK}] TO SERVICE N'{STOCK}'",
        runs_on="shop",
    ),
    CollectedFault(
        "the database was restored without its master key",
        **stuck("Service Broker needs to access the master key in the database 'Orders'. Error code:32. …"),
        code="dialog-security",
        cause="Service Broker cannot open the master key of the database that the status names.",
        step="OPEN MASTER KEY and ALTER MASTER KEY ADD ENCRYPTION BY SERVICE MASTER KEY",
        sql="ALTER MASTER KEY ADD ENCRYPTION BY SERVICE MASTER KEY;",
        runs_on="shop",
    ),
    CollectedFault(
        "the certificate has expired",
        **stuck("The security certificate bound to database principal (Id: 1) has expired. Create or install …"),
        code="dialog-security",
        cause="The certificate of dialog security has expired.",
        step="Create a new one",
        sql="N'CREATE CERTIFICATE ' + N'[Dialogs of //shop/Orders until ",
        runs_on="shop",
    ),
    CollectedFault(
        "the login may not connect",
        **stuck(
            "Connection handshake failed. The login 'DOM\\SHOP$' does not have CONNECT permission on the endpoint."
        ),
        code="transport-security",
        cause="the login of this server has no CONNECT permission on its endpoint.",
        step="GRANT CONNECT ON ENDPOINT",
        sql="TO ' + N'[DOM\\SHOP$]'",
        runs_on="depot",
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_cause_is_named_with_its_step_and_its_statement(
    call: Call, viewer: Client, tmp_path: Path, fault: CollectedFault
) -> None:
    estate = imported(call, tmp_path, fault)
    (found,) = linted(call, estate)
    assert (found["severity"], found["code"]) == ("warning", fault.code)
    assert fault.cause in found["reason"]
    assert fault.step in found["reason"]
    estate_import(estate=read_estate(estate.read_bytes()), author="test")
    assert found["reason"] in words_of(viewer.get("/findings/"))
    delayed = words_of(viewer.get("/delayed/"))
    assert fault.cause in delayed
    assert fault.step in delayed
    answer = call("explain", estate, "--from", "shop/Orders", "--to", STOCK, "--at", AT).out.partition("\nWhy\n")[0]
    assert answer.startswith(f"{DELIVERED}\n"), "the routes are sound"
    where = words_of(viewer.get("/where/", {"from": "shop/Orders", "to": STOCK}))
    if not fault.sql:
        assert "Remedy" not in answer
        return
    assert fault.cause in answer
    assert f"Remedy, to be run on {fault.runs_on}\n" in answer
    for text in (answer, delayed, where):
        assert fault.sql in text
        assert "It was not tried: no estate has keys, certificates, permissions and files." in text
        assert "routing delivers it in Stock on depot." in text


def imported(call: Call, folder: Path, fault: CollectedFault) -> Path:
    """The sound estate with the grid, which the import takes without a word."""
    estate, after = folder / "estate.json", folder / "collected.json"
    files = [f"{name}={written(folder, f'{name}.sql', text.lstrip())}" for name, text in SERVERS.items()]
    assert call("import-sql", *files, "--at", AT, "-o", estate).err == ""
    rows = ["\t".join(fault.columns), *("\t".join(cells(fault.row, number)) for number in range(fault.rows))]
    grid = written(folder, "grid.tsv", "\n".join(rows) + "\n")
    answer = call("import-catalog", f"{fault.place}={grid}", "--into", estate, "--at", AT, "-o", after)
    assert answer.status == 0, answer.err
    return after


def cells(row: tuple[str, ...], number: int) -> tuple[str, ...]:
    """A conversation handle stands in place of an empty cell."""
    return tuple(cell or f"{number:08X}-0000-4000-8000-000000000001" for cell in row)


SERVERS: Mapping[str, str] = {"shop": SHOP, "depot": DEPOT}


# -- Mirroring -----------------------------------------------------------------------------------------------


def mirrored(first: str, second: str, mirror: str | None = None) -> dict[str, Any]:
    """shop sends to Stock, whose copies on depot and spare have these roles."""
    local = {"name": "AutoCreatedLocal", "address": "LOCAL"}
    way = {"name": "ToStock", "remote_service_name": STOCK, "broker_instance": KEY, "address": "tcp://depot:4022"}
    back = {"name": "Back", "remote_service_name": "//shop/Orders", "address": "tcp://shop:4022"}
    orders = {"name": "Orders", "services": ["//shop/Orders"], "routes": [local, way | {"mirror_address": mirror}]}
    stock = {"name": "Stock", "services": [STOCK], "broker_instance": KEY, "routes": [local, back]}
    databases = {
        "shop": orders,
        "depot": stock | {"mirroring_role": first},
        "spare": stock | {"mirroring_role": second},
    }
    msdb = {"name": "msdb", "routes": [local]}
    instances = [
        {"name": name, "addresses": [f"tcp://{name}:4022"], "databases": [database, msdb]}
        for name, database in databases.items()
    ]
    return {"format": "brokerui.estate/1", "instances": instances}


DELIVERED, DROPPED = "Always delivered: Stock on depot", "Always dropped: Gets as far as depot"
MIRROR = "ALTER ROUTE [ToStock] WITH MIRROR_ADDRESS = N'tcp://spare:4022';"


@pytest.mark.parametrize(
    ("roles", "severity", "code", "title", "cause"),
    [
        (("PRINCIPAL", "MIRROR"), "warning", "route-to-replica", DELIVERED, "find their way back"),
        (("MIRROR", "PRINCIPAL"), "error", "leads-nowhere", DROPPED, "its mirroring role is"),
    ],
)  # fmt: skip
def test_a_route_without_the_mirror_is_found_before_and_after_the_failover(
    call: Call, viewer: Client, tmp_path: Path, roles: tuple[str, str], severity: str, code: str, title: str, cause: str
) -> None:
    estate = written(tmp_path, "estate.json", json.dumps(mirrored(*roles)))
    (found,) = linted(call, estate)
    assert (found["severity"], found["code"], found["object"]) == (severity, code, "ToStock")
    assert found["remedy_sql"] == f"USE [Orders];\n{MIRROR}"
    answer = call("explain", estate, "--from", "shop/Orders", "--to", STOCK, "--at", AT).out.partition("\nWhy\n")[0]
    assert answer.startswith(f"{title}\n")
    assert cause in answer
    assert (MIRROR in answer) == (code == "leads-nowhere"), (
        "a conversation that is delivered now needs no remedy of its own"
    )
    estate_import(estate=read_estate(estate.read_bytes()), author="test")
    findings = words_of(viewer.get("/findings/"))
    assert found["reason"] in findings
    assert MIRROR in findings
    where = words_of(viewer.get("/where/", {"from": "shop/Orders", "to": STOCK}))
    assert cause in where
    assert MIRROR in where
    mended = written(tmp_path, "mended.json", json.dumps(mirrored(*roles, mirror="tcp://spare:4022")))
    assert linted(call, mended) == []
