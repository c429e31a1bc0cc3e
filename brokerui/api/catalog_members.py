"""Columns of the named objects of a database, as the product's catalog views show them; null if not known."""

from __future__ import annotations

from brokerui.api.catalog_rows import DBO, CatalogDatabase, Columns
from brokerui.estate.numbering import FIRST
from routing.common.moment import format_moment
from routing.model.catalog_objects import Contract, MessageType, Priority, Queue, RemoteServiceBinding, Service
from routing.model.route import Route
from routing.model.system_objects import SHIPPED_QUEUES

SCHEMAS = {"dbo": 1, "guest": 2, "INFORMATION_SCHEMA": 3, "sys": 4}
"""Schemas whose number is the same in every database."""
VALIDATION = {
    "NONE": ("N", "NONE"),
    "EMPTY": ("E", "EMPTY"),
    "WELL_FORMED_XML": ("X", "XML"),
    "VALID_XML": ("X", "XML"),
}
ALL_CONTRACTS = 0
"""service_contract_id of a remote service binding: it applies to every contract."""


def route_columns(catalog: CatalogDatabase, route: Route) -> Columns:
    return {
        **catalog.place,
        "name": route.name,
        "route_id": catalog.routes[route.name],
        "principal_id": None,
        "remote_service_name": route.remote_service_name,
        "broker_instance": route.broker_instance,
        "lifetime": format_moment(route.lifetime) if route.lifetime else None,
        "address": route.address.text,
        "mirror_address": route.mirror_address.text if route.mirror_address else None,
    }


def service_columns(catalog: CatalogDatabase, service: Service) -> Columns:
    numbers = catalog.numbers
    return {
        **catalog.place,
        "name": service.name,
        "service_id": (number := numbers.services[service.name]),
        "principal_id": owner_of(number),
        "service_queue_id": numbers.queues[service.queue] if service.queue else None,
    }


def queue_columns(catalog: CatalogDatabase, queue: Queue) -> Columns:
    schema, _dot, name = queue.name.rpartition(".")
    activation = queue.activation
    return {
        **catalog.place,
        "schema": schema or None,
        "name": name,
        "object_id": catalog.numbers.queues[queue.name],
        "principal_id": None,
        "schema_id": SCHEMAS.get(schema),
        "parent_object_id": 0,
        "type": "SQ",
        "type_desc": "SERVICE_QUEUE",
        "create_date": None,
        "modify_date": None,
        "is_ms_shipped": queue.name in SHIPPED_QUEUES,
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


def contract_columns(catalog: CatalogDatabase, contract: Contract) -> Columns:
    return {
        **catalog.place,
        "name": contract.name,
        "service_contract_id": (number := catalog.numbers.contracts[contract.name]),
        "principal_id": owner_of(number),
    }


def message_type_columns(catalog: CatalogDatabase, message_type: MessageType) -> Columns:
    letter, description = VALIDATION[message_type.validation]
    collection = message_type.schema_collection
    return {
        **catalog.place,
        "name": message_type.name,
        "message_type_id": (number := catalog.numbers.message_types[message_type.name]),
        "principal_id": owner_of(number),
        "validation": letter,
        "validation_desc": description,
        "xml_collection_id": catalog.schema_collections[collection] if collection else None,
    }


def binding_columns(catalog: CatalogDatabase, binding: RemoteServiceBinding) -> Columns:
    return {
        **catalog.place,
        "name": binding.name,
        "remote_service_binding_id": catalog.bindings[binding.name],
        "principal_id": None,
        "remote_service_name": binding.remote_service_name,
        "service_contract_id": ALL_CONTRACTS,
        "remote_principal_id": catalog.principals[binding.user] if binding.user else None,
        "is_anonymous_on": binding.anonymous,
        "remote_principal_name": binding.user,
    }


def priority_columns(catalog: CatalogDatabase, priority: Priority) -> Columns:
    numbers = catalog.numbers
    contract, service = priority.contract_name, priority.local_service_name
    return {
        **catalog.place,
        "priority_id": catalog.priorities[priority.name],
        "name": priority.name,
        "service_contract_id": None if contract is None else numbers.contracts[contract],
        "local_service_id": None if service is None else numbers.services[service],
        "remote_service_name": priority.remote_service_name,
        "priority": priority.priority_level,
    }


def owner_of(number: int) -> int | None:
    """Return the principal that owns an object of this number: of what users make, the estate does not know it."""
    return DBO if number < FIRST else None
