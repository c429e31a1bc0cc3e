"""Numbers of the objects in a database: they connect rows of one version of the estate.

They count within their database from 65536, in the order of the estate document, and are not those of the instance.
What SQL Server itself creates in every database has the product's own numbers, which are lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from routing.model.estate import Database, Instance
from routing.model.system_objects import CONTRACT_IDS, MESSAGE_TYPE_IDS, SERVICE_IDS, SHIPPED_QUEUES

FIRST = 65_536
"""The first number that the product gives to what a user makes."""
FIRST_DATABASE = 5
"""The first database_id that the product gives to a database of a user."""
SYSTEM_DATABASES = {"master": 1, "tempdb": 2, "model": 3, "msdb": 4}
PRINCIPALS = {"public": 0, "dbo": 1, "guest": 2, "INFORMATION_SCHEMA": 3, "sys": 4}
"""Principals whose number is the same in every database."""
FIRST_PRINCIPAL = 5


class ObjectNumbers(NamedTuple):
    """By name. A name that other objects refer to, and that the estate has no row of, has a number, too."""

    queues: Mapping[str, int]
    services: Mapping[str, int]
    contracts: Mapping[str, int]
    message_types: Mapping[str, int]


_SHIPPED = ObjectNumbers(SHIPPED_QUEUES, SERVICE_IDS, CONTRACT_IDS, MESSAGE_TYPE_IDS)


def numbers_of(database: Database) -> ObjectNumbers:
    """Return the numbers of all that rows name by number."""
    kinds = (_queues(database), _services(database), _contracts(database), _message_types(database))
    return ObjectNumbers(*(numbered(names, known) for names, known in zip(kinds, _SHIPPED, strict=True)))


def database_numbers(instance: Instance) -> dict[str, int]:
    """Return database_id by name."""
    known = {name: SYSTEM_DATABASES[name.lower()] for name in instance.databases if name.lower() in SYSTEM_DATABASES}
    return numbered(instance.databases, known, FIRST_DATABASE)


def principal_numbers(database: Database) -> dict[str, int]:
    """Return the principal_id of the users that remote service bindings name."""
    users = (binding.user for binding in database.remote_service_bindings)
    return numbered((user for user in users if user is not None), PRINCIPALS, FIRST_PRINCIPAL)


def schema_collection_numbers(database: Database) -> dict[str, int]:
    """Return the xml_collection_id of the schema collections that message types name."""
    names = (one.schema_collection for one in database.message_types)
    return numbered(name for name in names if name is not None)


def numbered(
    names: Iterable[str], known: Mapping[str, int] = MappingProxyType({}), first: int = FIRST
) -> dict[str, int]:
    """Return known numbers as they are; the other names count from `first`, in the order in which they first stand."""
    own = (name for name in dict.fromkeys(names) if name not in known)
    return {**known, **{name: number for number, name in enumerate(own, first)}}


def _queues(database: Database) -> Iterator[str]:
    yield from (queue.name for queue in database.queues)
    yield from (service.queue for service in database.services if service.queue is not None)


def _services(database: Database) -> Iterator[str]:
    yield from (service.name for service in database.services)
    yield from (one.local_service_name for one in database.priorities if one.local_service_name is not None)


def _contracts(database: Database) -> Iterator[str]:
    yield from (contract.name for contract in database.contracts)
    yield from (name for service in database.services for name in service.contracts)
    yield from (one.contract_name for one in database.priorities if one.contract_name is not None)


def _message_types(database: Database) -> Iterator[str]:
    yield from (one.name for one in database.message_types)
    yield from (usage.message_type for contract in database.contracts for usage in contract.messages)
