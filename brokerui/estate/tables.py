"""The lists of a database, each with its table: what the document calls it, and how its rows come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from brokerui.estate import columns, models
from routing.model.estate import Database


@dataclass(frozen=True, slots=True)
class Usages:
    """The rows below a row: what a service or a contract refers to by name, in order."""

    model: type[Model]
    owner: str
    """The foreign key to the row above."""
    columns: Callable[[Any], list[columns.Columns]]


@dataclass(frozen=True, slots=True)
class DocumentList:
    """A list of named things that a database holds."""

    kind: str
    """The list's name in the document."""
    model: type[Model]
    members: Callable[[Database], Iterable[Any]]
    columns: Callable[[Any], columns.Columns]
    value: Callable[[Any, list[Any]], Any]
    """The value of `routing`, from a row and its usages."""
    usages: Usages | None = None


_SERVICE_CONTRACTS = Usages(models.ServiceContract, "service", columns.service_usages)
_CONTRACT_MESSAGES = Usages(models.ContractMessage, "contract", columns.contract_usages)

TABLES: tuple[DocumentList, ...] = (
    DocumentList(
        "services",
        models.Service,
        lambda database: database.services,
        columns.service_columns,
        columns.service_of,
        _SERVICE_CONTRACTS,
    ),
    DocumentList("queues", models.Queue, lambda database: database.queues, columns.queue_columns, columns.queue_of),
    DocumentList(
        "contracts",
        models.Contract,
        lambda database: database.contracts,
        columns.contract_columns,
        columns.contract_of,
        _CONTRACT_MESSAGES,
    ),
    DocumentList(
        "message_types",
        models.MessageType,
        lambda database: database.message_types,
        columns.message_type_columns,
        columns.message_type_of,
    ),
    DocumentList(
        "priorities",
        models.Priority,
        lambda database: database.priorities,
        columns.priority_columns,
        columns.priority_of,
    ),
    DocumentList(
        "remote_service_bindings",
        models.RemoteServiceBinding,
        lambda database: database.remote_service_bindings,
        columns.binding_columns,
        columns.binding_of,
    ),
    DocumentList(
        "routes",
        models.Route,
        lambda database: database.table.routes.values(),
        columns.route_columns,
        columns.route_of,
    ),
)
