"""A small estate that the tests of the pipeline ask about, and rows of traffic on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]
ORDERS_ID, PARTS_ID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"
NOON = "2026-03-01T12:00:00Z"


def route(name: str, address: str = "LOCAL", service: str | None = None, **rest: Any) -> Json:
    return {"name": name, "remote_service_name": service, "address": address, **rest}


def document(*orders_routes: Json, **rest: Any) -> Json:
    """Orders on host1 asks Stock in Parts on host2; without a route to it everything stays local."""
    orders = {"name": "Orders", "broker_instance": ORDERS_ID, "services": ["Entry"]}
    parts = {"name": "Parts", "broker_instance": PARTS_ID, "services": ["Stock"], "routes": [route("Local")]}
    return {
        "format": "brokerui.estate/1",
        **rest,
        "instances": [
            {
                "name": "host1",
                "addresses": ["tcp://host1.example:4022"],
                "databases": [{**orders, "routes": [route("Local"), *orders_routes]}],
            },
            {
                "name": "host2",
                "addresses": ["tcp://host2.example:4022"],
                "databases": [parts, {"name": "msdb", "routes": [route("Local")]}],
            },
        ],
    }


TO_PARTS = route("ToParts", "tcp://host2.example:4022", "Stock")


def row(number: int = 1, **rest: Any) -> Json:
    """A row of traffic from Orders to Stock."""
    return {
        "conversation_id": f"c{number}",
        "at": NOON,
        "from_instance": "host1",
        "from_database": "Orders",
        "from_service": "Entry",
        "to_service": "Stock",
        "to_broker_instance": None,
        "is_reply": False,
        "messages": 2,
        "bytes": 100,
        **rest,
    }


def written(path: Path, value: object) -> str:
    """A file with a document, or with the lines of a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one) for one in value] if isinstance(value, list) else [json.dumps(value)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)
