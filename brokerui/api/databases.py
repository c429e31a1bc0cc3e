"""`databases/`: databases with their contracts, message types, priorities and remote service bindings."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from brokerui.api.bodies import owner_instance, row_id
from brokerui.api.fields import (
    ArrayField,
    IdentifierField,
    NameField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
)
from brokerui.api.ids import Key
from brokerui.api.listing import RowListing, row_as_json, same
from brokerui.api.resource import Resource
from brokerui.api.rows import EstateRow, database_rows, find_database
from brokerui.api.serializers import StrictSerializer
from routing.common.errors import Invalid
from routing.common.names import SYSNAME_CHARS
from routing.common.sentence import say
from routing.model.catalog_objects import (
    QUEUE_NAME_CHARS,
    SYSTEM_MADE,
    Contract,
    ContractMessage,
    MessageType,
    Priority,
    RemoteServiceBinding,
)
from routing.model.edits import DropDatabase, PutDatabase
from routing.model.estate import MIRROR, PRINCIPAL, Database, Edit, Estate

CONTAINED: Final = ("services", "queues", "routes")
"""The kinds of objects in a database that have resources of their own."""
COLUMNS: Final = ("name", "broker_instance", "broker_enabled", "mirroring_role")
LISTS: Final = ("contracts", "message_types", "priorities", "remote_service_bindings")


class ContractMessageSerializer(StrictSerializer):
    """A message type of a contract."""

    message_type = NameField()
    sent_by = StrictChoiceField(["INITIATOR", "TARGET", "ANY"])

    def validate(self, attrs: Any) -> Any:
        return ContractMessage(**attrs)


class ContractSerializer(StrictSerializer):
    """A row of sys.service_contracts."""

    name = NameField()
    messages = ArrayField(child=ContractMessageSerializer(), required=False)

    def validate(self, attrs: Any) -> Any:
        return Contract(**attrs)


class MessageTypeSerializer(StrictSerializer):
    """A row of sys.service_message_types."""

    name = NameField()
    validation = StrictChoiceField(["NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML"], required=False)
    schema_collection = NameField(max_length=QUEUE_NAME_CHARS, allow_null=True, required=False)

    def validate(self, attrs: Any) -> Any:
        return MessageType(**attrs)


class PrioritySerializer(StrictSerializer):
    """A row of sys.conversation_priorities; null stands for ANY."""

    name = NameField(max_length=SYSNAME_CHARS)
    contract_name = NameField(allow_null=True, required=False)
    local_service_name = NameField(allow_null=True, required=False)
    remote_service_name = NameField(allow_null=True, required=False)
    priority_level = StrictIntegerField(min_value=1, max_value=10, required=False)

    def validate(self, attrs: Any) -> Any:
        return Priority(**attrs)


class RemoteServiceBindingSerializer(StrictSerializer):
    """A row of sys.remote_service_bindings."""

    name = NameField(max_length=SYSNAME_CHARS)
    remote_service_name = NameField()
    user = NameField(max_length=SYSNAME_CHARS, allow_null=True, required=False)
    anonymous = StrictBooleanField(required=False)

    def validate(self, attrs: Any) -> Any:
        return RemoteServiceBinding(**attrs)


class DatabaseSerializer(StrictSerializer):
    """A row of sys.databases, with those of its objects that have no resource of their own."""

    id = row_id()
    instance = owner_instance()
    name = NameField(max_length=SYSNAME_CHARS, help_text=_("Cannot be changed."))
    broker_instance = IdentifierField(
        allow_null=True, required=False, help_text=_("Its service broker identifier; null: not known.")
    )
    broker_enabled = StrictBooleanField(required=False)
    mirroring_role = StrictChoiceField([PRINCIPAL, MIRROR], allow_null=True, required=False)
    contracts = ArrayField(child=ContractSerializer(), required=False)
    message_types = ArrayField(child=MessageTypeSerializer(), required=False)
    priorities = ArrayField(child=PrioritySerializer(), required=False)
    remote_service_bindings = ArrayField(child=RemoteServiceBindingSerializer(), required=False)

    def refusal(self, key: str) -> Invalid:
        if key in CONTAINED:
            return Invalid(key, say("have addresses of their own"))
        return super().refusal(key)


def _as_json(row: EstateRow) -> dict[str, Any]:
    columns = {name: getattr(row.value, name) for name in COLUMNS}
    lists = {kind: [asdict(member) for member in getattr(row.value, kind)] for kind in LISTS}
    return row_as_json(("instance", "name"), row, {**columns, **lists})


def _put(estate: Estate, key: Key, database: Database) -> Edit:
    """Keep the services, queues, routes and collected rows of a database that is replaced; give a new one the services
    that SQL Server itself creates."""
    old = find_database(estate, key)
    if old is None:
        return PutDatabase(key[0], replace(database, services=SYSTEM_MADE))
    kept = replace(
        database,
        services=old.services,
        queues=old.queues,
        table=old.table,
        transmission_queue=old.transmission_queue,
        conversation_endpoints=old.conversation_endpoints,
    )
    return PutDatabase(key[0], kept)


DATABASES = Resource(
    listing=RowListing(
        name="databases",
        title=_("Databases"),
        keys=("instance", "name"),
        rows=database_rows,
        as_json=_as_json,
        filters=(
            same(
                "name",
                NameField(max_length=SYSNAME_CHARS, help_text=_("Databases of this name.")),
                lambda database: database.name,
            ),
            same(
                "broker_instance",
                IdentifierField(help_text=_("With this identifier.")),
                lambda database: database.broker_instance,
            ),
            same(
                "broker_enabled",
                StrictBooleanField(help_text=_("Databases whose broker is enabled, or disabled.")),
                lambda database: database.broker_enabled,
            ),
            same(
                "mirroring_role",
                StrictChoiceField([PRINCIPAL, MIRROR], help_text=_("In this role.")),
                lambda database: database.mirroring_role,
            ),
        ),
        orders={"name": lambda database: database.name, "broker_instance": lambda database: database.broker_instance},
    ),
    singular="database",
    serializer=DatabaseSerializer,
    make=Database,
    find=find_database,
    put=_put,
    drop=lambda _estate, key: DropDatabase(*key),
    example={"instance": "host1", "name": "Billing", "broker_enabled": True},
)
