"""What statements do to the objects of one database, one function for each statement, as the product decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from routing.errors import Invalid
from routing.names import SYSNAME
from routing.parts import (
    Activation,
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.sentence import say
from routing.tsql.clauses import (
    ADD_CONTRACTS,
    CONTRACTS,
    DROP_ACTIVATION,
    DROP_CONTRACTS,
    MESSAGES,
    ON_QUEUE,
    SCHEMA_COLLECTION,
    VALIDATION,
    schema_qualified,
)
from routing.tsql.draft import DraftDatabase
from routing.tsql.refusal import NotApplied, already_exists, not_found, not_understood, refused
from routing.tsql.routes import made_route
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    CREATE,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    Statement,
)

KINDS = {
    ROUTE: "routes",
    SERVICE: "services",
    QUEUE: "queues",
    CONTRACT: "contracts",
    MESSAGE_TYPE: "message_types",
    PRIORITY: "priorities",
    BINDING: "remote_service_bindings",
}
SYSTEM_NAMES = "http://schemas.microsoft.com/SQL/"
"""How the names of contracts and message types begin that are in every database."""
MAX_READERS = 32_767

Values = Mapping[str, Any]


def apply_to_database(database: DraftDatabase, statement: Statement, at: datetime) -> None:
    """Raises `NotApplied`, having changed nothing."""
    kind, verb = statement.kind, statement.verb
    catalog = database.catalog(KINDS[kind])
    name = schema_qualified(statement.name) if kind == QUEUE else statement.name[-1]
    _check_length(statement)
    found = catalog.find(name)
    if verb == CREATE:
        if found is not None:
            raise already_exists(kind, found.name)
        catalog.put(_made(database, statement, at))
        database.listed = True
    elif found is None:
        raise not_found(kind, name)
    elif verb == ALTER:
        catalog.put(_altered(database, found, statement, at))
    else:
        _check_unused(database, kind, found.name)
        catalog.drop(found.name)


def is_possible(database: DraftDatabase, statement: Statement, at: datetime) -> bool:
    """Whether CREATE would make the object, were there none of its name."""
    try:
        _check_length(statement)
        _made(database, statement, at)
    except (NotApplied, Invalid):
        return False
    return True


def _made(database: DraftDatabase, statement: Statement, at: datetime) -> Any:
    kind = statement.kind
    if kind == ROUTE:
        return made_route(statement.name[-1], statement.clauses, None, at)
    name = schema_qualified(statement.name) if kind == QUEUE else statement.name[-1]
    return _MAKE[kind](database, name, statement)


def _altered(database: DraftDatabase, found: Any, statement: Statement, at: datetime) -> Any:
    if statement.kind == ROUTE:
        return made_route(found.name, statement.clauses, found, at)
    return _ALTER[statement.kind](database, found, statement.clauses)


def _check_length(statement: Statement) -> None:
    for part in statement.name:
        if len(part) > SYSNAME:
            raise refused(103, say("a name is longer than {limit} characters", limit=SYSNAME))


def _names(kind: str) -> str:
    """The plural of a kind, as it stands in a sentence about what is bound to what."""
    return {SERVICE: "service", CONTRACT: "contract", PRIORITY: "broker priority"}[kind]


# ---------------------------------------------------------------- what uses what


def _check_unused(database: DraftDatabase, kind: str, name: str) -> None:
    """Error 3716: no object is dropped to which another one is bound."""
    for other, uses in _USERS.get(kind, ()):
        for member in database.catalog(KINDS[other]):
            if uses(member, name):
                problem = say(
                    'the {kind} "{name}" is bound to the {other} "{user}"',
                    kind=kind.lower(),
                    name=name,
                    other=_names(other),
                    user=member.name,
                )
                raise refused(3716, problem)


_USERS: Mapping[str, tuple[tuple[str, Callable[[Any, str], bool]], ...]] = {
    QUEUE: (
        (SERVICE, lambda service, name: service.queue is not None and service.queue.casefold() == name.casefold()),
    ),
    CONTRACT: (
        (SERVICE, lambda service, name: name in service.contracts),
        (PRIORITY, lambda priority, name: priority.contract_name == name),
    ),
    MESSAGE_TYPE: ((CONTRACT, lambda contract, name: any(m.message_type == name for m in contract.messages)),),
    SERVICE: ((PRIORITY, lambda priority, name: priority.local_service_name == name),),
}


def _check_there(database: DraftDatabase, kind: str, names: tuple[str, ...]) -> None:
    """Contracts and message types that a statement names must exist; the product brings some of its own."""
    for name in names:
        own = name == "DEFAULT" or name.startswith(SYSTEM_NAMES)
        if not own and database.catalog(KINDS[kind]).find(name) is None:
            raise not_found(kind, name)


def _check_once(number: int, names: tuple[str, ...], what: str) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise refused(number, say('the {kind} "{name}" stands twice', kind=what.lower(), name=name))


# ---------------------------------------------------------------- services


def _queue_of(database: DraftDatabase, name: str) -> str:
    queue = database.queues.find(name)
    if queue is None:
        raise not_found(QUEUE, name)
    return queue.name


def _make_service(database: DraftDatabase, name: str, statement: Statement) -> Service:
    contracts = statement.clauses.get(CONTRACTS, ())
    _check_once(8404, contracts, CONTRACT)
    _check_there(database, CONTRACT, contracts)
    return Service(name, _queue_of(database, statement.clauses[ON_QUEUE]), contracts)


def _alter_service(database: DraftDatabase, service: Service, clauses: Values) -> Service:
    queue = _queue_of(database, clauses[ON_QUEUE]) if ON_QUEUE in clauses else service.queue
    added, dropped = clauses.get(ADD_CONTRACTS, ()), clauses.get(DROP_CONTRACTS, ())
    _check_once(8404, (*added, *dropped), CONTRACT)
    _check_there(database, CONTRACT, added)
    for name in dropped:
        if name not in service.contracts:
            raise not_found(CONTRACT, name)
    for name in added:
        if name in service.contracts:
            raise already_exists(CONTRACT, name)
    kept = tuple(name for name in service.contracts if name not in dropped)
    return Service(service.name, queue, (*kept, *added))


# ---------------------------------------------------------------- queues


def _make_queue(_: DraftDatabase, name: str, statement: Statement) -> Queue:
    return _alter_queue(_, Queue(name), statement.clauses)


def _alter_queue(_: DraftDatabase, queue: Queue, clauses: Values) -> Queue:
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


def _make_contract(database: DraftDatabase, name: str, statement: Statement) -> Contract:
    messages = statement.clauses[MESSAGES]
    types = tuple(message_type for message_type, _ in messages)
    _check_once(8403, types, MESSAGE_TYPE)
    _check_there(database, MESSAGE_TYPE, types)
    if all(sent_by == "TARGET" for _, sent_by in messages):
        raise refused(8492, say('contract "{name}" has no message that an initiator may send', name=name))
    return Contract(name, tuple(ContractMessage(*message) for message in messages))


def _make_message_type(database: DraftDatabase, name: str, statement: Statement) -> MessageType:
    return _alter_message_type(database, MessageType(name), statement.clauses)


def _alter_message_type(_: DraftDatabase, message_type: MessageType, clauses: Values) -> MessageType:
    if VALIDATION not in clauses:
        return message_type
    return MessageType(message_type.name, clauses[VALIDATION], clauses.get(SCHEMA_COLLECTION))


# ---------------------------------------------------------------- priorities and bindings

_PRIORITY_FIELDS = {
    "CONTRACT_NAME": "contract_name",
    "LOCAL_SERVICE_NAME": "local_service_name",
    "REMOTE_SERVICE_NAME": "remote_service_name",
    "PRIORITY_LEVEL": "priority_level",
}


def _make_priority(database: DraftDatabase, name: str, statement: Statement) -> Priority:
    return _alter_priority(database, Priority(name), statement.clauses)


def _alter_priority(database: DraftDatabase, priority: Priority, clauses: Values) -> Priority:
    changes = {_PRIORITY_FIELDS[clause]: value for clause, value in clauses.items()}
    if contract := changes.get("contract_name"):
        _check_there(database, CONTRACT, (contract,))
    service = changes.get("local_service_name")
    if service and database.services.find(service) is None and not service.startswith(SYSTEM_NAMES):
        raise not_found(SERVICE, service)
    if not 1 <= changes.get("priority_level", 5) <= 10:
        raise refused(None, say("PRIORITY_LEVEL is not 1 to 10"))
    return replace(priority, **changes)


def _make_binding(database: DraftDatabase, name: str, statement: Statement) -> RemoteServiceBinding:
    service = statement.clauses["TO SERVICE"]
    if "USER" not in statement.clauses:
        raise not_understood(say("USER is missing"))
    for other in database.remote_service_bindings:
        if other.remote_service_name == service and other.name != name:
            problem = say('the service "{service}" is bound by "{other}" already', service=service, other=other.name)
            raise refused(9619, problem)
    binding = RemoteServiceBinding(name, service)
    return _alter_binding(database, binding, statement.clauses)


def _alter_binding(_: DraftDatabase, binding: RemoteServiceBinding, clauses: Values) -> RemoteServiceBinding:
    return replace(
        binding,
        user=clauses.get("USER", binding.user),
        anonymous=clauses.get("ANONYMOUS", binding.anonymous),
    )


_MAKE: Mapping[str, Callable[[DraftDatabase, str, Statement], Any]] = {
    SERVICE: _make_service,
    QUEUE: _make_queue,
    CONTRACT: _make_contract,
    MESSAGE_TYPE: _make_message_type,
    PRIORITY: _make_priority,
    BINDING: _make_binding,
}
_ALTER: Mapping[str, Callable[[DraftDatabase, Any, Values], Any]] = {
    SERVICE: _alter_service,
    QUEUE: _alter_queue,
    MESSAGE_TYPE: _alter_message_type,
    PRIORITY: _alter_priority,
    BINDING: _alter_binding,
}
