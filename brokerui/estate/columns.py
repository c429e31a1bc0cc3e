"""Values of the columns of a row from the values of `routing`, and back. Names and lists are kept elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from brokerui.estate import models
from brokerui.estate.models.instances import ENDPOINT
from routing.documents.collected_json import COLLECTED, collected_as_json
from routing.documents.json_decoders import missing_statement_from
from routing.model import catalog_objects
from routing.model import estate as law
from routing.model.address import parse_address
from routing.model.missing_statement import MissingStatement
from routing.model.route import Route

Columns = dict[str, Any]


def instance_columns(instance: law.Instance) -> Columns:
    columns = {f"endpoint_{field}": getattr(instance.endpoint, field, None) for field in ENDPOINT}
    missing = [asdict(one) for one in instance.missing_statements]
    return {"forwarding": instance.forwarding, "missing_statements": missing, **columns}


def missing_statements_of(row: models.Instance) -> tuple[MissingStatement, ...]:
    return tuple(map(missing_statement_from, row.missing_statements))


def endpoint_of(row: models.Instance) -> catalog_objects.BrokerEndpoint | None:
    if row.endpoint_port is None:
        return None
    return catalog_objects.BrokerEndpoint(**{field: getattr(row, f"endpoint_{field}") for field in ENDPOINT})


def database_columns(database: law.Database) -> Columns:
    return {
        "broker_instance": _uuid(database.broker_instance),
        "broker_enabled": database.broker_enabled,
        "mirroring_role": database.mirroring_role,
        **{key: collected_as_json(getattr(database, key)) for key in COLLECTED},
    }


def database_fields(row: models.Database) -> Columns:
    return {
        "name": row.name,
        "broker_instance": _text(row.broker_instance),
        "broker_enabled": row.broker_enabled,
        "mirroring_role": row.mirroring_role,
        **{key: decode(getattr(row, key)) for key, decode in COLLECTED.items()},
    }


def service_columns(service: catalog_objects.Service) -> Columns:
    return {"queue": service.queue}


def service_usages(service: catalog_objects.Service) -> list[Columns]:
    return [{"contract": contract} for contract in service.contracts]


def service_of(row: models.Service, usages: list[models.ServiceContract]) -> catalog_objects.Service:
    return catalog_objects.Service(row.name, row.queue, tuple(usage.contract for usage in usages))


def queue_columns(queue: catalog_objects.Queue) -> Columns:
    activation = queue.activation
    return {
        "enabled": queue.enabled,
        "retention": queue.retention,
        "poison_handling": queue.poison_handling,
        "activation_procedure": activation.procedure if activation else None,
        "activation_max_readers": activation.max_readers if activation else None,
        "activation_enabled": activation.enabled if activation else None,
    }


def queue_of(row: models.Queue, _: list[Any]) -> catalog_objects.Queue:
    activation = None
    if row.activation_procedure is not None:
        assert row.activation_max_readers is not None
        assert row.activation_enabled is not None
        activation = catalog_objects.Activation(
            row.activation_procedure, row.activation_max_readers, row.activation_enabled
        )
    return catalog_objects.Queue(row.name, row.enabled, row.retention, row.poison_handling, activation)


def contract_columns(_: catalog_objects.Contract) -> Columns:
    return {}


def contract_usages(contract: catalog_objects.Contract) -> list[Columns]:
    return [{"message_type": usage.message_type, "sent_by": usage.sent_by} for usage in contract.messages]


def contract_of(row: models.Contract, usages: list[models.ContractMessage]) -> catalog_objects.Contract:
    messages = tuple(catalog_objects.ContractMessage(usage.message_type, usage.sent_by) for usage in usages)
    return catalog_objects.Contract(row.name, messages)


def message_type_columns(message_type: catalog_objects.MessageType) -> Columns:
    return {"validation": message_type.validation, "schema_collection": message_type.schema_collection}


def message_type_of(row: models.MessageType, _: list[Any]) -> catalog_objects.MessageType:
    return catalog_objects.MessageType(row.name, row.validation, row.schema_collection)


def priority_columns(priority: catalog_objects.Priority) -> Columns:
    return {
        "contract_name": priority.contract_name,
        "local_service_name": priority.local_service_name,
        "remote_service_name": priority.remote_service_name,
        "priority_level": priority.priority_level,
    }


def priority_of(row: models.Priority, _: list[Any]) -> catalog_objects.Priority:
    services = (row.contract_name, row.local_service_name, row.remote_service_name)
    return catalog_objects.Priority(row.name, *services, row.priority_level)


def binding_columns(binding: catalog_objects.RemoteServiceBinding) -> Columns:
    return {
        "remote_service_name": binding.remote_service_name,
        "user": binding.user,
        "anonymous": binding.anonymous,
    }


def binding_of(row: models.RemoteServiceBinding, _: list[Any]) -> catalog_objects.RemoteServiceBinding:
    return catalog_objects.RemoteServiceBinding(row.name, row.remote_service_name, row.user, row.anonymous)


def route_columns(route: Route) -> Columns:
    mirror = route.mirror_address
    return {
        "remote_service_name": route.remote_service_name,
        "broker_instance": _uuid(route.broker_instance),
        "lifetime": route.lifetime,
        "address": route.address.text,
        "address_key": route.address.key,
        "mirror_address": mirror.text if mirror else None,
        "mirror_key": mirror.key if mirror else None,
    }


def route_of(row: models.Route, _: list[Any]) -> Route:
    return Route(
        row.name,
        row.remote_service_name,
        _text(row.broker_instance),
        row.lifetime,
        parse_address(row.address),
        parse_address(row.mirror_address) if row.mirror_address is not None else None,
    )


def _uuid(identifier: str | None) -> UUID | None:
    return UUID(identifier) if identifier is not None else None


def _text(identifier: UUID | None) -> str | None:
    return str(identifier) if identifier is not None else None
