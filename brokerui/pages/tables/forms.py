"""The forms of the tables. They carry texts; what may stand in a field is for the engine to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from brokerui.core.templatetags.wording import sentence_text
from brokerui.core.typed_moments import document_text
from brokerui.estate.models.databases import MirroringRole
from brokerui.estate.models.instances import Encryption, EndpointState
from brokerui.estate.models.objects import SentBy, Validation
from brokerui.pages.tables.form_fields import Json, ValueForm, choice, number, text, tick, without_nulls
from routing.common.errors import Invalid
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS
from routing.model.catalog_objects import QUEUE_NAME_CHARS, BrokerEndpoint

ADDRESS = _(
    "Where it leads: LOCAL (this instance), TRANSPORT (the address in the service name), or tcp://HOST:PORT; "
    "without a port, 4022."
)


class RouteForm(ValueForm):
    """`sys.routes`."""

    name = text("name", limit=SYSNAME_CHARS, required=True)
    remote_service_name = text(
        "remote_service_name",
        _("The service that it is for, in exact upper and lower case. Empty: any service."),
        limit=SERVICE_NAME_CHARS,
        options="service",
    )
    broker_instance = text(
        "broker_instance",
        _("The identifier (GUID) of the target database. Empty: any."),
        options="identifier",
        example="5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d",
    )
    address = text("address", ADDRESS, required=True, options="address", example="tcp://host2.example:4022")
    mirror_address = text(
        "mirror_address", _("The address of the mirroring partner: tcp://HOST:PORT."), options="network", example=""
    )
    lifetime = text(
        "lifetime",
        _("The time from which the route is ignored, in your time zone unless it has an offset or Z. Empty: never."),
        example="2030-01-31 12:00",
    )
    groups = (
        ("", ("name",)),
        (_("Which conversations"), ("remote_service_name", "broker_instance")),
        (_("Where to, and until when"), ("address", "mirror_address", "lifetime")),
    )

    def clean_lifetime(self) -> str | None:
        """Return it as documents have it, in UTC."""
        text: str | None = self.cleaned_data["lifetime"]
        try:
            return document_text(text) if text else text
        except Invalid as fault:
            raise forms.ValidationError(sentence_text(fault.problem)) from None


class ServiceForm(ValueForm):
    """`sys.services`."""

    name = text("name", limit=SERVICE_NAME_CHARS, required=True)
    queue = text(
        "queue", _("Its queue, schema.name. Empty: not known."), limit=QUEUE_NAME_CHARS, example="dbo.ShipQueue"
    )


class ServiceContractForm(ValueForm):
    """`sys.service_contract_usages`."""

    contract = text("contract", limit=SERVICE_NAME_CHARS, required=True)


class QueueForm(ValueForm):
    """`sys.service_queues`."""

    name = text("name", _("schema.name"), limit=QUEUE_NAME_CHARS, required=True)
    enabled = tick("enabled", _("Off: nothing is received from it, and messages to it wait."), initial=True)
    retention = tick("retention", _("Messages stay until their conversation ends."))
    poison_handling = tick("poison_handling", _("Five rollbacks in a row switch it off."), initial=True)
    activation_procedure = text("activation_procedure", _("Empty: no activation."), limit=776)
    activation_max_readers = number("activation_max_readers", min_value=0, max_value=32_767)
    activation_enabled = tick("activation_enabled", initial=True)
    groups = (
        ("", ("name", "enabled", "retention", "poison_handling")),
        (_("Activation"), ("activation_procedure", "activation_max_readers", "activation_enabled")),
    )

    @classmethod
    def columns(cls, document: Mapping[str, Any]) -> Json:
        """The values of the activation; those of a new one if there is none."""
        activation = document.get("activation") or {"max_readers": 1, "enabled": True}
        return {**super().columns(document), **{f"activation_{name}": value for name, value in activation.items()}}

    def document(self) -> Json:
        """The activation is an object of its own."""
        found = super().document()
        parts = {name: found.pop(f"activation_{name}") for name in ("procedure", "max_readers", "enabled")}
        return {**found, "activation": without_nulls(parts) if parts["procedure"] else None}


class QueueRowForm(ValueForm):
    """A queue as a line of a database's form: without its activation."""

    name = text("name", limit=QUEUE_NAME_CHARS, required=True)
    enabled = tick("enabled", initial=True)
    retention = tick("retention")
    poison_handling = tick("poison_handling", initial=True)


class ContractForm(ValueForm):
    """`sys.service_contracts`."""

    name = text("name", limit=SERVICE_NAME_CHARS, required=True)


class ContractMessageForm(ValueForm):
    """`sys.service_contract_message_usages`."""

    message_type = text("message_type", limit=SERVICE_NAME_CHARS, required=True)
    sent_by = choice("sent_by", SentBy.choices, initial=SentBy.INITIATOR)


class MessageTypeForm(ValueForm):
    """`sys.service_message_types`."""

    name = text("name", limit=SERVICE_NAME_CHARS, required=True)
    validation = choice("validation", Validation.choices, initial=Validation.NONE)
    schema_collection = text("schema_collection", _("For VALID_XML."), limit=QUEUE_NAME_CHARS)


class PriorityForm(ValueForm):
    """`sys.conversation_priorities`."""

    name = text("name", limit=SYSNAME_CHARS, required=True)
    contract_name = text("contract_name", _("Empty: any."), limit=SERVICE_NAME_CHARS)
    local_service_name = text("local_service_name", _("Empty: any."), limit=SERVICE_NAME_CHARS, options="service")
    remote_service_name = text("remote_service_name", _("Empty: any."), limit=SERVICE_NAME_CHARS, options="service")
    priority_level = forms.IntegerField(
        label="priority_level", min_value=1, max_value=10, initial=5, help_text=_("1 to 10; 10 goes first.")
    )


class BindingForm(ValueForm):
    """`sys.remote_service_bindings`."""

    name = text("name", limit=SYSNAME_CHARS, required=True)
    remote_service_name = text("remote_service_name", limit=SERVICE_NAME_CHARS, required=True, options="service")
    user = text("user", _("The database user whose certificate is used."), limit=SYSNAME_CHARS)
    anonymous = tick("anonymous")


class DatabaseForm(ValueForm):
    """`sys.databases`."""

    name = text("name", limit=SYSNAME_CHARS, required=True)
    broker_instance = text(
        "broker_instance",
        _("Its service broker identifier (GUID). Empty: not known."),
        example="5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d",
    )
    broker_enabled = tick("broker_enabled", _("Off: messages for it are not delivered."), initial=True)
    mirroring_role = choice("mirroring_role", MirroringRole.choices, null=_("not mirrored"))


class InstanceForm(ValueForm):
    """An instance with its endpoint."""

    name = text("name", limit=SERVICE_NAME_CHARS, required=True)
    forwarding = tick("forwarding", _("MESSAGE_FORWARDING: it forwards messages that are not for it."))
    endpoint_port = number("endpoint_port", _("Empty: no endpoint is known."), min_value=1, max_value=65_535)
    endpoint_state = choice("endpoint_state", EndpointState.choices, initial=EndpointState.STARTED)
    endpoint_encryption = choice("endpoint_encryption", Encryption.choices, initial=Encryption.REQUIRED)
    endpoint_authentication = text("endpoint_authentication", limit=SYSNAME_CHARS)
    endpoint_forward_size = number("endpoint_forward_size", _("MESSAGE_FORWARD_SIZE, in megabytes."), min_value=0)
    groups = (
        ("", ("name", "forwarding")),
        (
            _("Its Service Broker endpoint"),
            (
                "endpoint_port",
                "endpoint_state",
                "endpoint_encryption",
                "endpoint_authentication",
                "endpoint_forward_size",
            ),
        ),
    )

    @classmethod
    def columns(cls, document: Mapping[str, Any]) -> Json:
        """The values of the endpoint; the defaults of the product if there is none."""
        usual = BrokerEndpoint(1)
        endpoint = document.get("endpoint") or {
            "state": usual.state,
            "encryption": usual.encryption,
            "authentication": usual.authentication,
            "forward_size": usual.forward_size,
        }
        return {**super().columns(document), **{f"endpoint_{name}": value for name, value in endpoint.items()}}

    def document(self) -> Json:
        """The endpoint is an object of its own."""
        found = super().document()
        names = ("port", "state", "encryption", "authentication", "forward_size")
        parts = {name: found.pop(f"endpoint_{name}") for name in names}
        return {**found, "endpoint": without_nulls(parts) if parts["port"] is not None else None}


class AddressForm(ValueForm):
    """Where an instance listens."""

    address = text("address", required=True, example="tcp://host1.example:4022")


class PlaceForm(forms.Form):
    """Where something new is to be."""

    place = text("", required=True)

    def __init__(self, data: Any = None, *, kind_depth: int, **more: Any) -> None:
        super().__init__(data, **more)
        field = self.fields["place"]
        in_database = kind_depth > 2
        field.label = "database" if in_database else "instance"
        field.help_text = _("instance/database") if in_database else ""
        field.widget.attrs["data-options"] = reverse_lazy("tables:options", args=[field.label])
