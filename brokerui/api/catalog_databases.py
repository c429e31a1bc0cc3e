"""sys.databases: the databases of an estate, with the columns that Service Broker is about filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from brokerui.api.catalog_database_columns import SysDatabaseSerializer
from brokerui.api.catalog_rows import Columns
from brokerui.api.rows import EstateRow, Keeps, Where, in_order, instances_of
from brokerui.estate.numbering import database_numbers
from routing.model.estate import MIRROR, Database, Estate, Instance

RESTORING: Final = (1, "RESTORING")
"""The state of a database in the role MIRROR."""
UNKNOWN: Final = dict.fromkeys(SysDatabaseSerializer().fields)
"""All columns, each null, in their order."""


def database_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    """Yield the databases with the numbers of all databases of their instance."""
    for instance in instances_of(estate, where):
        numbers = database_numbers(instance)
        for database in in_order(instance.databases.values()):
            if keeps(database.name):
                yield EstateRow((instance.name, database.name), (instance, database, numbers))


def database_columns(instance: Instance, database: Database, numbers: Mapping[str, int]) -> Columns:
    state, description = RESTORING if database.mirroring_role == MIRROR else (None, None)
    return UNKNOWN | {
        "instance": instance.name,
        "name": database.name,
        "database_id": numbers[database.name],
        "state": state,
        "state_desc": description,
        "service_broker_guid": database.broker_instance,
        "is_broker_enabled": database.broker_enabled,
        "physical_database_name": database.name,
    }
