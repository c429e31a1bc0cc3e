"""`services/`: services with their queues and contracts."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.bodies import owner_database, owner_instance, row_id
from brokerui.api.fields import ArrayField, NameField, StrictBooleanField
from brokerui.api.listing import RowListing, row_as_json, same
from brokerui.api.resource import Resource
from brokerui.api.rows import EstateRow, find_service, service_rows
from brokerui.api.serializers import StrictSerializer
from routing.common.names import SYSTEM_SERVICES
from routing.model.catalog_objects import QUEUE_NAME_CHARS, Service
from routing.model.edits import DropService, PutService


class ServiceSerializer(StrictSerializer):
    """A row of sys.services."""

    id = row_id()
    instance = owner_instance()
    database = owner_database()
    name = NameField(help_text=_("Compared exactly: upper and lower case matter. Cannot be changed."))
    queue = NameField(
        max_length=QUEUE_NAME_CHARS, allow_null=True, required=False, help_text=_("schema.name; null: not known.")
    )
    contracts = ArrayField(child=NameField(), required=False, help_text=_("Contracts that it accepts as a target."))
    is_system = serializers.BooleanField(
        read_only=True, help_text=_("Whether SQL Server itself creates it in every database: it cannot be edited then.")
    )


def _is_system(service: Service) -> bool:
    return service.name in SYSTEM_SERVICES


def _as_json(row: EstateRow) -> dict[str, Any]:
    service: Service = row.value
    value: dict[str, Any] = {"name": service.name, "queue": service.queue, "contracts": list(service.contracts)}
    value["is_system"] = _is_system(service)
    return row_as_json(("instance", "database", "name"), row, value)


SERVICES = Resource(
    listing=RowListing(
        name="services",
        title=_("Services"),
        keys=("instance", "database", "name"),
        rows=service_rows,
        as_json=_as_json,
        filters=(
            same(
                "name", NameField(help_text=_("Services of this name, compared exactly.")), lambda service: service.name
            ),
            same(
                "queue",
                NameField(max_length=QUEUE_NAME_CHARS, help_text=_("Services of this queue, schema.name.")),
                lambda service: service.queue,
            ),
            same(
                "is_system",
                StrictBooleanField(help_text=_("Those that SQL Server itself creates, or those of users.")),
                _is_system,
            ),
        ),
        orders={"name": lambda service: service.name, "queue": lambda service: service.queue},
    ),
    singular="service",
    serializer=ServiceSerializer,
    make=Service,
    find=find_service,
    put=lambda _estate, key, service: PutService(key[0], key[1], service),
    drop=lambda _estate, key: DropService(*key),
    example={"instance": "host1", "database": "Orders", "name": "Ship", "queue": "dbo.ShipQueue"},
)
