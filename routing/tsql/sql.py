"""Writes statements as text, in the style of SQL Server's scripting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
from routing.tsql.lexer import placeholder, sqlcmd_variable
from routing.tsql.servers import BROKER
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    CREATE,
    DATABASE,
    DROP,
    ENDPOINT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    USE,
    Statement,
)

Values = Mapping[str, Any]


class _BreaksLine(Exception):
    """A name or value contains a line end: sqlcmd could take what follows as a `GO`."""


def statement_as_sql(statement: Statement) -> str | None:
    """The text; None if some program would read it differently.

    Some programs give `$(x)`, `<x, y, z>` and lines with a single word another meaning.
    """
    try:
        text = _text(statement)
    except _BreaksLine:
        return None
    return None if sqlcmd_variable(text) or placeholder(text) else f"{text};"


def _text(statement: Statement) -> str:
    if statement.verb == USE:
        return f"USE {quoted(statement.name[0])}"
    write = _WRITERS.get(statement.kind)
    clauses = write(statement) if write and statement.verb != DROP else ""
    return f"{statement.title} {dotted(statement.name)}{clauses}"


def _on_one_line(text: str) -> str:
    if text.splitlines() not in ([], [text]):
        raise _BreaksLine
    return text


def quoted(name: str) -> str:
    return "[" + _on_one_line(name).replace("]", "]]") + "]"


def dotted(parts: tuple[str, ...]) -> str:
    return ".".join(map(quoted, parts))


def literal(text: str) -> str:
    return "N'" + _on_one_line(text).replace("'", "''") + "'"


def _on_off(value: bool) -> str:
    return "ON" if value else "OFF"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, names))


def _route(statement: Statement) -> str:
    order = ("SERVICE_NAME", "BROKER_INSTANCE", "LIFETIME", "ADDRESS", "MIRROR_ADDRESS")
    clauses = statement.clauses
    shown = {key: str(clauses[key]) if key == "LIFETIME" else literal(clauses[key]) for key in order if key in clauses}
    return " WITH " + ", ".join(f"{key} = {value}" for key, value in shown.items())


def _service(statement: Statement) -> str:
    clauses = statement.clauses
    text = f" ON QUEUE {_parts(clauses[ON_QUEUE], 2)}" if ON_QUEUE in clauses else ""
    if clauses.get(CONTRACTS):
        text += f" ({_listed(clauses[CONTRACTS])})"
    changes = [f"{key} {quoted(name)}" for key in (ADD_CONTRACTS, DROP_CONTRACTS) for name in clauses.get(key, ())]
    return text + (f" ({', '.join(changes)})" if changes else "")


def _parts(name: str, most: int) -> str:
    return dotted(tuple(name.split(".", most - 1)))


def _queue(statement: Statement) -> str:
    clauses, parts = statement.clauses, []
    parts += [f"{key} = {_on_off(clauses[key])}" for key in ("STATUS", "RETENTION") if key in clauses]
    if "ACTIVATION" in clauses:
        parts.append(f"ACTIVATION ({_activation(clauses['ACTIVATION'])})")
    if "POISON_MESSAGE_HANDLING" in clauses:
        parts.append(f"POISON_MESSAGE_HANDLING (STATUS = {_on_off(clauses['POISON_MESSAGE_HANDLING']['STATUS'])})")
    return f" WITH {', '.join(parts)}" if parts else ""


def _activation(options: Any) -> str:
    if options == DROP_ACTIVATION:
        return "DROP"
    return ", ".join(
        (
            f"STATUS = {_on_off(options['STATUS'])}",
            f"PROCEDURE_NAME = {_parts(options['PROCEDURE_NAME'], 3)}",
            f"MAX_QUEUE_READERS = {options['MAX_QUEUE_READERS']}",
            "EXECUTE AS OWNER",
        )
    )


def _contract(statement: Statement) -> str:
    return f" ({', '.join(f'{quoted(name)} SENT BY {sent_by}' for name, sent_by in statement.clauses[MESSAGES])})"


def _message_type(statement: Statement) -> str:
    text = f" VALIDATION = {statement.clauses[VALIDATION]}"
    collection = statement.clauses.get(SCHEMA_COLLECTION)
    return f"{text} WITH SCHEMA COLLECTION {_parts(collection, 2)}" if collection else text


def _priority(statement: Statement) -> str:
    clauses = statement.clauses
    shown = {key: str(value) if key == "PRIORITY_LEVEL" else quoted(value or "") for key, value in clauses.items()}
    if clauses.get("REMOTE_SERVICE_NAME"):
        shown["REMOTE_SERVICE_NAME"] = literal(clauses["REMOTE_SERVICE_NAME"])
    shown |= {key: "ANY" for key, value in clauses.items() if value is None}
    return f" FOR CONVERSATION SET ({', '.join(f'{key} = {value}' for key, value in shown.items())})"


def _binding(statement: Statement) -> str:
    clauses = statement.clauses
    to = f" TO SERVICE {literal(clauses['TO SERVICE'])}" if "TO SERVICE" in clauses else ""
    return f"{to} WITH USER = {quoted(clauses['USER'])}, ANONYMOUS = {_on_off(clauses['ANONYMOUS'])}"


def _database(statement: Statement) -> str:
    option = statement.clauses.get(BROKER)
    # Another session in the database would make the statement wait for ever.
    return f" SET {option} WITH ROLLBACK IMMEDIATE" if option else ""


def _endpoint(statement: Statement) -> str:
    clauses = statement.clauses
    options = {**clauses["FOR"], "AUTHENTICATION": _authentication(clauses["FOR"]["AUTHENTICATION"])}
    return (
        f"\n    STATE = {clauses['STATE']}"
        f"\n    AS TCP (LISTENER_PORT = {clauses['AS']['LISTENER_PORT']})"
        f"\n    FOR SERVICE_BROKER ({', '.join(f'{key} = {value}' for key, value in options.items())})"
    )


def _authentication(text: str) -> str:
    """`CERTIFICATE name` with the name delimited, the rest unchanged."""
    before, keyword, name = text.partition("CERTIFICATE ")
    last = next((word for word in _WINDOWS if name.endswith(f" {word}")), "")
    name = name.removesuffix(f" {last}") if last else name
    return " ".join(filter(None, (f"{before}{keyword}{quoted(name)}" if keyword else before, last)))


_WINDOWS = ("WINDOWS NTLM", "WINDOWS KERBEROS", "WINDOWS NEGOTIATE", "WINDOWS")

_WRITERS: Mapping[str, Callable[[Statement], str]] = {
    ROUTE: _route,
    SERVICE: _service,
    QUEUE: _queue,
    CONTRACT: _contract,
    MESSAGE_TYPE: _message_type,
    PRIORITY: _priority,
    BINDING: _binding,
    DATABASE: _database,
    ENDPOINT: _endpoint,
}

__all__ = ["ALTER", "CREATE", "dotted", "literal", "quoted", "statement_as_sql"]
