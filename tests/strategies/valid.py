"""What makes a document invalid ("Also errors" of the estate document), for these tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from tests.naive.message import service_names
from tests.naive.values import is_keyword, parse_address, parse_guid

Json = dict[str, Any]
GUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
ROLES = (None, "PRINCIPAL", "MIRROR")


def problems(estate: Json) -> list[str]:
    """Everything that is wrong with the document; empty if it is valid."""
    return list(estate_problems(estate))


def twice(what: str, values: Iterable[object]) -> Iterator[str]:
    """A problem for each value that stands there more than once."""
    yield from (f"{what} twice: {value}" for value, count in Counter(values).items() if count > 1)


def estate_problems(estate: Json) -> Iterator[str]:
    instances = estate["instances"]
    yield from twice("instance", (one["name"] for one in instances))
    owned = [address for one in instances for address in set(map(parse_address, one.get("addresses", [])))]
    yield from twice("address", owned)
    if None in owned:
        yield "an instance with a bad address"
    if estate.get("hop_limit", 10) < 0:
        yield "hop_limit below 0"
    for instance in instances:
        yield from instance_problems(instance)


def instance_problems(instance: Json) -> Iterator[str]:
    databases = instance["databases"]
    yield from twice("database", (one["name"] for one in databases))
    enabled = [one for one in databases if one.get("broker_enabled", True)]
    identifiers = [parse_guid(one.get("broker_instance")) for one in enabled]
    yield from twice("identifier", (one for one in identifiers if one is not None))
    for database in databases:
        yield from guid_problems(database)
        yield from twice("service", service_names(database))
        yield from twice("route", (one["name"] for one in database.get("routes", [])))
        if database.get("mirroring_role") not in ROLES:
            yield "a bad role"
        for route in database.get("routes", []):
            yield from route_problems(route)


def route_problems(route: Json) -> Iterator[str]:
    yield from guid_problems(route)
    mirror, address = route.get("mirror_address"), route["address"]
    keyword = is_keyword(address, "LOCAL") or is_keyword(address, "TRANSPORT")
    if not keyword and parse_address(address) is None:
        yield f"bad address {address!r}"
    if mirror is not None and (keyword or parse_address(mirror) is None):
        yield f"mirror address {mirror!r} beside {address!r}"
    if route.get("lifetime") is not None and datetime.fromisoformat(route["lifetime"]).tzinfo is None:
        yield "a lifetime without a zone"


def guid_problems(row: Json) -> Iterator[str]:
    """With both braces or with none."""
    guid = row.get("broker_instance")
    if guid is None:
        return
    bare = guid[1:-1] if guid.startswith("{") and guid.endswith("}") else guid
    if not GUID.fullmatch(bare):
        yield f"bad GUID {guid!r}"
