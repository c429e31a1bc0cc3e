"""What the product's catalog views would show, read only: their columns, in their order, with their values.

Two columns stand before those of the product, `instance` and `database`: a view of the product shows one database.
Numbers (`route_id`, …) count within their database from 65536, in the order of the estate document: they tie rows of
one version together, and are not those of the instance. What an estate does not know is null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from brokerui.api.fields import NameField
from brokerui.api.listing import RowListing, same
from brokerui.api.rows import EstateRow, Keeps, Where, databases_of, instances_of
from brokerui.estate.numbering import FIRST, numbered
from routing.common.moment import format_moment
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS
from routing.model.catalog_objects import QUEUE_NAME_CHARS, BrokerEndpoint, Queue, Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.tsql.endpoints import DEFAULT_ENDPOINT

SCHEMAS = {"dbo": 1, "guest": 2, "INFORMATION_SCHEMA": 3, "sys": 4}
"""Schemas whose number is the same in every database."""
STATES = {"STARTED": 0, "STOPPED": 1, "DISABLED": 2}
WINDOWS = {"NTLM": 1, "KERBEROS": 2, "NEGOTIATE": 3}
CERTIFICATE = 4
AUTHENTICATION = {
    1: "NTLM",
    2: "KERBEROS",
    3: "NEGOTIATE",
    4: "CERTIFICATE",
    5: "NTLM, CERTIFICATE",
    6: "KERBEROS, CERTIFICATE",
    7: "NEGOTIATE, CERTIFICATE",
    8: "CERTIFICATE, NTLM",
    9: "CERTIFICATE, KERBEROS",
    10: "CERTIFICATE, NEGOTIATE",
}
ENCRYPTION = {"DISABLED": (0, "NONE"), "REQUIRED": (2, "AES"), "SUPPORTED": (4, "NONE, AES")}
"""An endpoint for which no algorithm is named uses AES."""
Columns = dict[str, Any]


def _in_databases(
    members: Callable[[Database], Iterable[Any]],
) -> Callable[[Estate, Where, Keeps], Iterator[EstateRow]]:
    """Return the rows of all databases, from the members of one."""

    def rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
        for instance, database in databases_of(estate, where):
            found = sorted(enumerate(members(database), FIRST), key=lambda pair: pair[1].name)
            for number, member in found:
                if keeps(member.name):
                    key = (instance.name, database.name, member.name)
                    yield EstateRow(key, (instance, database, member, number))

    return rows


def _endpoint_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    for instance in instances_of(estate, where):
        if instance.endpoint is not None and keeps(DEFAULT_ENDPOINT):
            yield EstateRow((instance.name, DEFAULT_ENDPOINT), (instance, instance.endpoint))


def _route(instance: Instance, database: Database, route: Route, number: int) -> Columns:
    return {
        "instance": instance.name,
        "database": database.name,
        "name": route.name,
        "route_id": number,
        "principal_id": None,
        "remote_service_name": route.remote_service_name,
        "broker_instance": route.broker_instance,
        "lifetime": format_moment(route.lifetime) if route.lifetime else None,
        "address": route.address.text,
        "mirror_address": route.mirror_address.text if route.mirror_address else None,
    }


def _service(instance: Instance, database: Database, service: Service, number: int) -> Columns:
    queues = numbered(database.queues)
    return {
        "instance": instance.name,
        "database": database.name,
        "name": service.name,
        "service_id": number,
        "principal_id": None,
        "service_queue_id": queues.get(service.queue) if service.queue else None,
    }


def _queue(instance: Instance, database: Database, queue: Queue, number: int) -> Columns:
    schema, _dot, name = queue.name.rpartition(".")
    activation = queue.activation
    return {
        "instance": instance.name,
        "database": database.name,
        "schema": schema or None,
        "name": name,
        "object_id": number,
        "principal_id": None,
        "schema_id": SCHEMAS.get(schema),
        "parent_object_id": 0,
        "type": "SQ",
        "type_desc": "SERVICE_QUEUE",
        "create_date": None,
        "modify_date": None,
        "is_ms_shipped": False,
        "is_published": False,
        "is_schema_published": False,
        "max_readers": activation.max_readers if activation else 0,
        "activation_procedure": activation.procedure if activation else None,
        "execute_as_principal_id": None,
        "is_activation_enabled": activation.enabled if activation else False,
        # STATUS = ON | OFF stands for both.
        "is_receive_enabled": queue.enabled,
        "is_enqueue_enabled": queue.enabled,
        "is_retention_enabled": queue.retention,
        "is_poison_message_handling_enabled": queue.poison_handling,
    }


def _endpoint(instance: Instance, endpoint: BrokerEndpoint) -> Columns:
    authentication = connection_auth(endpoint.authentication)
    algorithm, algorithm_name = ENCRYPTION[endpoint.encryption]
    return {
        "instance": instance.name,
        "name": DEFAULT_ENDPOINT,
        "endpoint_id": FIRST,
        "principal_id": None,
        "protocol": 2,
        "protocol_desc": "TCP",
        "type": 3,
        "type_desc": "SERVICE_BROKER",
        "state": STATES[endpoint.state],
        "state_desc": endpoint.state,
        "is_admin_endpoint": False,
        "is_message_forwarding_enabled": instance.forwarding,
        "message_forwarding_size": endpoint.forward_size,
        "connection_auth": authentication,
        "connection_auth_desc": AUTHENTICATION.get(authentication) if authentication else None,
        "certificate_id": 0 if authentication in WINDOWS.values() else None,
        "encryption_algorithm": algorithm,
        "encryption_algorithm_desc": algorithm_name,
        "port": endpoint.port,
    }


def connection_auth(authentication: str) -> int | None:
    """Return the product's number for `WINDOWS [NTLM|KERBEROS|NEGOTIATE]`, `CERTIFICATE name`, or both in order."""
    words = authentication.split()
    first = words[0].upper() if words else ""
    if first == "CERTIFICATE":
        rest = [word.upper() for word in words[1:]]
        return 7 + _windows(rest[rest.index("WINDOWS") + 1 :]) if "WINDOWS" in rest else CERTIFICATE
    if first != "WINDOWS":
        return None
    rest = [word.upper() for word in words[1:]]
    return _windows(rest) + (CERTIFICATE if "CERTIFICATE" in rest else 0)


def _windows(words: list[str]) -> int:
    return WINDOWS.get(words[0], WINDOWS["NEGOTIATE"]) if words else WINDOWS["NEGOTIATE"]


def _listing(name: str, keys: tuple[str, ...], rows: Any, columns: Callable[..., Columns], max_name: int) -> RowListing:
    by_name = NameField(max_length=max_name, help_text=_("Of this name; of a queue, schema.name."))
    return RowListing(
        name=name,
        title=f"sys.{name}",
        keys=keys,
        rows=rows,
        as_json=lambda row: columns(*row.value),
        # The rows are made for the names that are kept.
        filters=(same("name", by_name, lambda name: name),),
    )


IN_DATABASE = ("instance", "database", "name")
VIEWS = (
    _listing("routes", IN_DATABASE, _in_databases(lambda one: one.table.routes.values()), _route, SYSNAME_CHARS),
    _listing("services", IN_DATABASE, _in_databases(lambda one: one.services), _service, SERVICE_NAME_CHARS),
    _listing("service_queues", IN_DATABASE, _in_databases(lambda one: one.queues), _queue, QUEUE_NAME_CHARS),
    _listing("service_broker_endpoints", ("instance", "name"), _endpoint_rows, _endpoint, SYSNAME_CHARS),
)
