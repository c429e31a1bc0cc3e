"""Estates of a few lines, for tests that draw a map by hand: host `a` listens at tcp://a, and so on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from routing.documents.estate_document import read_estate
from routing.model.estate import Estate

Json = dict[str, Any]
ID, ELSEWHERE, STRANGER = (f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for digit in "123")


def to(address: str, service: str | None = None, **rest: Any) -> Json:
    """A route: `LOCAL`, `TRANSPORT`, or the name of a host."""
    where = address if address in ("LOCAL", "TRANSPORT") else f"tcp://{address}"
    mirror = {"mirror_address": f"tcp://{rest.pop('mirror')}"} if "mirror" in rest else {}
    return {"address": where, "remote_service_name": service, **mirror, **rest}


def database(name: str, *services: str, routes: Sequence[Json] = (), **rest: Any) -> Json:
    named = [{"name": f"R{number}", **route} for number, route in enumerate(routes)]
    return {"name": name, "services": list(services), "routes": named, **rest}


def host(name: str, *databases: Json, outside: Sequence[Json] = (), **rest: Any) -> Json:
    """An instance that forwards what its msdb routes, `outside`, send on."""
    msdb = [database("msdb", routes=outside)] if outside else []
    return {"name": name, "addresses": [f"tcp://{name}"], "forwarding": True, "databases": [*databases, *msdb], **rest}


def estate(*hosts: Json, **rest: Any) -> Estate:
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": hosts, **rest}))
