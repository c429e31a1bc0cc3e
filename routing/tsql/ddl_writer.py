"""The statements that create an object or alter it into another: a pair of functions per kind.

None means that no statement can do it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from routing.model.catalog_objects import (
    Activation,
    BrokerEndpoint,
    Contract,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.route import Route
from routing.tsql.clauses import (
    ADD_CONTRACTS,
    CONTRACTS,
    DROP_ACTIVATION,
    DROP_CONTRACTS,
    MESSAGES,
    ON_QUEUE,
    SCHEMA_COLLECTION,
    VALIDATION,
)
from routing.tsql.effects import PRIORITY_COLUMNS
from routing.tsql.routes import COLUMNS, MAX_LIFETIME_S
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    CREATE,
    DROP,
    ENDPOINT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    Statement,
)

Clauses = dict[str, Any]
_AUTHENTICATION = re.compile(
    r"(?:WINDOWS(?: (?:NTLM|KERBEROS|NEGOTIATE))?)?(?:(?:^|(?<=.) )CERTIFICATE .+)?", re.DOTALL
)


def creation(kind: str, member: Any, at: datetime) -> Statement | None:
    """CREATE for an object. Lifetimes count from `at`."""
    if kind == ROUTE:
        return _create_route(member, at)
    clauses = _CREATE[kind](member)
    return None if clauses is None else Statement(CREATE, kind, name_of(kind, member.name), clauses)


def alteration(kind: str, before: Any, member: Any, at: datetime) -> Statement | None:
    """ALTER from one object to another one of the same name."""
    if kind == ROUTE:
        return _alter_route(before, member, at)
    if kind == CONTRACT:
        return None
    clauses = _ALTER[kind](before, member)
    return None if not clauses else Statement(ALTER, kind, name_of(kind, member.name), clauses)


def removal(kind: str, name: str) -> Statement:
    return Statement(DROP, kind, name_of(kind, name))


def name_of(kind: str, name: str) -> tuple[str, ...]:
    """The parts of a name; only queues have a schema."""
    return tuple(name.split(".", 1)) if kind == QUEUE else (name,)


# ---------------------------------------------------------------- routes


def _route_clauses(route: Route, at: datetime) -> Clauses | None:
    """The clauses; None for an expired route, because LIFETIME counts forward only."""
    found: Clauses = {
        "SERVICE_NAME": route.remote_service_name,
        "BROKER_INSTANCE": route.broker_instance,
        "ADDRESS": route.address.text,
        "MIRROR_ADDRESS": route.mirror_address.text if route.mirror_address else None,
    }
    if route.lifetime is not None:
        seconds = int((route.lifetime - at).total_seconds())
        if seconds < 1:
            return None
        if seconds <= MAX_LIFETIME_S:
            found["LIFETIME"] = seconds
    return {key: value for key, value in found.items() if value is not None}


def _create_route(route: Route, at: datetime) -> Statement | None:
    clauses = _route_clauses(route, at)
    return None if clauses is None else Statement(CREATE, ROUTE, (route.name,), clauses)


def _alter_route(before: Route, route: Route, at: datetime) -> Statement | None:
    """ALTER ROUTE with the changed clauses; None if one must be removed, which ALTER ROUTE cannot do."""
    clauses = _route_clauses(route, at)
    if clauses is None or any(
        getattr(before, column) is not None and key not in clauses for key, column in COLUMNS.items()
    ):
        return None
    changed = {key: value for key, value in clauses.items() if _clause_value(before, key) != _clause_value(route, key)}
    return Statement(ALTER, ROUTE, (route.name,), changed) if changed else None


def _clause_value(route: Route, clause: str) -> Any:
    value = getattr(route, COLUMNS[clause])
    return value.text if clause in ("ADDRESS", "MIRROR_ADDRESS") and value is not None else value


# ---------------------------------------------------------------- services and queues


def _service(service: Service) -> Clauses | None:
    if service.queue is None or not _has_schema(service.queue) or "" in service.contracts:
        return None
    return {ON_QUEUE: service.queue, CONTRACTS: service.contracts}


def _has_schema(name: str) -> bool:
    schema, dot, rest = name.partition(".")
    return bool(schema and dot and rest)


def _alter_service(before: Service, service: Service) -> Clauses:
    found: Clauses = {}
    if service.queue != before.queue and service.queue is not None and _has_schema(service.queue):
        found[ON_QUEUE] = service.queue
    if added := tuple(name for name in service.contracts if name and name not in before.contracts):
        found[ADD_CONTRACTS] = added
    if dropped := tuple(name for name in before.contracts if name and name not in service.contracts):
        found[DROP_CONTRACTS] = dropped
    return found


def _queue(queue: Queue) -> Clauses | None:
    if not _has_schema(queue.name) or (queue.activation and not _is_procedure(queue.activation.procedure)):
        return None
    found: Clauses = {
        "STATUS": queue.enabled,
        "RETENTION": queue.retention,
        "POISON_MESSAGE_HANDLING": {"STATUS": queue.poison_handling},
    }
    return {**found, "ACTIVATION": _activation(queue.activation)} if queue.activation else found


def _is_procedure(name: str) -> bool:
    return all(name.split(".", 2))


def _activation(activation: Activation) -> Clauses:
    return {
        "STATUS": activation.enabled,
        "PROCEDURE_NAME": activation.procedure,
        "MAX_QUEUE_READERS": activation.max_readers,
    }


def _alter_queue(before: Queue, queue: Queue) -> Clauses | None:
    found = _queue(queue)
    if found is None:
        return None
    if queue.activation is None and before.activation is not None:
        found["ACTIVATION"] = DROP_ACTIVATION
    same = {
        "STATUS": queue.enabled == before.enabled,
        "RETENTION": queue.retention == before.retention,
        "POISON_MESSAGE_HANDLING": queue.poison_handling == before.poison_handling,
        "ACTIVATION": queue.activation == before.activation,
    }
    return {key: value for key, value in found.items() if not same[key]}


# ---------------------------------------------------------------- the rest


def _contract(contract: Contract) -> Clauses | None:
    return {MESSAGES: tuple((m.message_type, m.sent_by) for m in contract.messages)} if contract.messages else None


def _message_type(message_type: MessageType) -> Clauses | None:
    found: Clauses = {VALIDATION: message_type.validation}
    if message_type.validation == "VALID_XML":
        if not message_type.schema_collection or not all(message_type.schema_collection.split(".", 1)):
            return None
        found[SCHEMA_COLLECTION] = message_type.schema_collection
    return found


def _priority(priority: Priority) -> Clauses | None:
    found: Clauses = {clause: getattr(priority, column) for clause, column in PRIORITY_COLUMNS.items()}
    return None if "" in found.values() else found


def _binding(binding: RemoteServiceBinding) -> Clauses | None:
    if not binding.user:
        return None
    return {"TO SERVICE": binding.remote_service_name, "USER": binding.user, "ANONYMOUS": binding.anonymous}


def _alter_binding(before: RemoteServiceBinding, binding: RemoteServiceBinding) -> Clauses | None:
    found = _binding(binding)
    if found is None or found.pop("TO SERVICE") != before.remote_service_name:
        return None
    return found


def endpoint_statement(verb: str, name: str, endpoint: BrokerEndpoint, *, forwarding: bool) -> Statement | None:
    """CREATE or ALTER ENDPOINT with all its options."""
    if not endpoint.authentication or not _AUTHENTICATION.fullmatch(endpoint.authentication):
        return None
    options = {
        "AUTHENTICATION": endpoint.authentication,
        "ENCRYPTION": endpoint.encryption,
        "MESSAGE_FORWARDING": "ENABLED" if forwarding else "DISABLED",
        "MESSAGE_FORWARD_SIZE": endpoint.forward_size,
    }
    clauses = {"STATE": endpoint.state, "AS": {"LISTENER_PORT": endpoint.port}, "FOR": options}
    return Statement(verb, ENDPOINT, (name,), clauses)


_CREATE: Mapping[str, Callable[[Any], Clauses | None]] = {
    SERVICE: _service,
    QUEUE: _queue,
    CONTRACT: _contract,
    MESSAGE_TYPE: _message_type,
    PRIORITY: _priority,
    BINDING: _binding,
}
_ALTER: Mapping[str, Callable[[Any, Any], Clauses | None]] = {
    SERVICE: _alter_service,
    QUEUE: _alter_queue,
    MESSAGE_TYPE: lambda before, member: _message_type(member),
    PRIORITY: lambda before, member: _priority(member),
    BINDING: _alter_binding,
}
