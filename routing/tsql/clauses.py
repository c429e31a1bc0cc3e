"""The grammar of the objects in a database, one reader per kind: from after the name to the last clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from routing.common.sentence import say
from routing.tsql.cursor import TokenCursor
from routing.tsql.refusal import not_understood
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    CREATE,
    DROP,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    schema_qualified,
)

Clauses = dict[str, Any]
Reader = Callable[[TokenCursor], Clauses]

ADD_CONTRACTS, DROP_CONTRACTS, CONTRACTS, ON_QUEUE = "ADD CONTRACT", "DROP CONTRACT", "CONTRACTS", "ON QUEUE"
MESSAGES, VALIDATION, SCHEMA_COLLECTION = "MESSAGES", "VALIDATION", "SCHEMA COLLECTION"
DROP_ACTIVATION = "DROP"
"""Stands in place of the options of ACTIVATION."""


def _string(cursor: TokenCursor) -> Any:
    return cursor.equals(TokenCursor.string)


def _integer(cursor: TokenCursor) -> Any:
    return cursor.equals(TokenCursor.integer)


def _on_off(cursor: TokenCursor) -> bool:
    return bool(cursor.equals(lambda c: c.one_of("ON", "OFF")) == "ON")


def _nothing(_: TokenCursor) -> Clauses:
    return {}


def skip_authorization(cursor: TokenCursor) -> None:
    """Skip AUTHORIZATION: routing ignores the owner."""
    if cursor.accept("AUTHORIZATION"):
        cursor.any_name()


# ---------------------------------------------------------------- routes

_ROUTE = {
    "SERVICE_NAME": _string,
    "BROKER_INSTANCE": _string,
    "LIFETIME": _integer,
    "ADDRESS": _string,
    "MIRROR_ADDRESS": _string,
}


def _route(cursor: TokenCursor) -> Clauses:
    skip_authorization(cursor)
    cursor.expect("WITH")
    found = cursor.clauses(_ROUTE)
    if not found:
        raise cursor.unexpected(" | ".join(_ROUTE))
    return found


# ---------------------------------------------------------------- services


def schema_and_name(cursor: TokenCursor) -> str:
    return schema_qualified(cursor.name(2))


def _on_queue(cursor: TokenCursor) -> Clauses:
    return {ON_QUEUE: schema_and_name(cursor)} if cursor.accept("ON", "QUEUE") else {}


def _create_service(cursor: TokenCursor) -> Clauses:
    skip_authorization(cursor)
    found = _on_queue(cursor)
    if not found:
        raise cursor.unexpected("ON QUEUE")
    if cursor.accept_symbol("("):
        found[CONTRACTS] = _listed(cursor, TokenCursor.identifier)
    return found


def _listed(cursor: TokenCursor, convert: Callable[[TokenCursor], Any]) -> tuple[Any, ...]:
    """The members of a list, after its opening parenthesis."""
    members = [convert(cursor)]
    while cursor.accept_symbol(","):
        members.append(convert(cursor))
    cursor.expect_symbol(")")
    return tuple(members)


def _alter_service(cursor: TokenCursor) -> Clauses:
    found = _on_queue(cursor)
    if cursor.accept_symbol("("):
        changes = _listed(cursor, _contract_change)
        for key in (ADD_CONTRACTS, DROP_CONTRACTS):
            if names := tuple(name for change, name in changes if change == key):
                found[key] = names
    if not found:
        raise cursor.unexpected("ON QUEUE")
    return found


def _contract_change(cursor: TokenCursor) -> tuple[str, str]:
    verb = cursor.one_of("ADD", "DROP")
    cursor.expect("CONTRACT")
    return f"{verb} CONTRACT", cursor.identifier()


# ---------------------------------------------------------------- queues


def _procedure(cursor: TokenCursor) -> str:
    return ".".join(cursor.equals(lambda c: c.name(3)))


def _execute_as(cursor: TokenCursor) -> None:
    """Skip EXECUTE AS (SELF, OWNER, or a user name): routing ignores the user that runs the procedure."""
    cursor.expect("AS")
    cursor.any_name()


_ACTIVATION = {
    "STATUS": _on_off,
    "PROCEDURE_NAME": _procedure,
    "MAX_QUEUE_READERS": _integer,
    "EXECUTE": _execute_as,
}


def _activation(cursor: TokenCursor) -> Any:
    if cursor.accept("DROP"):
        return DROP_ACTIVATION
    return cursor.clauses(_ACTIVATION)


_QUEUE = {
    "STATUS": _on_off,
    "RETENTION": _on_off,
    "ACTIVATION": lambda cursor: cursor.in_parentheses(_activation),
    "POISON_MESSAGE_HANDLING": lambda cursor: cursor.in_parentheses(lambda c: c.clauses({"STATUS": _on_off})),
}


def _queue(cursor: TokenCursor) -> Clauses:
    found = cursor.clauses(_QUEUE) if cursor.accept("WITH") else {}
    if cursor.accept("ON"):
        cursor.any_name()  # the filegroup
    return found


_REBUILDS = ("REBUILD", "REORGANIZE", "MOVE")


def _alter_queue(cursor: TokenCursor) -> Clauses:
    if not any(cursor.is_word(word) for word in _REBUILDS):
        cursor.expect("WITH")
        return cursor.clauses(_QUEUE)
    while not cursor.ends or cursor.is_word("WITH") or cursor.is_word("MOVE"):
        cursor.take()  # where the rows of the queue are stored
    return {}


# ---------------------------------------------------------------- contracts and message types


def _contract(cursor: TokenCursor) -> Clauses:
    skip_authorization(cursor)
    cursor.expect_symbol("(")
    return {MESSAGES: _listed(cursor, _message)}


def _message(cursor: TokenCursor) -> tuple[str, str]:
    name = cursor.identifier()
    cursor.expect("SENT", "BY")
    return name, cursor.one_of("INITIATOR", "TARGET", "ANY")


def _message_type(cursor: TokenCursor) -> Clauses:
    skip_authorization(cursor)
    if not cursor.accept(VALIDATION):
        return {}
    validation = cursor.equals(lambda c: c.one_of("NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML"))
    if validation != "VALID_XML":
        return {VALIDATION: validation}
    cursor.expect("WITH", "SCHEMA", "COLLECTION")
    return {VALIDATION: validation, SCHEMA_COLLECTION: ".".join(cursor.name(2))}


def _alter_message_type(cursor: TokenCursor) -> Clauses:
    found = _message_type(cursor)
    if not found:
        raise cursor.unexpected(VALIDATION)
    return found


# ---------------------------------------------------------------- priorities and bindings


def _name_or_any(cursor: TokenCursor) -> str | None:
    return None if _accept_any(cursor) else cursor.identifier()


def _string_or_any(cursor: TokenCursor) -> str | None:
    return None if _accept_any(cursor) else cursor.string()


def _accept_any(cursor: TokenCursor) -> bool:
    return cursor.ahead.kind == "word" and cursor.accept("ANY")


def _level(cursor: TokenCursor) -> int:
    return 5 if cursor.accept("DEFAULT") else cursor.integer()


_PRIORITY = {
    "CONTRACT_NAME": lambda cursor: cursor.equals(_name_or_any),
    "LOCAL_SERVICE_NAME": lambda cursor: cursor.equals(_name_or_any),
    "REMOTE_SERVICE_NAME": lambda cursor: cursor.equals(_string_or_any),
    "PRIORITY_LEVEL": lambda cursor: cursor.equals(_level),
}


def _priority(cursor: TokenCursor) -> Clauses:
    cursor.expect("FOR", "CONVERSATION")
    if not cursor.accept("SET"):
        return {}
    found: Clauses = cursor.in_parentheses(lambda c: c.clauses(_PRIORITY))
    return found


_BINDING = {
    "USER": lambda cursor: cursor.equals(TokenCursor.identifier),
    "ANONYMOUS": _on_off,
}


def _create_binding(cursor: TokenCursor) -> Clauses:
    skip_authorization(cursor)
    cursor.expect("TO", "SERVICE")
    return {"TO SERVICE": cursor.string(), **_alter_binding(cursor)}


def _alter_binding(cursor: TokenCursor) -> Clauses:
    cursor.expect("WITH")
    found = cursor.clauses(_BINDING)
    if not found:
        raise cursor.unexpected("USER | ANONYMOUS")
    return found


def _immutable(_: TokenCursor) -> Clauses:
    raise not_understood(say("a contract cannot be altered"))


READERS: Mapping[tuple[str, str], Reader] = {
    (CREATE, ROUTE): _route,
    (ALTER, ROUTE): _route,
    (CREATE, SERVICE): _create_service,
    (ALTER, SERVICE): _alter_service,
    (CREATE, QUEUE): _queue,
    (ALTER, QUEUE): _alter_queue,
    (CREATE, CONTRACT): _contract,
    (ALTER, CONTRACT): _immutable,
    (CREATE, MESSAGE_TYPE): _message_type,
    (ALTER, MESSAGE_TYPE): _alter_message_type,
    (CREATE, PRIORITY): _priority,
    (ALTER, PRIORITY): _priority,
    (CREATE, BINDING): _create_binding,
    (ALTER, BINDING): _alter_binding,
    **{(DROP, kind): _nothing for kind in (ROUTE, SERVICE, QUEUE, CONTRACT, MESSAGE_TYPE, PRIORITY, BINDING)},
}
