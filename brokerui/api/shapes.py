"""The shapes of bodies, as the schema tells them. What a value may be is checked by `routing`."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as fields

from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS
from routing.model.catalog_objects import MAX_FORWARD_SIZE, QUEUE_NAME_CHARS
from routing.model.estate import MAX_HOP_LIMIT, MIRROR, PRINCIPAL

ID = _("Stands for the row in addresses; stays the same as long as the names do.")


def row_id() -> Any:
    return fields.CharField(read_only=True, help_text=ID)


def instance_name() -> Any:
    return fields.CharField(
        max_length=SERVICE_NAME_CHARS, help_text=_("The instance that it is on. Cannot be changed.")
    )


def database_name() -> Any:
    return fields.CharField(max_length=SYSNAME_CHARS, help_text=_("The database that it is in. Cannot be changed."))


def or_null(limit: int, says: Any = None) -> Any:
    return fields.CharField(max_length=limit, allow_null=True, required=False, help_text=says)


@extend_schema_field({"type": "string", "maxLength": 256, "examples": ["tcp://host1.example:4022"]})
class AddressField(fields.CharField):
    """`tcp://HOST[:PORT]`."""


def identifier(says: Any) -> Any:
    return fields.UUIDField(allow_null=True, required=False, help_text=says)


def page_of(row: type[Any]) -> type[Any]:
    """A page of rows of this shape."""
    members = {
        "__doc__": "A page of rows.",
        "count": fields.IntegerField(min_value=0, help_text=_("Rows of all pages.")),
        "next": fields.URLField(allow_null=True, help_text=_("The next page; null: this is the last.")),
        "results": row(many=True),
    }
    return type(row.__name__.replace("Serializer", "PageSerializer"), (fields.Serializer,), members)


def columns_of(row: type[Any], keys: Iterable[str]) -> type[Any]:
    """A row in the body of a request whose address names it: its key may be left out."""
    members = {name: deepcopy(row._declared_fields[name]) for name in keys}
    for member in members.values():
        member.required = False
    return type(row.__name__.replace("Serializer", "ColumnsSerializer"), (row,), {"__doc__": row.__doc__, **members})


class EndpointSerializer(fields.Serializer):
    """The Service Broker endpoint of an instance."""

    port = fields.IntegerField(min_value=1, max_value=65_535)
    state = fields.ChoiceField(["STARTED", "STOPPED", "DISABLED"], required=False)
    encryption = fields.ChoiceField(["DISABLED", "SUPPORTED", "REQUIRED"], required=False)
    authentication = fields.CharField(max_length=SYSNAME_CHARS, required=False)
    forward_size = fields.IntegerField(min_value=0, max_value=MAX_FORWARD_SIZE, required=False, help_text=_("In MB."))


class InstanceSerializer(fields.Serializer):
    """One SQL Server instance."""

    id = row_id()
    name = fields.CharField(max_length=SERVICE_NAME_CHARS, help_text=_("Cannot be changed."))
    addresses = fields.ListField(child=AddressField(), required=False, help_text=_("Where it listens."))
    forwarding = fields.BooleanField(required=False, help_text=_("Whether it forwards what is not for itself."))
    endpoint = EndpointSerializer(required=False, allow_null=True)


class ContractMessageSerializer(fields.Serializer):
    """A message type of a contract."""

    message_type = fields.CharField(max_length=SERVICE_NAME_CHARS)
    sent_by = fields.ChoiceField(["INITIATOR", "TARGET", "ANY"])


class ContractSerializer(fields.Serializer):
    """A row of sys.service_contracts."""

    name = fields.CharField(max_length=SERVICE_NAME_CHARS)
    messages = ContractMessageSerializer(many=True, required=False)


class MessageTypeSerializer(fields.Serializer):
    """A row of sys.service_message_types."""

    name = fields.CharField(max_length=SERVICE_NAME_CHARS)
    validation = fields.ChoiceField(["NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML"], required=False)
    schema_collection = or_null(QUEUE_NAME_CHARS)


class PrioritySerializer(fields.Serializer):
    """A row of sys.conversation_priorities; null stands for ANY."""

    name = fields.CharField(max_length=SYSNAME_CHARS)
    contract_name = or_null(SERVICE_NAME_CHARS)
    local_service_name = or_null(SERVICE_NAME_CHARS)
    remote_service_name = or_null(SERVICE_NAME_CHARS)
    priority_level = fields.IntegerField(min_value=1, max_value=10, required=False)


class RemoteServiceBindingSerializer(fields.Serializer):
    """A row of sys.remote_service_bindings."""

    name = fields.CharField(max_length=SYSNAME_CHARS)
    remote_service_name = fields.CharField(max_length=SERVICE_NAME_CHARS)
    user = or_null(SYSNAME_CHARS)
    anonymous = fields.BooleanField(required=False)


class DatabaseSerializer(fields.Serializer):
    """A row of sys.databases with what has no resource of its own."""

    id = row_id()
    instance = instance_name()
    name = fields.CharField(max_length=SYSNAME_CHARS, help_text=_("Cannot be changed."))
    broker_instance = identifier(_("Its service broker identifier; null: not known."))
    broker_enabled = fields.BooleanField(required=False)
    mirroring_role = fields.ChoiceField([PRINCIPAL, MIRROR], allow_null=True, required=False)
    contracts = ContractSerializer(many=True, required=False)
    message_types = MessageTypeSerializer(many=True, required=False)
    priorities = PrioritySerializer(many=True, required=False)
    remote_service_bindings = RemoteServiceBindingSerializer(many=True, required=False)


class ServiceSerializer(fields.Serializer):
    """A row of sys.services."""

    id = row_id()
    instance = instance_name()
    database = database_name()
    name = fields.CharField(max_length=SERVICE_NAME_CHARS, help_text=_("Byte by byte: case counts. Cannot be changed."))
    queue = or_null(QUEUE_NAME_CHARS, _("schema.name; null: not known."))
    contracts = fields.ListField(
        child=fields.CharField(max_length=SERVICE_NAME_CHARS),
        required=False,
        help_text=_("Those it accepts as a target."),
    )


class ActivationSerializer(fields.Serializer):
    """ACTIVATION of a queue."""

    procedure = fields.CharField(max_length=776)
    max_readers = fields.IntegerField(min_value=0, max_value=32_767, required=False)
    enabled = fields.BooleanField(required=False)


class QueueSerializer(fields.Serializer):
    """A row of sys.service_queues."""

    id = row_id()
    instance = instance_name()
    database = database_name()
    name = fields.CharField(max_length=QUEUE_NAME_CHARS, help_text=_("schema.name. Cannot be changed."))
    enabled = fields.BooleanField(required=False)
    retention = fields.BooleanField(required=False)
    poison_handling = fields.BooleanField(required=False)
    activation = ActivationSerializer(required=False, allow_null=True)


class RouteSerializer(fields.Serializer):
    """A row of sys.routes."""

    id = row_id()
    instance = instance_name()
    database = database_name()
    name = fields.CharField(max_length=SYSNAME_CHARS, help_text=_("Cannot be changed."))
    remote_service_name = or_null(SERVICE_NAME_CHARS, _("The service that it is for, byte by byte; null: any."))
    broker_instance = identifier(_("The identifier of the target database; null: any."))
    lifetime = fields.DateTimeField(allow_null=True, required=False, help_text=_("UTC; null: it never expires."))
    address = fields.CharField(max_length=256, help_text=_("LOCAL, TRANSPORT or tcp://HOST[:PORT]."))
    mirror_address = or_null(256, _("tcp://HOST[:PORT] of the mirroring partner."))


class FaultSerializer(fields.Serializer):
    """One thing that is wrong, and where."""

    vars()["in"] = fields.ChoiceField(["query", "body", "file"])  # a word of Python
    name = fields.CharField(allow_blank=True, help_text=_("The parameter, the path in the body, or the file."))
    path = fields.CharField(required=False, allow_blank=True, help_text=_("In a file: JSON path or line."))
    detail = fields.CharField()


class ProblemSerializer(fields.Serializer):
    """A problem document (RFC 9457)."""

    type = fields.CharField()
    title = fields.CharField()
    status = fields.IntegerField()
    code = fields.CharField(help_text=_("A word for programs to compare."))
    detail = fields.CharField(help_text=_("A sentence for people, in the language of Accept-Language."))
    errors = FaultSerializer(many=True, required=False)  # type: ignore[assignment]  # taken out by the metaclass
    existing = fields.CharField(required=False, help_text=_("The id of the row that is in the way."))
    number = fields.IntegerField(required=False, help_text=_("The product's, of what it refuses."))


class VersionSerializer(fields.Serializer):
    """A version of the live estate, and what made it of the one before."""

    number = fields.IntegerField(min_value=1)
    created_at = fields.DateTimeField()
    kind = fields.ChoiceField(["import", "edit"])
    author = fields.CharField()
    note = fields.CharField(allow_blank=True)
    added = fields.IntegerField(min_value=0)
    changed = fields.IntegerField(min_value=0)
    removed = fields.IntegerField(min_value=0)


class EntrySerializer(fields.Serializer):
    """Where a conversation begins: instance and database; or outside, the instance that it reaches."""

    instance = fields.CharField(required=False)
    database = fields.CharField(required=False)
    outside = fields.CharField(required=False)


class ConversationSerializer(fields.Serializer):
    """A conversation, as routing sees it."""

    id = fields.CharField(required=False, allow_null=True, allow_blank=True)
    vars()["from"] = EntrySerializer()
    to_service = fields.CharField(max_length=SERVICE_NAME_CHARS)
    to_broker_instance = identifier(None)
    is_reply = fields.BooleanField(required=False)
    from_service = or_null(SERVICE_NAME_CHARS)


class WhatIfSerializer(fields.Serializer):
    """A question."""

    conversation = ConversationSerializer()
    edits = fields.ListField(
        child=fields.DictField(), required=False, help_text=_("Tried out, in order; nothing is written.")
    )
    scenario = or_null(200, _("Of this scenario instead of the live estate."))
    as_of = or_null(40, _("As it was in this version, or at this moment."))
    at = fields.DateTimeField(
        required=False, allow_null=True, help_text=_("When routes count as expired or not; null: now.")
    )


class OutcomeSerializer(fields.Serializer):
    """One way that it may end."""

    outcome = fields.ChoiceField(["delivered", "delayed", "dropped", "exits"])
    instance = fields.CharField()
    database = fields.CharField(required=False)
    reason = fields.CharField(required=False)
    address = fields.CharField(required=False)
    says = fields.CharField(required=False)
    path = fields.ListField(child=fields.DictField(), required=False)


class BeforeSerializer(fields.Serializer):
    """The answer without the edits."""

    verdict = fields.CharField()
    outcomes = OutcomeSerializer(many=True)


class AnswerSerializer(fields.Serializer):
    """Every outcome, every hop with every rule, and the way back."""

    version = fields.IntegerField(min_value=0, max_value=2**31 - 1, help_text=_("0: of a scenario."))
    conversation = ConversationSerializer()
    at = fields.DateTimeField()
    answer = fields.CharField()
    verdict = fields.CharField()
    outcomes = OutcomeSerializer(many=True)
    hops = fields.ListField(child=fields.DictField())
    vars()["return"] = fields.ListField(child=fields.DictField())
    before = BeforeSerializer(required=False, allow_null=True)


class ScriptSerializer(fields.Serializer):
    """A script."""

    file = fields.CharField(required=False, max_length=255, help_text=_("What findings call it."))
    text = fields.CharField(allow_blank=True)


class ServerSerializer(fields.Serializer):
    """The scripts of one instance, in the order in which they are run."""

    instance = fields.CharField(max_length=SERVICE_NAME_CHARS)
    address = AddressField(required=False, allow_null=True)
    scripts = ScriptSerializer(many=True)


class ImportSerializer(fields.Serializer):
    """Either `document` or `sql`; or the document alone, without anything around it."""

    document = fields.DictField(required=False, help_text=_("An estate document."))
    sql = ServerSerializer(many=True, required=False)
    mode = fields.ChoiceField(["whole", "instances", "into"], required=False)
    dry_run = fields.BooleanField(required=False)
    at = fields.DateTimeField(required=False, allow_null=True, help_text=_("From when LIFETIME counts; null: now."))
    note = fields.CharField(required=False, max_length=1_000)


class FormSerializer(fields.Serializer):
    """The same as a form."""

    file = fields.FileField(help_text=_("An estate document (its name ends in .json) or a T-SQL script."))
    instance = fields.CharField(required=False, max_length=SERVICE_NAME_CHARS)
    address = AddressField(required=False)
    mode = fields.ChoiceField(["whole", "instances", "into"], required=False)
    dry_run = fields.BooleanField(required=False)
    at = fields.DateTimeField(required=False)
    note = fields.CharField(required=False, max_length=1_000)


class CountsSerializer(fields.Serializer):
    """How much the estate holds now."""

    instances = fields.IntegerField(min_value=0)
    databases = fields.IntegerField(min_value=0)
    services = fields.IntegerField(min_value=0)
    queues = fields.IntegerField(min_value=0)
    routes = fields.IntegerField(min_value=0)


class ChangesSerializer(fields.Serializer):
    """Rows that differ."""

    added = fields.IntegerField(min_value=0)
    changed = fields.IntegerField(min_value=0)
    removed = fields.IntegerField(min_value=0)


class FindingSerializer(fields.Serializer):
    """What is to be said of one object."""

    code = fields.CharField()
    severity = fields.ChoiceField(["error", "warning", "info"])
    instance = fields.CharField(allow_null=True)
    database = fields.CharField(allow_null=True)
    object = fields.CharField(allow_null=True)
    reason = fields.CharField()
    remedy_sql = fields.CharField(allow_null=True)
    file = fields.CharField(allow_null=True)
    line = fields.IntegerField(allow_null=True)


class ImportedSerializer(fields.Serializer):
    """What came of it."""

    version = fields.IntegerField(min_value=0, help_text=_("The one before, where nothing changed or was written."))
    dry_run = fields.BooleanField()
    complete = fields.BooleanField(help_text=_("Whether every statement was applied."))
    counts = CountsSerializer()
    changes = ChangesSerializer()
    findings = FindingSerializer(many=True, help_text=_("The first 1,000."))
    findings_total = fields.IntegerField(min_value=0)


class ImportRunSerializer(fields.Serializer):
    """An import that takes longer than a request."""

    id = fields.IntegerField(min_value=1)
    state = fields.ChoiceField(["waiting", "working", "done", "failed", "discarded", "open"])
    phase = fields.CharField(allow_blank=True, help_text=_("What is being done."))
    done = fields.IntegerField(min_value=0)
    total = fields.IntegerField(min_value=0, help_text=_("Of the phase; 0: nobody knows."))
    author = fields.CharField()
    created_at = fields.DateTimeField()
    ended_at = fields.DateTimeField(allow_null=True)
    dry_run = fields.BooleanField()
    result = ImportedSerializer(allow_null=True)
    problem = ProblemSerializer(allow_null=True)


class EstateSerializer(fields.Serializer):
    """An estate document, `brokerui.estate/1`."""

    format = fields.ChoiceField(["brokerui.estate/1"])
    hop_limit = fields.IntegerField(min_value=0, max_value=MAX_HOP_LIMIT)
    instances = fields.ListField(child=fields.DictField())
