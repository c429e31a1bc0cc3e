"""Databases: the brokers of an instance."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from brokerui.estate.models.base import SYSNAME, Member, lengths, one_of, unique
from brokerui.estate.models.instances import Instance


class MirroringRole(models.TextChoices):
    """The role of a mirrored database."""

    PRINCIPAL = "PRINCIPAL"
    MIRROR = "MIRROR"


class Database(Member):
    """A row of `sys.databases`; one for each instance and name, also of two that mirror each other."""

    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="databases")
    name = models.CharField(max_length=SYSNAME)
    broker_instance = models.UUIDField(null=True, blank=True)
    """Its service broker identifier; null: not known."""
    broker_enabled = models.BooleanField(default=True)
    mirroring_role = models.CharField(max_length=9, null=True, blank=True, choices=MirroringRole)
    transmission_queue = models.JSONField(null=True, blank=True)
    """The messages that waited in it when its server was asked last, as in the document; null: never asked."""
    conversation_endpoints = models.JSONField(null=True, blank=True)
    """Collected rows of its conversation endpoints, likewise."""
    partner = models.OneToOneField("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    """The other one of a mirrored pair, which agrees in name and identifier and has the other role."""

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_database_name", "instance", "name"),
            lengths("estate_database_text", name=SYSNAME),
            # The product's error 9772: two enabled brokers of an instance cannot share an identifier.
            unique("estate_database_broker", "instance", "broker_instance", condition=Q(broker_enabled=True)),
            one_of("mirroring_role", MirroringRole, "estate_database_role", null=True),
            models.CheckConstraint(condition=~Q(partner=F("id")), name="estate_database_partner"),
        ]
        indexes = [models.Index(fields=["broker_instance"], name="estate_database_identifier")]

    def __str__(self) -> str:
        return self.name
