"""Each kind of change, from a small estate: how the page of the effect names it, and how REST counts it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from brokerui.changes.services import draft_create
from routing.documents.edits_json import edits_from
from routing.documents.estate_document import read_estate
from tests.brokerui.estate.helpers import brought_in

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
SERVICE = "//example/Ship"
FROM = {"instance": "shop", "database": "Orders"}


def address(instance: str) -> str:
    return f"tcp://{instance}.example:4022"


def route(to: str, name: str = "ShipRoute", service: str | None = SERVICE) -> Json:
    return {"name": name, "remote_service_name": service, "address": address(to)}


def instance(name: str, *, services: list[str], wildcard: str = "", forwarding: bool = False) -> Json:
    """Return an instance whose msdb delivers locally, or hands all messages on to another instance."""
    msdb = [route(wildcard, "Onward", None)] if wildcard else [{"name": "AutoCreatedLocal", "address": "LOCAL"}]
    databases = [
        {"name": "Db", "services": services, "routes": []},
        {"name": "msdb", "services": [], "routes": msdb},
    ]
    return {"name": name, "addresses": [address(name)], "forwarding": forwarding, "databases": databases}


def estate(routes: list[Json]) -> Json:
    """Two depots with the service, one without, two servers that hand on to each other, and a shop that sends."""
    shop = instance("shop", services=[])
    shop["databases"].append({"name": "Orders", "services": [], "routes": routes})
    instances = [
        shop,
        instance("north", services=[SERVICE]),
        instance("south", services=[SERVICE]),
        instance("empty", services=[]),
        instance("ping", services=[], wildcard="pong", forwarding=True),
        instance("pong", services=[], wildcard="ping", forwarding=True),
    ]
    return {"format": "brokerui.estate/1", "instances": instances}


def put(to: str, name: str = "ShipRoute") -> Json:
    return {"edit": "put_route", **FROM, "route": route(to, name)}


DROP = {"edit": "drop_route", **FROM, "name": "ShipRoute"}
NORTH, SOUTH = route("north"), route("south", "SouthRoute")


@pytest.mark.parametrize(
    ("routes", "edit", "verdict", "kind", "words"),
    [
        ([NORTH], put("south"), "moved", "moved", "ends elsewhere"),
        ([NORTH], put("south", "SouthRoute"), "moved", "widened", "may end in more places"),
        ([NORTH, SOUTH], DROP, "moved", "narrowed", "may end in fewer places"),
        ([NORTH], DROP, "worse", "newly_delayed", "newly delayed"),
        ([NORTH], put("empty"), "worse", "newly_dropped", "newly dropped"),
        ([NORTH], put("ping"), "worse", "newly_loops", "newly in a forwarding loop"),
        ([NORTH], put("elsewhere"), "worse", "newly_exits", "newly leaves the estate"),
        ([NORTH], put("empty", "EmptyRoute"), "worse", "newly_dropped", "newly dropped"),
        ([route("empty")], put("north"), "better", "newly_delivered", "newly delivered"),
    ],
)
def test_each_kind_of_change_is_named_and_counted(
    viewer: Client, routes: list[Json], edit: Json, verdict: str, kind: str, words: str
) -> None:
    brought_in(read_estate(json.dumps(estate(routes))))
    draft = draft_create(name="moves", author="ada", edits=edits_from([edit]))
    diff = json.loads(viewer.get(f"/api/v1/changes/{draft.pk}/diff/").getvalue())
    new = [one for one in diff["groups"] if one["to_service"] == SERVICE and one["to_broker_instance"] is None]
    found = [(one["verdict"], one["kind"], one["from_count"], one["intended_count"]) for one in new]
    assert found == [(verdict, kind, 1, 1)]
    assert new[0]["from"] == [FROM]
    assert diff["intended"] == {"worse": 0, "moved": 0, "better": 0} | {verdict: 1}
    page = viewer.get(reverse("changes:effect", args=[draft.pk])).content.decode()
    assert page.count(f'<span class="note">{words}</span>') == 1
