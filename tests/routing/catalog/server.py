"""A server in Python: what `collect.sql` answers where an instance is as an estate has it.

Written after the script and the columns of the views; it shares no code with the reader.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from routing.common.names import SYSTEM_SERVICES
from routing.model.catalog_objects import SYSTEM_MADE, BrokerEndpoint, Queue
from routing.model.collected import CollectedEndpoints, CollectedTransmissions
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route

Json = dict[str, Any]
_UNSAFE = re.compile(r"[^#$%(-;=?-Z_a-z]")
PIECE = 48
COLLECTED = datetime(2026, 6, 1, 12, 0, 0, 123000, tzinfo=UTC)
NOTHING: Json = {
    "transmission_queue": CollectedTransmissions(COLLECTED),
    "conversation_endpoints": CollectedEndpoints(COLLECTED),
}
"""What an import keeps of a database that was asked and in which nothing waits."""
_AUTHENTICATION = {
    "WINDOWS NTLM": 1,
    "WINDOWS KERBEROS": 2,
    "WINDOWS": 3,
    "CERTIFICATE Cert": 4,
    "WINDOWS NTLM CERTIFICATE Cert": 5,
    "WINDOWS KERBEROS CERTIFICATE Cert": 6,
    "WINDOWS CERTIFICATE Cert": 7,
    "CERTIFICATE Cert WINDOWS NTLM": 8,
    "CERTIFICATE Cert WINDOWS KERBEROS": 9,
    "CERTIFICATE Cert WINDOWS": 10,
}
AUTHENTICATIONS = tuple(_AUTHENTICATION)


# ---------------------------------------------------------------- the text


def escaped(text: str) -> str:
    """As the script writes a string: all that is not plain becomes \\u and four digits, by halves of UTF-16."""
    units = text.encode("utf-16-be", "surrogatepass")
    letters = (units[i] << 8 | units[i + 1] for i in range(0, len(units), 2))
    return "".join(chr(unit) if unit < 128 and not _UNSAFE.match(chr(unit)) else f"\\u{unit:04X}" for unit in letters)


def dumps(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f'"{key}":{dumps(member)}' for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    if isinstance(value, str):
        return f'"{escaped(value)}"'
    return "null" if value is None else str(int(value))


def rows_of(text: str, mark: str = "A1B2") -> list[str]:
    """The rows that the script returns."""
    of = -(-len(text) // PIECE)
    lines = (f"{mark}|{n + 1}/{of}|{text[n * PIECE : (n + 1) * PIECE]}" for n in range(of))
    return [f"<{line}|{hashlib.sha256(line.encode('utf-16-le')).hexdigest()[:6].upper()}>" for line in lines]


# ---------------------------------------------------------------- the document


def catalog(instance: Instance, **more: Any) -> Json:
    """The document of a server; `more` replaces or adds parts."""
    document: Json = {"format": "brokerui.catalog/1", "collected_at": "2026-06-01T12:00:00.123Z"}
    document["server"] = [{"server_name": instance.name, "product_version": "11.0.7001.0"}]
    document["databases"] = [{"database_id": number, **_database(database)} for number, database in _numbered(instance)]
    document["endpoints"] = [_endpoint(instance.endpoint, instance.forwarding)] if instance.endpoint else []
    document["availability_replicas"] = []
    for part, rows in _PARTS.items():
        document[part] = [
            {"database_id": number, **row} for number, database in _numbered(instance) for row in rows(database)
        ]
    return {**document, **more}


def _numbered(instance: Instance) -> list[tuple[int, Database]]:
    return list(enumerate(instance.databases.values(), 5))


def _database(database: Database) -> Json:
    guid = database.broker_instance
    return {
        "name": database.name,
        "service_broker_guid": guid.upper() if guid else None,
        "is_broker_enabled": database.broker_enabled,
        "is_honor_broker_priority_on": False,
        "state_desc": "ONLINE",
        "is_accessible": 1,
        "mirroring_role_desc": database.mirroring_role,
        "mirroring_state_desc": None,
        "mirroring_partner_name": None,
    }


def _endpoint(endpoint: BrokerEndpoint, forwarding: bool) -> Json:
    return {
        "name": "BrokerEndpoint",
        "state_desc": endpoint.state,
        "port": endpoint.port,
        "ip_address": None,
        "is_message_forwarding_enabled": forwarding,
        "message_forwarding_size": endpoint.forward_size,
        "connection_auth": _AUTHENTICATION[endpoint.authentication],
        "certificate_name": "Cert" if "CERTIFICATE" in endpoint.authentication else None,
        "encryption_algorithm": {"DISABLED": 0, "REQUIRED": 2, "SUPPORTED": 4}[endpoint.encryption],
    }


def _routes(database: Database) -> list[Json]:
    return [{"route_id": 65536 + n, **_route(route)} for n, route in enumerate(database.table.routes.values())]


def _route(route: Route) -> Json:
    lifetime = route.lifetime
    return {
        "name": route.name,
        "remote_service_name": route.remote_service_name,
        "broker_instance": route.broker_instance,
        "lifetime": lifetime.strftime("%Y-%m-%dT%H:%M:%S") if lifetime else None,
        "address": route.address.text,
        "mirror_address": route.mirror_address.text if route.mirror_address else None,
    }


def _services(database: Database) -> list[Json]:
    shipped = [
        {"service_id": n, "name": name, "schema_name": "dbo", "queue_name": f"{name.rpartition('/')[2]}Queue"}
        for n, name in enumerate(SYSTEM_SERVICES, start=1)
    ]
    return shipped + [
        {"service_id": 65536 + n, "name": service.name, **_queue_name(service.queue)}
        for n, service in enumerate(database.user_services)
    ]


def created(estate: Estate) -> Estate:
    """With the services that SQL Server creates in every database, before those of users; asked, and nothing waits."""
    for instance in estate.instances.values():
        made = {
            name: replace(database, services=(*SYSTEM_MADE, *database.user_services), **NOTHING)
            for name, database in instance.databases.items()
        }
        estate = estate.with_instance(replace(instance, databases=made))
    return estate


def _queue_name(queue: str | None) -> Json:
    schema, dot, name = (queue or "").partition(".")
    return {"schema_name": schema if dot else None, "queue_name": (name if dot else queue)}


def _usages(database: Database) -> list[Json]:
    return [
        {"service_name": service.name, "service_contract_name": contract}
        for service in database.services
        for contract in service.contracts
    ]


def _queues(database: Database) -> list[Json]:
    shipped = _queue(Queue("dbo.ServiceBrokerQueue")) | {"is_ms_shipped": 1}
    return [shipped, *map(_queue, database.queues)]


def _queue(queue: Queue) -> Json:
    schema, _, name = queue.name.partition(".")
    activation = queue.activation
    procedure = "].[".join(["Db", *activation.procedure.replace("]", "]]").split(".")]) if activation else None
    return {
        "schema_name": schema,
        "name": name,
        "is_ms_shipped": 0,
        "is_receive_enabled": queue.enabled,
        "is_enqueue_enabled": queue.enabled,
        "is_retention_enabled": queue.retention,
        "is_poison_message_handling_enabled": queue.poison_handling,
        "is_activation_enabled": activation.enabled if activation else 0,
        "activation_procedure": f"[{procedure}]" if procedure else None,
        "max_readers": activation.max_readers if activation else None,
    }


def _contracts(database: Database) -> list[Json]:
    shipped = {"service_contract_id": 6, "name": "DEFAULT"}
    return [shipped] + [
        {"service_contract_id": 65536 + n, "name": contract.name} for n, contract in enumerate(database.contracts)
    ]


def _contract_messages(database: Database) -> list[Json]:
    return [
        {
            "service_contract_name": contract.name,
            "message_type_name": message.message_type,
            "is_sent_by_initiator": message.sent_by != "TARGET",
            "is_sent_by_target": message.sent_by != "INITIATOR",
        }
        for contract in database.contracts
        for message in contract.messages
    ]


def _message_types(database: Database) -> list[Json]:
    letters = {"NONE": "N", "EMPTY": "E"}
    shipped = {"message_type_id": 14, "name": "DEFAULT", "validation": "N", "xml_collection_name": None}
    return [shipped] + [
        {
            "message_type_id": 65536 + n,
            "name": each.name,
            "validation": letters.get(each.validation, "X"),
            "xml_collection_name": each.schema_collection,
        }
        for n, each in enumerate(database.message_types)
    ]


def _priorities(database: Database) -> list[Json]:
    return [
        {
            "name": each.name,
            "service_contract_name": each.contract_name,
            "local_service_name": each.local_service_name,
            "remote_service_name": each.remote_service_name,
            "priority": each.priority_level,
        }
        for each in database.priorities
    ]


def _bindings(database: Database) -> list[Json]:
    return [
        {
            "name": each.name,
            "remote_service_name": each.remote_service_name,
            "user_name": each.user,
            "is_anonymous_on": each.anonymous,
        }
        for each in database.remote_service_bindings
    ]


_PARTS = {
    "routes": _routes,
    "services": _services,
    "service_contract_usages": _usages,
    "service_queues": _queues,
    "service_contracts": _contracts,
    "service_contract_message_usages": _contract_messages,
    "service_message_types": _message_types,
    "conversation_priorities": _priorities,
    "remote_service_bindings": _bindings,
    "transmission_queue": lambda _: [],
    "conversation_endpoints": lambda _: [],
    "totals": lambda _: [],
}
