"""Remedies: T-SQL for an administrator to read, to run on the instance of the finding, and to undo."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from math import ceil
from typing import Any

from routing.common.names import SYSNAME_CHARS
from routing.model.catalog_objects import Service
from routing.model.route import Route
from routing.model.route_table import RouteTable
from routing.tsql.refusal import NotApplied
from routing.tsql.routes import COLUMNS, MAX_LIFETIME_S, route_of

_CLAUSES = {column: clause for clause, column in COLUMNS.items()}
"""The clauses of ALTER ROUTE, by column of `sys.routes`."""
_ANY_TIME = datetime.min.replace(tzinfo=UTC)
_ALTER_ENDPOINT = """\
DECLARE @change nvarchar(max) =
  (SELECT N'ALTER ENDPOINT ' + QUOTENAME(name) + CHANGE FROM sys.service_broker_endpoints);
EXEC (@change);"""


def bracketed(name: str) -> str:
    """A name in brackets, `]` doubled."""
    return "[" + name.replace("]", "]]") + "]"


def quoted(text: str) -> str:
    """A string literal, `'` doubled."""
    return "N'" + text.replace("'", "''") + "'"


def qualified(name: str) -> str:
    """`schema.name`, each part in brackets."""
    return ".".join(map(bracketed, name.split(".", 1)))


def use(database: str, statements: Iterable[str]) -> str:
    """The statements after a USE of this database."""
    return "\n".join((f"USE {bracketed(database)};", *statements))


def altered(database: str, route: Route, **columns: Any) -> str | None:
    """ALTER ROUTE that sets these columns of `sys.routes`; None if SQL Server would refuse the resulting route."""
    if not is_accepted(replace(route, **columns)):
        return None
    return use(database, (alter_route(route, **columns),))


def alter_route(route: Route, **columns: Any) -> str:
    """ALTER ROUTE that sets these columns of `sys.routes`."""
    changes = ", ".join(f"{_CLAUSES[column]} = {quoted(str(value))}" for column, value in columns.items())
    return f"ALTER ROUTE {bracketed(route.name)} WITH {changes};"


def made_again(database: str, route: Route, at: datetime, **columns: Any) -> str | None:
    """DROP ROUTE and CREATE ROUTE, because ALTER ROUTE cannot remove a clause; None if SQL Server would refuse the new
    one."""
    changed = replace(route, **columns)
    return use(database, (drop_route(route.name), create_route(changed, at))) if is_accepted(changed) else None


def is_accepted(route: Route) -> bool:
    """True if SQL Server accepts such a route."""
    try:
        route_of(route.name, {}, route, _ANY_TIME)
    except NotApplied:
        return False
    return True


def drop_route(name: str) -> str:
    return f"DROP ROUTE {bracketed(name)};"


def create_route(route: Route, at: datetime) -> str:
    """CREATE ROUTE of the route as it is, with the part of its lifetime that is left at this time."""
    clauses = {
        "SERVICE_NAME": route.remote_service_name and quoted(route.remote_service_name),
        "BROKER_INSTANCE": route.broker_instance and quoted(route.broker_instance),
        "LIFETIME": _seconds_left(route.lifetime, at),
        "ADDRESS": quoted(route.address.text),
        "MIRROR_ADDRESS": route.mirror_address and quoted(route.mirror_address.text),
    }
    given = ", ".join(f"{clause} = {value}" for clause, value in clauses.items() if value is not None)
    return f"CREATE ROUTE {bracketed(route.name)} WITH {given};"


def _seconds_left(lifetime: datetime | None, at: datetime) -> str | None:
    if lifetime is None:
        return None
    return str(min(max(ceil((lifetime - at).total_seconds()), 1), MAX_LIFETIME_S))


def free_name(wanted: str, taken: Container[str]) -> str:
    """A route name derived from this one that is not taken yet. `taken` holds names in lower case."""
    name, number = wanted[:SYSNAME_CHARS], 1
    while name.lower() in taken:
        number += 1
        name = f"{wanted[: SYSNAME_CHARS - 8]}_{number}"
    return name


def alter_database(name: str, option: str) -> str:
    """ALTER DATABASE with ROLLBACK IMMEDIATE: broker options need exclusive access and would wait for ever."""
    return f"ALTER DATABASE {bracketed(name)} SET {option} WITH ROLLBACK IMMEDIATE;"


def new_broker(name: str) -> str:
    """NEW_BROKER: a new identifier. It ends all conversations of the database without notifying their other sides."""
    warning = "-- Ends every conversation of this database without notifying the other side.\n"
    return warning + alter_database(name, "NEW_BROKER")


def create_service(name: str, like: Service) -> str:
    """CREATE SERVICE of this name on the queue and with the contracts of another one."""
    contracts = ", ".join(map(bracketed, like.contracts or ()))
    given = f" ({contracts})" if contracts else ""
    return f"CREATE SERVICE {bracketed(name)} ON QUEUE {qualified(like.queue or '')}{given};"


def alter_queue_on(name: str) -> str:
    return f"ALTER QUEUE {qualified(name)} WITH STATUS = ON;"


def alter_endpoint(change: str) -> str:
    """ALTER ENDPOINT, with the name read on the instance, which has one Service Broker endpoint at most."""
    return _ALTER_ENDPOINT.replace("CHANGE", quoted(f" {change};"))


def endpoint_change(remedy: str) -> str | None:
    """The change that a remedy of `alter_endpoint` makes; None for any other remedy."""
    before, after = _ALTER_ENDPOINT.split("CHANGE")
    if remedy.startswith(before) and remedy.endswith(after):
        literal = remedy[len(before) : -len(after)]
        return literal.removeprefix("N'").removesuffix(";'").replace("''", "'").strip()
    return None


def create_endpoint(port: int) -> str:
    return (
        f"CREATE ENDPOINT [ServiceBroker] STATE = STARTED AS TCP (LISTENER_PORT = {port}) "
        "FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS);"
    )


def new_route(
    wanted: str, address: str, taken: Container[str], *, service: str | None = None, identifier: str | None = None
) -> str:
    """CREATE ROUTE with a name derived from `wanted` that the table does not have yet."""
    named = f"SERVICE_NAME = {quoted(service)}, " if service else ""
    identified = f"BROKER_INSTANCE = {quoted(identifier)}, " if identifier else ""
    return f"CREATE ROUTE {bracketed(free_name(wanted, taken))} WITH {named}{identified}ADDRESS = {quoted(address)};"


def taken_names(table: RouteTable) -> set[str]:
    """The names of its routes in lower case, because SQL Server compares them without case."""
    return {name.lower() for name in table.routes}
