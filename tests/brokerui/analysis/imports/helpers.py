"""Files to import, and imports on their way."""

from __future__ import annotations

from uuid import uuid4

from brokerui.analysis.imports.import_job import run_do
from brokerui.analysis.imports.models import ImportRun
from brokerui.analysis.imports.services import Assignment, Given, run_assign, run_create
from brokerui.analysis.imports.sources import Kind, Mode
from brokerui.estate.packing import digest_of, pack_estate
from brokerui.estate.selectors import LiveEstate
from routing.model.estate import Estate

SHOP = """USE master;
CREATE ENDPOINT Broker STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS);
GO
CREATE DATABASE Orders;
GO
USE Orders;
CREATE QUEUE ShipQueue;
CREATE SERVICE Ship ON QUEUE ShipQueue;
CREATE ROUTE ToParts WITH SERVICE_NAME = 'Parts', ADDRESS = 'tcp://depot:4022';
GO
"""
DEPOT = """CREATE DATABASE Stock;
GO
USE Stock;
CREATE QUEUE PartsQueue;
CREATE SERVICE Parts ON QUEUE PartsQueue ([DEFAULT]);
CREATE ROUTE ToShop WITH SERVICE_NAME = 'Ship', ADDRESS = 'tcp://shop:4022';
GO
"""
OFFICE = """CREATE DATABASE Bills;
GO
USE Bills;
CREATE ROUTE ToBank WITH SERVICE_NAME = 'Bank', ADDRESS = 'tcp://bank:4022';
GO
"""
THREE = {"shop.sql": SHOP, "depot.sql": DEPOT, "office.sql": OFFICE}


def uploaded(files: dict[str, str | bytes] | None = None, token: str = "") -> ImportRun:
    contents = {name: text if isinstance(text, bytes) else text.encode() for name, text in (files or THREE).items()}
    given = [Given(name, content) for name, content in contents.items()]
    return run_create(given=given, author="editor", token=token or uuid4().hex)


def assigned(run: ImportRun, mode: Mode = Mode.INSTANCES) -> ImportRun:
    """As the files were guessed."""
    rows = run.files.defer("content")
    guessed = [Assignment(Kind(row.kind), row.instance, row.database, row.address) for row in rows]
    return run_assign(run=run, assignments=guessed, mode=mode, author="editor")


def previewed(files: dict[str, str | bytes] | None = None, mode: Mode = Mode.INSTANCES) -> ImportRun:
    run = assigned(uploaded(files), mode)
    assert run_do(run.pk)
    run.refresh_from_db()
    return run


def as_live(estate: Estate) -> LiveEstate:
    """The estate as the first version of a live one."""
    return LiveEstate(1, digest_of("", pack_estate(estate)), estate)
