"""Estates with all that a document can hold besides routing, and edits of them as values."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.common.names import MSDB
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetMirroringRole,
    SetQueue,
)
from routing.model.estate import MIRROR, PRINCIPAL, Database, Edit, Estate, Instance
from routing.model.route import Route
from tests.naive.message import service_names
from tests.strategies.choices import Chooser, HypothesisChooser, chance, pick, some
from tests.strategies.estate import draw_estate

Json = dict[str, Any]
# Names that a careless comparison takes for equal: case, width, accents composed or not, spaces, quotes, beyond
# the Basic Multilingual Plane.
NAMES = (
    "Ship",
    "ship",
    "Ship ",
    "SHIP",
    "Schiff",
    "Straße",
    "STRASSE",
    "é",
    "e\u0301",
    "路由",
    "\U0001f6a2",
    "a'\"b\\",
    "%_",
    "\t",
)


def draw_rich(c: Chooser) -> Json:
    """An estate with endpoints, queues, contracts and all the rest."""
    estate = draw_estate(c)
    for instance in estate["instances"]:
        if chance(c, 50):
            instance["endpoint"] = _endpoint(c)
        if instance.get("addresses") and chance(c, 20):
            instance["addresses"].append(instance["addresses"][0].upper())
        if missing := some(c, 2, 20, lambda _: _missing_statement(c)):
            instance["missing_statements"] = missing
        for database in instance["databases"]:
            if chance(c, 20):
                database.update(_collected(c))
            c.part(lambda database=database: _enrich(c, database))  # type: ignore[misc] - mypy cannot infer a lambda with a default
    return estate


def _endpoint(c: Chooser) -> Json:
    return {
        "port": pick(c, (4022, 1, 65_535)),
        "state": pick(c, ("STARTED", "STOPPED", "DISABLED")),
        "encryption": pick(c, ("REQUIRED", "SUPPORTED", "DISABLED")),
        "authentication": pick(c, ("WINDOWS", "CERTIFICATE c")),
        "forward_size": pick(c, (10, 0, 2**31 - 1)),
    }


def _missing_statement(c: Chooser) -> Json:
    return {
        "statement": pick(c, (None, "CREATE ROUTE")),
        "database": pick(c, (None, *NAMES)),
        "object": pick(c, (None, *NAMES)),
        "file": pick(c, (None, "a.sql")),
        "line": pick(c, (None, 1, 1_000_000_000)),
    }


def _collected(c: Chooser) -> Json:
    moment = pick(c, (None, "2030-01-31T12:00:00.000001Z"))
    sums = [
        {
            "messages": pick(c, (1, 10**15)),
            "status": pick(c, ("", "The target service broker is unreachable.", "x" * 4000, "\u2026'\"")),
            "from_service": pick(c, (None, *NAMES)),
            "to_service": pick(c, (None, *NAMES)),
            "to_broker_instance": pick(c, (None, "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d")),
            "oldest": moment,
        }
    ]
    states = [{"endpoints": 3, "state": pick(c, ("DI", "CD")), "service": None, "far_service": pick(c, NAMES)}]
    return {
        "transmission_queue": {"collected_at": moment, "rows": sums, "left_out": pick(c, (0, 7))},
        "conversation_endpoints": {"collected_at": moment, "rows": states, "left_out": 0},
    }


def _enrich(c: Chooser, database: Json) -> None:
    makers = {
        "queues": _queue,
        "contracts": _contract,
        "message_types": _message_type,
        "priorities": _priority,
        "remote_service_bindings": _binding,
    }
    for kind, make in makers.items():
        names = dict.fromkeys(some(c, 3, 40, lambda _: pick(c, NAMES)))
        if names:
            database[kind] = [make(c, name) for name in names]
    services = database.setdefault("services", [])
    for name in _free(c, service_names(database)):
        contracts = some(c, 3, 50, lambda _: pick(c, NAMES))
        services.append({"name": name, "queue": pick(c, (None, *NAMES)), "contracts": contracts})
    for name in _free(c, [route["name"] for route in database["routes"]]):
        lifetime = pick(c, (None, "2030-01-31T12:00:00.000001Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"))
        address = pick(c, (" local ", "TCP://A.example/"))
        database["routes"].append({"name": name, "address": address, "lifetime": lifetime})


def _free(c: Chooser, taken: list[str]) -> list[str]:
    """Names that no other has yet."""
    drawn = dict.fromkeys(some(c, 2, 30, lambda _: pick(c, NAMES)))
    return [name for name in drawn if name not in taken]


def _queue(c: Chooser, name: str) -> Json:
    activation = {"procedure": "dbo.p", "max_readers": pick(c, (1, 0, 32_767)), "enabled": not chance(c, 30)}
    return {
        "name": name,
        "enabled": not chance(c, 30),
        "retention": chance(c, 30),
        "poison_handling": not chance(c, 30),
        "activation": activation if chance(c, 40) else None,
    }


def _contract(c: Chooser, name: str) -> Json:
    messages = some(c, 3, 60, lambda _: {"message_type": pick(c, NAMES), "sent_by": pick(c, ("ANY", "TARGET"))})
    return {"name": name, "messages": messages}


def _message_type(c: Chooser, name: str) -> Json:
    return {"name": name, "validation": pick(c, ("NONE", "VALID_XML")), "schema_collection": pick(c, (None, "dbo.c"))}


def _priority(c: Chooser, name: str) -> Json:
    services = {key: pick(c, (None, *NAMES)) for key in ("contract_name", "local_service_name", "remote_service_name")}
    return {"name": name, **services, "priority_level": pick(c, (5, 1, 10))}


def _binding(c: Chooser, name: str) -> Json:
    return {
        "name": name,
        "remote_service_name": pick(c, NAMES),
        "user": pick(c, (None, "u")),
        "anonymous": chance(c, 30),
    }


@st.composite
def rich_estates(draw: st.DrawFn) -> Estate:
    """Estates that hold something of every kind."""
    return read_estate(json.dumps(draw_rich(HypothesisChooser(draw))))


def draw_edit(c: Chooser, estate: Estate, other: Estate) -> Edit | None:
    """Draw an edit that this estate accepts, with parts of another one; None if the estate refuses it."""
    donors = [one for one in other.instances.values() if one.databases] or [Instance("spare", {"Db0": Database("Db0")})]
    donor = pick(c, donors)
    given = pick(c, list(donor.databases.values()))
    here = pick(c, list(estate.instances.values()) or [donor])
    there = pick(c, list(here.databases.values()) or [Database(MSDB)])
    edit = pick(c, _edits(c, here, there, donor, given))
    try:
        estate.edited([edit])
    except Invalid:
        return None
    return edit


def _edits(c: Chooser, here: Instance, there: Database, donor: Instance, given: Database) -> list[Edit]:
    """One of each kind."""
    drawn = Route(pick(c, NAMES), pick(c, (None, *NAMES)), None, None, parse_address(pick(c, ("LOCAL", "local"))))
    route = pick(c, list(given.table.routes.values()) or [drawn])
    service = pick(c, given.services or (Service(pick(c, NAMES)),))
    names = [*there.table.routes, "none"]
    return [
        PutRoute(here.name, there.name, drawn),
        PutRoute(here.name, there.name, route),
        DropRoute(here.name, there.name, pick(c, names)),
        PutService(here.name, there.name, service),
        DropService(here.name, there.name, pick(c, [s.name for s in there.services] or ["none"])),
        PutDatabase(here.name, given),
        DropDatabase(here.name, there.name),
        PutInstance(donor),
        DropInstance(here.name),
        SetForwarding(here.name, not here.forwarding),
        SetBroker(here.name, there.name, not there.broker_enabled),
        SetQueue(here.name, there.name, pick(c, [q.name for q in there.queues] or ["dbo.New"]), chance(c, 50)),
        SetMirroringRole(here.name, there.name, pick(c, (None, PRINCIPAL, MIRROR))),
        SetHopLimit(c.below(256)),
    ]


def draw_edits(c: Chooser, estate: Estate, other: Estate, most: int = 6) -> list[Edit]:
    """Edits that can be made one after the other."""
    made: list[Edit] = []
    for drawn in range(most):
        edit = draw_edit(c, estate, other) if chance(c, 90) or not drawn else None
        if edit is not None:
            made.append(edit)
            estate = estate.edited([edit])
    return made


@st.composite
def edited(draw: st.DrawFn) -> tuple[Estate, list[Edit]]:
    """An estate and edits that it takes."""
    c = HypothesisChooser(draw)
    estate = read_estate(json.dumps(draw_rich(c)))
    return estate, draw_edits(c, estate, read_estate(json.dumps(draw_rich(c))))
