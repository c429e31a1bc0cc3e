"""The result of CREATE and ALTER on an object, a pair of functions per kind, with SQL Server's checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from routing.common.sentence import say
from routing.model.catalog_objects import (
    Activation,
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
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
from routing.tsql.references import ReferenceChecker
from routing.tsql.refusal import already_exists, not_found, not_understood, refused
from routing.tsql.routes import route_of
from routing.tsql.statement import (
    BINDING,
    CONTRACT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    Statement,
)

MAX_READERS = 32_767

Values = Mapping[str, Any]


def created_object(needs: ReferenceChecker, statement: Statement, at: datetime) -> Any:
    """The object that CREATE makes. Raises `NotApplied`."""
    kind = statement.kind
    if kind == ROUTE:
        return route_of(statement.object, statement.clauses, None, at)
    return _MAKE[kind](needs, statement.object, statement.clauses)


def altered_object(needs: ReferenceChecker, found: Any, statement: Statement, at: datetime) -> Any:
    """The object after ALTER. Raises `NotApplied`."""
    if statement.kind == ROUTE:
        return route_of(found.name, statement.clauses, found, at)
    return _ALTER[statement.kind](needs, found, statement.clauses)


def _check_once(number: int, names: tuple[str, ...], what: str) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise refused(number, say('the {kind} "{name}" stands twice', kind=what.lower(), name=name))
        seen.add(name)


# ---------------------------------------------------------------- services


def _make_service(needs: ReferenceChecker, name: str, clauses: Values) -> Service:
    contracts = clauses.get(CONTRACTS, ())
    _check_once(8404, contracts, CONTRACT)
    needs.all(CONTRACT, contracts)
    return Service(name, needs.queue(clauses[ON_QUEUE], name), contracts)


def _alter_service(needs: ReferenceChecker, service: Service, clauses: Values) -> Service:
    queue = needs.queue(clauses[ON_QUEUE], service.name) if ON_QUEUE in clauses else service.queue
    added, dropped = clauses.get(ADD_CONTRACTS, ()), clauses.get(DROP_CONTRACTS, ())
    _check_once(8404, (*added, *dropped), CONTRACT)
    needs.all(CONTRACT, added)
    own = needs.database.accepted_by(service)
    for name in dropped:
        if name not in own:
            raise not_found(CONTRACT, name, say('the service has no contract "{name}"', name=name))
    for name in added:
        if name in own:
            raise already_exists(CONTRACT, name)
    kept = tuple(name for name in service.contracts if name not in set(dropped)) if dropped else service.contracts
    changed = service.with_contracts(queue, kept, added)
    own.difference_update(dropped)
    own.update(added)
    needs.database.accepted[service.name] = changed.contracts, own
    return changed


# ---------------------------------------------------------------- queues


def _make_queue(needs: ReferenceChecker, name: str, clauses: Values) -> Queue:
    return _alter_queue(needs, Queue(name), clauses)


def _alter_queue(_: ReferenceChecker, queue: Queue, clauses: Values) -> Queue:
    poison = clauses.get("POISON_MESSAGE_HANDLING", {})
    return replace(
        queue,
        enabled=clauses.get("STATUS", queue.enabled),
        retention=clauses.get("RETENTION", queue.retention),
        poison_handling=poison.get("STATUS", queue.poison_handling),
        activation=_activation(queue, clauses["ACTIVATION"]) if "ACTIVATION" in clauses else queue.activation,
    )


def _activation(queue: Queue, options: Any) -> Activation | None:
    if options == DROP_ACTIVATION:
        return None
    before = queue.activation
    procedure = options.get("PROCEDURE_NAME", before.procedure if before else None)
    if procedure is None:
        raise refused(9614, say('the activation of queue "{name}" has no procedure', name=queue.name))
    readers = options.get("MAX_QUEUE_READERS", before.max_readers if before else 1)
    if not 0 <= readers <= MAX_READERS:
        raise refused(None, say("MAX_QUEUE_READERS is not 0 to {limit}", limit=MAX_READERS))
    return Activation(procedure, readers, options.get("STATUS", before.enabled if before else True))


# ---------------------------------------------------------------- contracts and message types


def _make_contract(needs: ReferenceChecker, name: str, clauses: Values) -> Contract:
    messages = clauses[MESSAGES]
    types = tuple(message_type for message_type, _ in messages)
    _check_once(8403, types, MESSAGE_TYPE)
    needs.all(MESSAGE_TYPE, types)
    if all(sent_by == "TARGET" for _, sent_by in messages):
        raise refused(8492, say('contract "{name}" has no message that an initiator may send', name=name))
    return Contract(name, tuple(ContractMessage(*message) for message in messages))


def _make_message_type(needs: ReferenceChecker, name: str, clauses: Values) -> MessageType:
    return _alter_message_type(needs, MessageType(name), clauses)


def _alter_message_type(_: ReferenceChecker, message_type: MessageType, clauses: Values) -> MessageType:
    if VALIDATION not in clauses:
        return message_type
    return MessageType(message_type.name, clauses[VALIDATION], clauses.get(SCHEMA_COLLECTION))


# ---------------------------------------------------------------- priorities and bindings

PRIORITY_COLUMNS = {
    "CONTRACT_NAME": "contract_name",
    "LOCAL_SERVICE_NAME": "local_service_name",
    "REMOTE_SERVICE_NAME": "remote_service_name",
    "PRIORITY_LEVEL": "priority_level",
}


def _make_priority(needs: ReferenceChecker, name: str, clauses: Values) -> Priority:
    return _alter_priority(needs, Priority(name), clauses)


def _alter_priority(needs: ReferenceChecker, priority: Priority, clauses: Values) -> Priority:
    changes = {PRIORITY_COLUMNS[clause]: value for clause, value in clauses.items()}
    if contract := changes.get("contract_name"):
        needs.all(CONTRACT, (contract,))
    if service := changes.get("local_service_name"):
        needs.all(SERVICE, (service,))
    if not 1 <= changes.get("priority_level", 5) <= 10:
        raise refused(None, say("PRIORITY_LEVEL is not 1 to 10"))
    return replace(priority, **changes)


def _make_binding(needs: ReferenceChecker, name: str, clauses: Values) -> RemoteServiceBinding:
    service = clauses["TO SERVICE"]
    if "USER" not in clauses:
        raise not_understood(say("USER is missing"))
    for other in needs.database.remote_service_bindings.users(SERVICE, service):
        if other.name != name:
            problem = say('the service "{service}" is bound by "{other}" already', service=service, other=other.name)
            raise refused(9619, problem)
    binding = RemoteServiceBinding(name, service)
    return _alter_binding(needs, binding, clauses)


def _alter_binding(_: ReferenceChecker, binding: RemoteServiceBinding, clauses: Values) -> RemoteServiceBinding:
    return replace(
        binding,
        user=clauses.get("USER", binding.user),
        anonymous=clauses.get("ANONYMOUS", binding.anonymous),
    )


_MAKE: Mapping[str, Callable[[ReferenceChecker, str, Values], Any]] = {
    SERVICE: _make_service,
    QUEUE: _make_queue,
    CONTRACT: _make_contract,
    MESSAGE_TYPE: _make_message_type,
    PRIORITY: _make_priority,
    BINDING: _make_binding,
}
_ALTER: Mapping[str, Callable[[ReferenceChecker, Any, Values], Any]] = {
    SERVICE: _alter_service,
    QUEUE: _alter_queue,
    MESSAGE_TYPE: _alter_message_type,
    PRIORITY: _alter_priority,
    BINDING: _alter_binding,
}
