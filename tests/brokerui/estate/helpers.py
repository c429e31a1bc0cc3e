"""Estates that the tests of the live estate write and read."""

from __future__ import annotations

import json
from typing import Any

from brokerui.estate.cache import estates
from brokerui.estate.models import Version
from brokerui.estate.rows import estate_from_rows
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.estate.services import estate_edit, estate_import
from routing.documents.estate_document import read_estate, write_estate
from routing.model.estate import Edit, Estate
from tests.brokerui.hosted_estates import once

Json = dict[str, Any]
LOCAL: Json = {"name": "AutoCreatedLocal", "address": "LOCAL"}
SMALL = 20
"""The most instances of an estate whose rows are kept for other tests."""
GUID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"


def estate_of(*instances: Json, hop_limit: int = 10) -> Estate:
    return read_estate(json.dumps({"format": "brokerui.estate/1", "hop_limit": hop_limit, "instances": instances}))


def server(name: str, *databases: Json, **more: Any) -> Json:
    return {"name": name, "addresses": [f"tcp://{name}.example:4022"], "databases": list(databases), **more}


def brought_in(estate: Estate) -> LiveEstate:
    """Import an estate; where it is the first one, and small, its rows may be those of a test before."""

    def make() -> LiveEstate:
        return estate_import(estate=estate, author="importer")

    if len(estate.instances) > SMALL or Version.objects.exists():
        return make()
    once(f"imported: {write_estate(estate)}", estate, make)
    return estate_current()


def changed(*edits: Edit, base: int | None = None) -> LiveEstate:
    version = estate_current().version if base is None else base
    return estate_edit(edits=edits, base_version=version, author="editor")


def text_of_rows() -> str:
    """The document that the rows make."""
    return write_estate(estate_from_rows())


def text_of_version() -> str:
    """The document of the current version, as a process reads it that has nothing in memory."""
    estates.clear()
    return write_estate(estate_current().estate)


def stands(estate: Estate) -> None:
    """Rows and current version both are exactly this estate."""
    assert text_of_rows() == write_estate(estate)
    assert text_of_version() == write_estate(estate)


TWO = estate_of(
    server(
        "here",
        {
            "name": "Orders",
            "broker_instance": GUID,
            "services": ["Own", {"name": "Ship", "queue": "dbo.Q", "contracts": ["C", "D"]}],
            "contracts": [{"name": "C", "messages": [{"message_type": "M", "sent_by": "ANY"}]}],
            "routes": [LOCAL, {"name": "R", "remote_service_name": "Parts", "address": "tcp://there.example"}],
        },
        {"name": "msdb", "routes": [LOCAL]},
    ),
    server("there", {"name": "Parts", "services": ["Parts"], "routes": [LOCAL]}, forwarding=True),
)
REACHED = estate_of(
    *json.loads(write_estate(TWO))["instances"][:1],
    server(
        "there",
        {"name": "Parts", "services": ["Parts"], "routes": [LOCAL]},
        {"name": "msdb", "routes": [LOCAL]},
        forwarding=True,
    ),
)
"""TWO, with what takes messages from outside to the services of `there`."""
