"""Remedies: T-SQL that a person can read, run in the instance of the finding, and undo."""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import UTC, datetime
from math import ceil

from routing.address import parse_address
from routing.names import SYSNAME
from routing.route import Route
from routing.table import RouteTable

MAX_LIFETIME = 2_147_483_647
"""LIFETIME is an int, in seconds."""
_ALTER_ENDPOINT = """\
DECLARE @change nvarchar(max) =
  (SELECT N'ALTER ENDPOINT ' + QUOTENAME(name) + CHANGE FROM sys.service_broker_endpoints);
EXEC (@change);"""


def bracketed(name: str) -> str:
    """A name as T-SQL quotes it, `]` doubled."""
    return "[" + name.replace("]", "]]") + "]"


def quoted(text: str) -> str:
    """A literal, `'` doubled."""
    return "N'" + text.replace("'", "''") + "'"


def qualified(name: str) -> str:
    """`schema.name`, each part quoted by itself."""
    return ".".join(map(bracketed, name.split(".", 1)))


def use(database: str, statements: Iterable[str]) -> str:
    """The statements, in this database."""
    return "\n".join((f"USE {bracketed(database)};", *statements))


def alter_route(name: str, **clauses: str) -> str:
    """`alter_route("R", ADDRESS="LOCAL")`: one clause or more get another text."""
    changes = ", ".join(f"{clause} = {quoted(text)}" for clause, text in clauses.items())
    return f"ALTER ROUTE {bracketed(name)} WITH {changes};"


def drop_route(name: str) -> str:
    return f"DROP ROUTE {bracketed(name)};"


def create_route(route: Route, at: datetime) -> str:
    """The route as it is; of its lifetime, what is left at this moment."""
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
    return str(min(max(ceil((lifetime - at).total_seconds()), 1), MAX_LIFETIME))


def made_again(route: Route, at: datetime) -> tuple[str, str]:
    """Dropped and created: ALTER ROUTE cannot take a clause away."""
    return drop_route(route.name), create_route(route, at)


def free_name(wanted: str, taken: Container[str]) -> str:
    """A route name like this one that is not taken yet. `taken` holds names in lower case."""
    name, number = wanted[:SYSNAME], 1
    while name.lower() in taken:
        number += 1
        name = f"{wanted[: SYSNAME - 8]}_{number}"
    return name


def alter_database(name: str, option: str) -> str:
    """Broker options need the database for themselves; without ROLLBACK IMMEDIATE they wait for ever."""
    return f"ALTER DATABASE {bracketed(name)} SET {option} WITH ROLLBACK IMMEDIATE;"


def alter_queue_on(name: str) -> str:
    return f"ALTER QUEUE {qualified(name)} WITH STATUS = ON;"


def alter_endpoint(change: str) -> str:
    """An instance has one Service Broker endpoint at the most; what it is called, the instance knows."""
    return _ALTER_ENDPOINT.replace("CHANGE", quoted(f" {change};"))


def create_endpoint(port: int) -> str:
    return (
        f"CREATE ENDPOINT [ServiceBroker] STATE = STARTED AS TCP (LISTENER_PORT = {port}) "
        "FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS);"
    )


def new_route(
    wanted: str, address: str, taken: Container[str], *, service: str | None = None, identifier: str | None = None
) -> str:
    """CREATE ROUTE under a name like `wanted` that the table does not have yet."""
    route = Route(free_name(wanted, taken), service, identifier, None, parse_address(address))
    return create_route(route, datetime.min.replace(tzinfo=UTC))


def taken_names(table: RouteTable) -> set[str]:
    """The names of its routes, in lower case: the product compares them without case."""
    return {name.lower() for name in table.routes}
