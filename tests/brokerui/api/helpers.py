"""An estate with something of every kind, and how programs ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.test import Client
from django.urls import get_resolver
from rest_framework.test import ForceAuthClientHandler

from brokerui.accounts.levels import Role
from brokerui.api.ids import id_of
from tests.brokerui.estates import IDENTIFIER, LOCAL, database, document, instance, to
from tests.brokerui.site import user_of

API = "/api/v1"
QUEUE = {"name": "dbo.ShipQueue", "enabled": True, "activation": {"procedure": "dbo.Ship", "max_readers": 4}}
SERVICE = {"name": "Ship", "queue": "dbo.ShipQueue", "contracts": ["//c/ship"]}
SMALL = document(
    {
        **instance(
            "hub",
            database(
                "Sales",
                to("tcp://far", "Ship", name="ToFar", lifetime="2030-05-01T00:00:00Z"),
                LOCAL,
                services=("SalesOut",),
                broker_instance=IDENTIFIER.format(1),
            ),
            forwarding=True,
        ),
        "endpoint": {"port": 4022, "authentication": "WINDOWS NTLM CERTIFICATE C", "encryption": "SUPPORTED"},
    },
    instance(
        "far/away",
        {
            **database("Depot", LOCAL, broker_instance=IDENTIFIER.format(2)),
            "services": [SERVICE],
            "queues": [QUEUE, {"name": "dbo.Old", "enabled": False}],
            "contracts": [{"name": "//c/ship", "messages": [{"message_type": "//m/order", "sent_by": "INITIATOR"}]}],
            "message_types": [{"name": "//m/order", "validation": "WELL_FORMED_XML"}],
            "priorities": [{"name": "P", "priority_level": 7}],
            "remote_service_bindings": [{"name": "B", "remote_service_name": "Ship", "user": "u"}],
        },
    ),
).replace("tcp://far/away:4022", "tcp://far:4022")
ROWS = {
    "instances": ("hub",),
    "databases": ("hub", "Sales"),
    "services": ("far/away", "Depot", "Ship"),
    "queues": ("far/away", "Depot", "dbo.ShipQueue"),
    "routes": ("hub", "Sales", "ToFar"),
}
"""A row of each kind."""
NEW: dict[str, dict[str, Any]] = {
    "instances": {"name": "third", "addresses": ["tcp://third:4022"]},
    "databases": {"instance": "hub", "name": "Billing"},
    "services": {"instance": "hub", "database": "Sales", "name": "Bill"},
    "queues": {"instance": "hub", "database": "Sales", "name": "dbo.Bill"},
    "routes": {"instance": "hub", "database": "Sales", "name": "New", "address": "LOCAL"},
}
"""Another one of each kind."""
QUESTION = {"conversation": {"from": {"instance": "hub", "database": "Sales"}, "to_service": "Ship"}}


def row(kind: str) -> str:
    """The address of the row of this kind."""
    return f"{API}/{kind}/{id_of(ROWS[kind])}/"


def let_in(role: Role) -> Client:
    """The client of a user of this role, whom no request looks up: half of what a small one costs. For tests that send
    hundreds, and are not about who may."""
    client = Client()
    client.handler = ForceAuthClientHandler(client.handler.enforce_csrf_checks)
    client.handler._force_user = user_of(role)
    return client


def send(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """A request with a JSON body."""
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    data = {} if body is None else {"data": text, "content_type": "application/json"}
    return client.generic(method.upper(), path, headers=names, **data)


def change(client: Client, method: str, path: str, body: Any = None) -> Any:
    """Send a request with the present ETag of the resource as If-Match."""
    return send(client, method, path, body, If_Match=client.get(path).headers["ETag"])


def views() -> Iterator[tuple[str, Any]]:
    """Every view of the interface by its name."""
    for one in get_resolver().url_patterns:
        if getattr(one, "namespace", None) == "api":
            yield from ((pattern.name, pattern) for pattern in one.url_patterns)
