"""The estate as its rows have it: what services keep equal to the current version."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from brokerui.estate import models
from brokerui.estate.columns import database_fields, endpoint_of, missing_statements_of
from brokerui.estate.tables import TABLES, DocumentList
from routing.model.address import parse_network_address
from routing.model.estate import DEFAULT_HOP_LIMIT, Database, Estate, Instance
from routing.model.route_table import RouteTable

Members = dict[int, dict[str, tuple[Any, ...]]]
"""By database: its lists."""


def estate_from_rows() -> Estate:
    """Built from every row, in as many queries as there are tables."""
    members: Members = defaultdict(dict)
    for table in TABLES:
        _read(table, members)
    databases: dict[int, dict[str, Database]] = defaultdict(dict)
    for row in models.Database.objects.all():
        databases[row.instance_id][row.name] = _database(row, members[row.pk])
    addresses = defaultdict(list)
    for address in models.InstanceAddress.objects.all():
        addresses[address.instance_id].append(parse_network_address(address.text))
    instances = {
        row.name: Instance(
            name=row.name,
            databases=databases[row.pk],
            addresses=tuple(addresses[row.pk]),
            forwarding=row.forwarding,
            endpoint=endpoint_of(row),
            missing_statements=missing_statements_of(row),
        )
        for row in models.Instance.objects.all()
    }
    hop_limit = models.Live.objects.values_list("hop_limit", flat=True).first()
    return Estate(instances, DEFAULT_HOP_LIMIT if hop_limit is None else hop_limit)


def _read(table: DocumentList, members: Members) -> None:
    usages: dict[int, list[Any]] = defaultdict(list)
    if table.usages:
        below: Any = table.usages.model
        for usage in below.objects.order_by("position"):
            usages[getattr(usage, f"{table.usages.owner}_id")].append(usage)
    lists: dict[int, list[Any]] = defaultdict(list)
    model: Any = table.model
    for row in model.objects.all():
        lists[row.database_id].append(table.value(row, usages[row.pk]))
    for database, values in lists.items():
        members[database][table.kind] = tuple(values)


def _database(row: models.Database, members: dict[str, tuple[Any, ...]]) -> Database:
    table = RouteTable(members.pop("routes", ()))
    return Database(**{**database_fields(row), **members, "table": table})
