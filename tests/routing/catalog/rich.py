"""Estates with everything that a catalog can tell, on top of the drawn ones."""

from __future__ import annotations

import json
from typing import Any

from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from tests.routing.catalog.server import AUTHENTICATIONS
from tests.strategies.choices import Chooser, chance, pick, some
from tests.strategies.estate import draw_estate

Json = dict[str, Any]
NAMES = (
    "Alpha",
    "//x.example/Beta",
    'q"u\\o<t>e|d & c,o;l',
    "тест ☃ 𝄞",
    "[x].[y]",
    "tab\tline\nend",
    "{}",
    "NULL",
    "a''b",
)
QUEUES = ("dbo.Alpha", "app.Be ta", "dbo.q]ueue", "dbo.a.b")


def draw_rich(c: Chooser) -> Estate:
    """An estate whose instances have endpoints, and their databases all kinds of objects."""
    document = draw_estate(c)
    for instance in document["instances"]:
        if instance.get("forwarding") or chance(c, 50):
            instance["endpoint"] = draw_endpoint(c)
        for database in instance["databases"]:
            enrich(c, database)
    return read_estate(json.dumps(document))


def draw_endpoint(c: Chooser) -> Json:
    return {
        "port": pick(c, (4022, 5022)),
        "state": pick(c, ("STARTED", "STOPPED", "DISABLED")),
        "encryption": pick(c, ("REQUIRED", "SUPPORTED", "DISABLED")),
        "authentication": pick(c, AUTHENTICATIONS),
        "forward_size": c.below(100),
    }


def enrich(c: Chooser, database: Json) -> None:
    if chance(c, 30):
        database["services"] = [draw_service(c, name) for name in names(c)] or database.get("services", [])
    database["queues"] = [draw_queue(c, name) for name in names(c, QUEUES)]
    database["contracts"] = [draw_contract(c, name) for name in names(c)]
    database["message_types"] = [draw_message_type(c, name) for name in names(c)]
    database["priorities"] = [
        {
            "name": name,
            "contract_name": pick(c, (None, *NAMES)),
            "local_service_name": pick(c, (None, *NAMES)),
            "remote_service_name": pick(c, (None, *NAMES)),
            "priority_level": 1 + c.below(10),
        }
        for name in names(c)
    ]
    database["remote_service_bindings"] = [
        {"name": name, "remote_service_name": pick(c, NAMES), "user": pick(c, (None, "me")), "anonymous": chance(c, 50)}
        for name in names(c)
    ]


def names(c: Chooser, pool: tuple[str, ...] = NAMES) -> list[str]:
    return list(dict.fromkeys(some(c, 3, 50, lambda _: pick(c, pool))))


def draw_service(c: Chooser, name: str) -> Json:
    return {"name": name, "queue": pick(c, (None, *QUEUES)), "contracts": names(c)}


def draw_queue(c: Chooser, name: str) -> Json:
    queue: Json = {
        "name": name,
        "enabled": not chance(c, 30),
        "retention": chance(c, 30),
        "poison_handling": not chance(c, 30),
    }
    if chance(c, 50):
        procedure = pick(c, ("dbo.Proc", "app.a]b"))
        queue["activation"] = {"procedure": procedure, "max_readers": c.below(9), "enabled": chance(c, 50)}
    return queue


def draw_contract(c: Chooser, name: str) -> Json:
    return {
        "name": name,
        "messages": [{"message_type": each, "sent_by": pick(c, ("INITIATOR", "TARGET", "ANY"))} for each in names(c)],
    }


def draw_message_type(c: Chooser, name: str) -> Json:
    validation = pick(c, ("NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML"))
    collection = "dbo.Schemas" if validation == "VALID_XML" else None
    return {"name": name, "validation": validation, "schema_collection": collection}
