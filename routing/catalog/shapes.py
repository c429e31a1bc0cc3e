"""The columns that are read of each view, and how their values are written in JSON and in grids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say
from routing.documents.json_decoders import integer, string

Row = Mapping[str, Any]
"""One row of a view, by column: text, whole numbers, true and false, None for NULL. Unknown columns are absent."""


def bit(value: Any) -> bool:
    """0 or 1 as SQL Server writes it, or false or true."""
    if type(value) is bool or (type(value) is int and value in (0, 1)):
        return bool(value)
    raise Invalid("", must_be(say("0 or 1"), value))


def _integer_of_cell(cell: str) -> int:
    digits = cell.strip()
    if not digits.removeprefix("-").isdecimal() or not digits.isascii() or len(digits) > 20:
        raise Invalid("", must_be(say("a whole number"), cell))
    return int(digits)


_BITS = {"0": False, "1": True, "false": False, "true": True}


def _bit_of_cell(cell: str) -> bool:
    value = _BITS.get(cell.strip().lower())
    if value is None:
        raise Invalid("", must_be(say("0 or 1"), cell))
    return value


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """How the values of a column are written."""

    from_json: Callable[[Any], Any]
    from_cell: Callable[[str], Any]


TEXT = ColumnKind(string, str)
NUMBER = ColumnKind(integer, _integer_of_cell)
BIT = ColumnKind(bit, _bit_of_cell)


@dataclass(frozen=True, slots=True)
class ViewShape:
    """The columns of a view, and those that are never NULL."""

    columns: Mapping[str, ColumnKind]
    required: tuple[str, ...] = ("name",)


SHAPES: Mapping[str, ViewShape] = {
    "server": ViewShape(
        {
            "server_name": TEXT,
            "machine_name": TEXT,
            "product_version": TEXT,
            "edition": TEXT,
            "has_view_any_definition": BIT,
        },
        (),
    ),
    "databases": ViewShape(
        {
            "database_id": NUMBER,
            "name": TEXT,
            "service_broker_guid": TEXT,
            "is_broker_enabled": BIT,
            "is_honor_broker_priority_on": BIT,
            "state_desc": TEXT,
            "is_accessible": BIT,
            "mirroring_role_desc": TEXT,
            "mirroring_state_desc": TEXT,
            "mirroring_partner_name": TEXT,
        }
    ),
    "endpoints": ViewShape(
        {
            "name": TEXT,
            "state_desc": TEXT,
            "port": NUMBER,
            "ip_address": TEXT,
            "is_message_forwarding_enabled": BIT,
            "message_forwarding_size": NUMBER,
            "connection_auth": NUMBER,
            "certificate_name": TEXT,
            "encryption_algorithm": NUMBER,
        }
    ),
    "availability_replicas": ViewShape(
        {
            "database_id": NUMBER,
            "group_name": TEXT,
            "role_desc": TEXT,
            "dns_name": TEXT,
            "port": NUMBER,
        },
        ("database_id",),
    ),
    "routes": ViewShape(
        {
            "route_id": NUMBER,
            "name": TEXT,
            "remote_service_name": TEXT,
            "broker_instance": TEXT,
            "lifetime": TEXT,
            "address": TEXT,
            "mirror_address": TEXT,
        }
    ),
    "services": ViewShape({"service_id": NUMBER, "name": TEXT, "schema_name": TEXT, "queue_name": TEXT}),
    "service_contract_usages": ViewShape(
        {"service_name": TEXT, "service_contract_name": TEXT}, ("service_name", "service_contract_name")
    ),
    "service_queues": ViewShape(
        {
            "schema_name": TEXT,
            "schema_id": NUMBER,
            "name": TEXT,
            "is_ms_shipped": BIT,
            "is_receive_enabled": BIT,
            "is_enqueue_enabled": BIT,
            "is_retention_enabled": BIT,
            "is_poison_message_handling_enabled": BIT,
            "is_activation_enabled": BIT,
            "activation_procedure": TEXT,
            "max_readers": NUMBER,
        }
    ),
    "service_contracts": ViewShape({"service_contract_id": NUMBER, "name": TEXT}),
    "service_contract_message_usages": ViewShape(
        {
            "service_contract_name": TEXT,
            "message_type_name": TEXT,
            "is_sent_by_initiator": BIT,
            "is_sent_by_target": BIT,
        },
        ("service_contract_name", "message_type_name", "is_sent_by_initiator", "is_sent_by_target"),
    ),
    "service_message_types": ViewShape(
        {"message_type_id": NUMBER, "name": TEXT, "validation": TEXT, "xml_collection_name": TEXT},
        ("name", "validation"),
    ),
    "conversation_priorities": ViewShape(
        {
            "name": TEXT,
            "service_contract_name": TEXT,
            "local_service_name": TEXT,
            "remote_service_name": TEXT,
            "priority": NUMBER,
        },
        ("name", "priority"),
    ),
    "remote_service_bindings": ViewShape(
        {"name": TEXT, "remote_service_name": TEXT, "user_name": TEXT, "is_anonymous_on": BIT},
        ("name", "remote_service_name"),
    ),
    "transmission_queue": ViewShape(
        {
            "from_service_name": TEXT,
            "to_service_name": TEXT,
            "to_broker_instance": TEXT,
            "transmission_status": TEXT,
            "messages": NUMBER,
            "oldest": TEXT,
        },
        ("messages",),
    ),
    "conversation_endpoints": ViewShape(
        {
            "service_name": TEXT,
            "far_service": TEXT,
            "is_initiator": BIT,
            "state": TEXT,
            "state_desc": TEXT,
            "age_days": NUMBER,
            "endpoints": NUMBER,
        },
        ("state", "endpoints"),
    ),
    "totals": ViewShape({"name": TEXT, "table_rows": NUMBER}, ()),
    "cut": ViewShape({"part": TEXT, "cut_rows": NUMBER}, ("part", "cut_rows")),
    "errors": ViewShape({"part": TEXT, "number": NUMBER, "message": TEXT}, ("part",)),
}
"""By part. Those from `routes` on belong to one database, and have its `database_id` in a document."""

SERVER_PARTS = ("server", "databases", "endpoints", "availability_replicas")
NOTES = ("cut", "errors")
DATABASE_PARTS = tuple(part for part in SHAPES if part not in SERVER_PARTS and part not in NOTES)
