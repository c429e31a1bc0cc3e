"""Contents of the product's catalog views, read only: their columns, in their order, with their values.

Two columns stand before those of the product, `instance` and `database`: a view of the product shows one database.
Numbers (`route_id`, …) tie rows of one version together; `brokerui.estate.numbering` says how they are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from brokerui.api import catalog_members as members
from brokerui.api import catalog_usages as usages
from brokerui.api.catalog_databases import database_columns, database_rows
from brokerui.api.catalog_endpoints import (
    broker_endpoint_columns,
    endpoint_columns,
    endpoint_rows,
    tcp_endpoint_columns,
)
from brokerui.api.catalog_rows import CatalogDatabase, Columns, Rows, named_rows, usage_rows
from brokerui.api.fields import NameField, StrictIntegerField
from brokerui.api.listing import RowFilter, RowListing, same
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS
from routing.model.catalog_objects import QUEUE_NAME_CHARS

IN_DATABASE: Final = ("instance", "database", "name")
IN_INSTANCE: Final = ("instance", "name")
MOST: Final = 2**31 - 1
"""The largest int of the product."""


def _named(name: str, keys: tuple[str, ...], rows: Rows, columns: Callable[..., Columns], max_name: int) -> RowListing:
    by_name = NameField(max_length=max_name, help_text=_("Rows of this name; of a queue, schema.name."))
    return RowListing(
        name=name,
        title=f"sys.{name}",
        keys=keys,
        rows=rows,
        as_json=lambda row: columns(*row.value),
        # The rows are made for the names that are kept.
        filters=(same("name", by_name, lambda name: name),),
    )


def _in_database(name: str, of: Callable[[CatalogDatabase], Any], columns: Any, max_name: int) -> RowListing:
    return _named(name, IN_DATABASE, named_rows(of), columns, max_name)


def _usages(name: str, of: Callable[[CatalogDatabase], Any], first: str, second: str) -> RowListing:
    return RowListing(
        name=name,
        title=f"sys.{name}",
        keys=("instance", "database", first, second),
        rows=usage_rows(of),
        as_json=lambda row: dict(row.value),
        filters=(_of_number(first), _of_number(second)),
    )


def _of_number(column: str) -> RowFilter:
    number = StrictIntegerField(min_value=0, max_value=MOST, help_text=_("Of this number."))
    return same(column, number, lambda columns: columns[column])


VIEWS: Final = (
    _in_database("routes", lambda one: one.database.table.routes.values(), members.route_columns, SYSNAME_CHARS),
    _in_database("services", lambda one: one.services, members.service_columns, SERVICE_NAME_CHARS),
    _in_database("service_queues", lambda one: one.queues, members.queue_columns, QUEUE_NAME_CHARS),
    _usages("service_queue_usages", usages.queue_usages, "service_id", "service_queue_id"),
    _in_database("service_contracts", lambda one: one.contracts, members.contract_columns, SERVICE_NAME_CHARS),
    _usages("service_contract_usages", usages.contract_usages, "service_id", "service_contract_id"),
    _usages("service_contract_message_usages", usages.message_usages, "service_contract_id", "message_type_id"),
    _in_database(
        "service_message_types", lambda one: one.message_types, members.message_type_columns, SERVICE_NAME_CHARS
    ),
    _in_database(
        "remote_service_bindings",
        lambda one: one.database.remote_service_bindings,
        members.binding_columns,
        SYSNAME_CHARS,
    ),
    _in_database(
        "conversation_priorities", lambda one: one.database.priorities, members.priority_columns, SYSNAME_CHARS
    ),
    _named("databases", IN_INSTANCE, database_rows, database_columns, SYSNAME_CHARS),
    _named("endpoints", IN_INSTANCE, endpoint_rows, endpoint_columns, SYSNAME_CHARS),
    _named("tcp_endpoints", IN_INSTANCE, endpoint_rows, tcp_endpoint_columns, SYSNAME_CHARS),
    _named("service_broker_endpoints", IN_INSTANCE, endpoint_rows, broker_endpoint_columns, SYSNAME_CHARS),
)
