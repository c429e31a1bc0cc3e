"""`instances/`: SQL Server instances with their endpoints."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from brokerui.api.bodies import row_id
from brokerui.api.fields import (
    AddressField,
    ArrayField,
    NameField,
    NetworkAddressField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
)
from brokerui.api.ids import Key
from brokerui.api.listing import RowFilter, RowListing, row_as_json, same
from brokerui.api.resource import Resource
from brokerui.api.rows import EstateRow, find_instance, instance_rows
from brokerui.api.serializers import StrictSerializer
from routing.common.errors import Invalid
from routing.common.names import SYSNAME_CHARS
from routing.common.sentence import say
from routing.model.catalog_objects import MAX_FORWARD_SIZE, BrokerEndpoint
from routing.model.edits import DropInstance, PutInstance
from routing.model.estate import INSTANCE_NAME_CHARS, Edit, Estate, Instance


class EndpointSerializer(StrictSerializer):
    """The Service Broker endpoint of an instance."""

    port = StrictIntegerField(min_value=1, max_value=65_535)
    state = StrictChoiceField(["STARTED", "STOPPED", "DISABLED"], required=False)
    encryption = StrictChoiceField(["DISABLED", "SUPPORTED", "REQUIRED"], required=False)
    authentication = NameField(max_length=SYSNAME_CHARS, required=False)
    forward_size = StrictIntegerField(min_value=0, max_value=MAX_FORWARD_SIZE, required=False, help_text=_("In MB."))

    def validate(self, attrs: Any) -> Any:
        return BrokerEndpoint(**attrs)


class InstanceSerializer(StrictSerializer):
    """One SQL Server instance."""

    id = row_id()
    name = NameField(max_length=INSTANCE_NAME_CHARS, help_text=_("Cannot be changed."))
    addresses = ArrayField(child=NetworkAddressField(), required=False, help_text=_("Where it listens."))
    forwarding = StrictBooleanField(required=False, help_text=_("Whether it forwards messages that are not for it."))
    endpoint = EndpointSerializer(required=False, allow_null=True)

    def refusal(self, key: str) -> Invalid:
        if key == "databases":
            return Invalid(key, say("have addresses of their own"))
        return super().refusal(key)


def _as_json(row: EstateRow) -> dict[str, Any]:
    instance: Instance = row.value
    value = {
        "name": instance.name,
        "addresses": [one.text for one in instance.addresses],
        "forwarding": instance.forwarding,
        "endpoint": asdict(instance.endpoint) if instance.endpoint else None,
    }
    return row_as_json(("name",), row, value)


def _put(estate: Estate, key: Key, instance: Instance) -> Edit:
    """Keep the databases of an instance that is replaced."""
    old = estate.instances.get(key[0])
    if old is None:
        return PutInstance(instance)
    return PutInstance(replace(instance, databases=old.databases, missing_statements=old.missing_statements))


INSTANCES = Resource(
    listing=RowListing(
        name="instances",
        title=_("Instances"),
        keys=("name",),
        rows=instance_rows,
        as_json=_as_json,
        filters=(
            same(
                "name",
                NameField(max_length=INSTANCE_NAME_CHARS, help_text=_("The instance of this name.")),
                lambda instance: instance.name,
            ),
            RowFilter(
                "address",
                AddressField(help_text=_("The instance that listens at this address.")),
                lambda instance, wanted: wanted in instance.addresses,
            ),
            same(
                "forwarding",
                StrictBooleanField(help_text=_("Instances that forward, or that do not.")),
                lambda instance: instance.forwarding,
            ),
        ),
    ),
    singular="instance",
    serializer=InstanceSerializer,
    make=Instance,
    find=find_instance,
    put=_put,
    drop=lambda _estate, key: DropInstance(key[0]),
    example={"name": "host3", "addresses": ["tcp://host3.example:4022"], "forwarding": False},
)
