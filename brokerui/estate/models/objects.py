"""Objects of a database besides routes: services, queues, contracts, message types, priorities, bindings."""

from __future__ import annotations

from django.db import models

from brokerui.estate.models.base import (
    PROCEDURE,
    QUEUE_NAME,
    SERVICE_NAME,
    SYSNAME,
    Member,
    between,
    lengths,
    one_of,
    unique,
)
from brokerui.estate.models.databases import Database


class Validation(models.TextChoices):
    """VALIDATION of a message type."""

    NONE = "NONE"
    EMPTY = "EMPTY"
    WELL_FORMED_XML = "WELL_FORMED_XML"
    VALID_XML = "VALID_XML"


class SentBy(models.TextChoices):
    """SENT BY of a message type in a contract."""

    INITIATOR = "INITIATOR"
    TARGET = "TARGET"
    ANY = "ANY"


class Service(Member):
    """A row of `sys.services`."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="services")
    name = models.CharField(max_length=SERVICE_NAME)
    queue = models.CharField(max_length=QUEUE_NAME, null=True, blank=True)
    """`schema.name`, which need not be among the queues that are known; null: not known."""

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_service_name", "database", "name"),
            lengths("estate_service_text", name=SERVICE_NAME, queue=QUEUE_NAME),
        ]
        indexes = [models.Index(fields=["name"], name="estate_service_by_name")]

    def __str__(self) -> str:
        return self.name


class ServiceContract(Member):
    """A row of `sys.service_contract_usages`: a contract that a service accepts as a target."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="contracts")
    contract = models.CharField(max_length=SERVICE_NAME)

    class Meta:
        ordering = ["position"]
        constraints = [
            unique("estate_servicecontract_place", "service", "position"),
            lengths("estate_servicecontract_text", contract=SERVICE_NAME),
        ]

    def __str__(self) -> str:
        return self.contract


class Queue(Member):
    """A row of `sys.service_queues`."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="queues")
    name = models.CharField(max_length=QUEUE_NAME)
    enabled = models.BooleanField(default=True)
    retention = models.BooleanField(default=False)
    poison_handling = models.BooleanField(default=True)
    activation_procedure = models.CharField(max_length=PROCEDURE, null=True, blank=True)
    """Null: no activation."""
    activation_max_readers = models.PositiveIntegerField(null=True, blank=True)
    activation_enabled = models.BooleanField(null=True, blank=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_queue_name", "database", "name"),
            lengths("estate_queue_text", name=QUEUE_NAME, activation_procedure=PROCEDURE),
            between("activation_max_readers", 0, 32_767, "estate_queue_readers"),
            models.CheckConstraint(
                condition=models.Q(
                    activation_procedure__isnull=True,
                    activation_max_readers__isnull=True,
                    activation_enabled__isnull=True,
                )
                | models.Q(
                    activation_procedure__isnull=False,
                    activation_max_readers__isnull=False,
                    activation_enabled__isnull=False,
                ),
                name="estate_queue_activation",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Contract(Member):
    """A row of `sys.service_contracts`."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="contracts")
    name = models.CharField(max_length=SERVICE_NAME)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_contract_name", "database", "name"),
            lengths("estate_contract_text", name=SERVICE_NAME),
        ]

    def __str__(self) -> str:
        return self.name


class ContractMessage(Member):
    """A row of `sys.service_contract_message_usages`."""

    contract = models.ForeignKey(Contract, on_delete=models.CASCADE, related_name="messages")
    message_type = models.CharField(max_length=SERVICE_NAME)
    sent_by = models.CharField(max_length=9, choices=SentBy)

    class Meta:
        ordering = ["position"]
        constraints = [
            unique("estate_contractmessage_place", "contract", "position"),
            lengths("estate_contractmessage_text", message_type=SERVICE_NAME),
            one_of("sent_by", SentBy, "estate_contractmessage_by"),
        ]

    def __str__(self) -> str:
        return self.message_type


class MessageType(Member):
    """A row of `sys.service_message_types`."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="message_types")
    name = models.CharField(max_length=SERVICE_NAME)
    validation = models.CharField(max_length=15, choices=Validation, default=Validation.NONE)
    schema_collection = models.CharField(max_length=QUEUE_NAME, null=True, blank=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_messagetype_name", "database", "name"),
            lengths("estate_messagetype_text", name=SERVICE_NAME, schema_collection=QUEUE_NAME),
            one_of("validation", Validation, "estate_messagetype_validation"),
        ]

    def __str__(self) -> str:
        return self.name


class Priority(Member):
    """A row of `sys.conversation_priorities`; null stands for ANY."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="priorities")
    name = models.CharField(max_length=SYSNAME)
    contract_name = models.CharField(max_length=SERVICE_NAME, null=True, blank=True)
    local_service_name = models.CharField(max_length=SERVICE_NAME, null=True, blank=True)
    remote_service_name = models.CharField(max_length=SERVICE_NAME, null=True, blank=True)
    priority_level = models.PositiveSmallIntegerField(default=5)

    class Meta:
        ordering = ["position", "id"]
        verbose_name_plural = "priorities"
        constraints = [
            unique("estate_priority_name", "database", "name"),
            lengths(
                "estate_priority_text",
                name=SYSNAME,
                contract_name=SERVICE_NAME,
                local_service_name=SERVICE_NAME,
                remote_service_name=SERVICE_NAME,
            ),
            between("priority_level", 1, 10, "estate_priority_level"),
        ]

    def __str__(self) -> str:
        return self.name


class RemoteServiceBinding(Member):
    """A row of `sys.remote_service_bindings`."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="remote_service_bindings")
    name = models.CharField(max_length=SYSNAME)
    remote_service_name = models.CharField(max_length=SERVICE_NAME)
    user = models.CharField(max_length=SYSNAME, null=True, blank=True)
    anonymous = models.BooleanField(default=False)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_binding_name", "database", "name"),
            lengths("estate_binding_text", name=SYSNAME, remote_service_name=SERVICE_NAME, user=SYSNAME),
        ]

    def __str__(self) -> str:
        return self.name
