"""Which field a finding is about."""

from __future__ import annotations

from collections.abc import Mapping

from brokerui.analysis.lint.finding_text import OF_DATABASES
from brokerui.pages.tables.row_kinds import Key
from routing.common.finding import Finding
from routing.lint.collected import OF_COLLECTED

FIELDS: Mapping[str, Mapping[str, str]] = {
    "route": {
        "unknown-address": "address",
        "own-address": "address",
        "wrong-port": "address",
        "leads-nowhere": "address",
        "forwarding-loop": "address",
        "transport-with-name": "address",
        "mirror-equals-address": "mirror_address",
        "mirror-without-identifier": "broker_instance",
        "unknown-identifier": "broker_instance",
        "route-without-name": "remote_service_name",
        "similar-service-name": "remote_service_name",
        "route-name-as-service-name": "remote_service_name",
        "shadowed-route": "remote_service_name",
        "identical-routes": "remote_service_name",
        "dynamic-route-hides-local": "remote_service_name",
        "route-expired": "lifetime",
        "route-expires-soon": "lifetime",
    },
    "queue": {"queue-off": "enabled"},
    "database": {"broker-disabled": "broker_enabled", "duplicate-identifier": "broker_instance"},
    "instance": {
        "forwarding-off": "forwarding",
        "no-endpoint": "endpoint_port",
        "endpoint-stopped": "endpoint_state",
        "wrong-port": "endpoint_port",
    },
}
"""Form field by kind of object and code of the finding. Others are about the object as a whole."""


def kind_of(finding: Finding) -> str:
    """The kind of the object that a finding is about."""
    if finding.database is None:
        return "service" if finding.code == "service-copies" else "instance"
    if finding.code == "queue-off":
        return "queue"
    if finding.code in OF_COLLECTED:
        return "database"
    return "database" if finding.code in (*OF_DATABASES, "outside-goes-nowhere") else "route"


def key_of(finding: Finding) -> Key:
    """Return the key of the object of a finding, as the tables have it."""
    parts = (finding.instance, finding.database, finding.object)
    depth = {"instance": 1, "database": 2}.get(kind_of(finding), 3)
    return tuple(part for part in parts[:depth] if part is not None)


def field_of(finding: Finding) -> str:
    """The column; empty: the object as a whole."""
    return FIELDS.get(kind_of(finding), {}).get(finding.code, "")
