"""Rows of the product's catalog views, database by database, with the numbers that join them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from brokerui.api.rows import EstateRow, Keeps, Where, databases_of
from brokerui.estate.numbering import (
    ObjectNumbers,
    numbered,
    numbers_of,
    principal_numbers,
    schema_collection_numbers,
)
from routing.model.catalog_objects import Contract, MessageType, Queue, Service
from routing.model.estate import Database, Estate, Instance
from routing.model.system_objects import SHIPPED_CONTRACTS, SHIPPED_MESSAGE_TYPES, SHIPPED_QUEUES, system_service

Columns = dict[str, Any]
DBO = 1
"""The principal that owns what SQL Server itself creates."""


@dataclass(frozen=True)
class CatalogDatabase:
    """A database with what its catalog views show; numbers are made when a row first needs them."""

    instance: Instance
    database: Database

    @cached_property
    def numbers(self) -> ObjectNumbers:
        return numbers_of(self.database)

    @cached_property
    def principals(self) -> Mapping[str, int]:
        return principal_numbers(self.database)

    @cached_property
    def schema_collections(self) -> Mapping[str, int]:
        return schema_collection_numbers(self.database)

    @cached_property
    def routes(self) -> Mapping[str, int]:
        """The numbers of its routes."""
        return numbered(self.database.table.routes)

    @cached_property
    def bindings(self) -> Mapping[str, int]:
        """The numbers of its remote service bindings."""
        return numbered(one.name for one in self.database.remote_service_bindings)

    @cached_property
    def priorities(self) -> Mapping[str, int]:
        """The numbers of its conversation priorities."""
        return numbered(one.name for one in self.database.priorities)

    @property
    def place(self) -> Columns:
        """The columns before those of the product."""
        return {"instance": self.instance.name, "database": self.database.name}

    @property
    def services(self) -> Iterator[Service]:
        """Yield the services of the database; those that SQL Server creates have their queue and contracts."""
        return (system_service(service.name) or service for service in self.database.services)

    @property
    def queues(self) -> Iterator[Queue]:
        """Yield the queues of the database, and those of the services that SQL Server creates."""
        yield from self.database.queues
        listed = {queue.name for queue in self.database.queues}
        named = {service.queue for service in self.services} & SHIPPED_QUEUES.keys()
        yield from (Queue(name) for name in SHIPPED_QUEUES if name in named - listed)

    @property
    def contracts(self) -> Iterable[Contract]:
        return _with_shipped(self.database.contracts, SHIPPED_CONTRACTS)

    @property
    def message_types(self) -> Iterable[MessageType]:
        return _with_shipped(self.database.message_types, SHIPPED_MESSAGE_TYPES)


def _with_shipped(own: Iterable[Any], shipped: Iterable[Any]) -> Iterable[Any]:
    return {one.name: one for one in (*shipped, *own)}.values()


Rows = Callable[[Estate, Where, Keeps], Iterator[EstateRow]]


def named_rows(members: Callable[[CatalogDatabase], Iterable[Any]]) -> Rows:
    """Return the rows of the members of all databases that have a name: their value is the database and the member."""

    def rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
        for instance, database in databases_of(estate, where):
            catalog = CatalogDatabase(instance, database)
            for member in sorted(members(catalog), key=lambda one: one.name):
                if keeps(member.name):
                    yield EstateRow((instance.name, database.name, member.name), (catalog, member))

    return rows


def usage_rows(usages: Callable[[CatalogDatabase], Iterable[tuple[tuple[str, str], Columns]]]) -> Rows:
    """Return the rows that join two members of a database: their value is the columns."""

    def rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
        for instance, database in databases_of(estate, where):
            catalog = CatalogDatabase(instance, database)
            for key, columns in sorted(usages(catalog), key=lambda one: one[0]):
                if keeps(columns):
                    yield EstateRow((instance.name, database.name, *key), {**catalog.place, **columns})

    return rows
