"""Small estates in few words, and what one check has to say of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from routing.common.finding import Finding
from routing.documents.estate_document import read_estate
from routing.lint.registry import CHECKS, lint
from routing.model.estate import Estate

Json = dict[str, Any]
AT = datetime(2030, 1, 1, tzinfo=UTC)
PAST, SOON, LATER = "2029-12-31T23:59:59Z", "2030-01-05T00:00:00Z", "2031-01-01T00:00:00Z"
LOCAL: Json = {"name": "AutoCreatedLocal", "address": "LOCAL"}
MSDB: Json = {"name": "msdb", "routes": [LOCAL]}
ENDPOINT: Json = {"port": 4022}


def guid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def route(name: str, service: str | None = None, to: str = "LOCAL", broker: int | None = None, **more: Any) -> Json:
    """`to` is a host, listening at the usual port, or a whole address."""
    address = to if ":" in to or to in ("LOCAL", "TRANSPORT") else f"tcp://{to}:4022"
    identifier = guid(broker) if broker else None
    return {"name": name, "remote_service_name": service, "broker_instance": identifier, "address": address} | more


def db(name: str, *routes: Json, services: tuple[Any, ...] = (), broker: int | None = None, **more: Any) -> Json:
    """A database with AutoCreatedLocal and these routes."""
    identifier = guid(broker) if broker else None
    services_ = list(services)
    return {"name": name, "broker_instance": identifier, "services": services_, "routes": [LOCAL, *routes]} | more


def bare(name: str, *routes: Json, **more: Any) -> Json:
    """A database with these routes alone."""
    return db(name, **more) | {"routes": list(routes)}


def server(name: str, *databases: Json, **more: Any) -> Json:
    """It listens at tcp://NAME:4022, and has an msdb with AutoCreatedLocal unless another one is given."""
    given = [*databases] if any(d["name"] == "msdb" for d in databases) else [*databases, MSDB]
    return {"name": name, "addresses": [f"tcp://{name}:4022"], "databases": given} | more


def estate(*instances: Json, **more: Any) -> Estate:
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": list(instances)} | more))


def findings(code: str, *instances: Json, at: datetime = AT) -> list[Finding]:
    """What the check of this code finds."""
    check = next(check for check in CHECKS if check.code == code)
    found = lint(estate(*instances), at, [check])
    assert all(finding.code == code for finding in found)
    return list(found)


def finding(code: str, *instances: Json) -> Finding:
    """The one finding of this check."""
    found = findings(code, *instances)
    assert len(found) == 1, found
    return found[0]


def about(found: Finding) -> tuple[str, str | None, str | None, str | None]:
    """Its severity and its object."""
    return found.severity, found.instance, found.database, found.object


def codes(*instances: Json) -> set[str]:
    """The codes of all findings."""
    return {found.code for found in lint(estate(*instances), AT)}
