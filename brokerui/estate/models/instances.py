"""Instances and where they listen."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.estate.models.base import SERVICE_NAME, SYSNAME, Member, between, lengths, one_of, unique


class EndpointState(models.TextChoices):
    """STATE of an endpoint."""

    STARTED = "STARTED"
    STOPPED = "STOPPED"
    DISABLED = "DISABLED"


class Encryption(models.TextChoices):
    """ENCRYPTION of an endpoint."""

    DISABLED = "DISABLED"
    SUPPORTED = "SUPPORTED"
    REQUIRED = "REQUIRED"


ENDPOINT = ("port", "state", "encryption", "authentication", "forward_size")
_NO_ENDPOINT = Q(**{f"endpoint_{field}__isnull": True for field in ENDPOINT})
_ENDPOINT = Q(**{f"endpoint_{field}__isnull": False for field in ENDPOINT})


class Instance(Member):
    """One SQL Server instance, with its Service Broker endpoint where it has one."""

    name = models.CharField(max_length=SERVICE_NAME)
    hosted = models.BooleanField(default=False)
    """Whether this deployment runs it. Others are observed: their catalog was imported."""
    forwarding = models.BooleanField(default=False)
    """MESSAGE_FORWARDING of its endpoint."""
    endpoint_port = models.PositiveIntegerField(null=True, blank=True)
    endpoint_state = models.CharField(max_length=8, null=True, blank=True, choices=EndpointState)
    endpoint_encryption = models.CharField(max_length=9, null=True, blank=True, choices=Encryption)
    endpoint_authentication = models.CharField(max_length=SYSNAME, null=True, blank=True)
    endpoint_forward_size = models.PositiveIntegerField(null=True, blank=True)
    """MESSAGE_FORWARD_SIZE, megabytes."""
    missing_statements = models.JSONField(default=list, blank=True)
    """Statements of its scripts that the estate lacks, as in the document."""
    imported_at = models.DateTimeField(null=True, blank=True)
    """When its catalog, script or document was read last; null: never."""

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_instance_name", "name"),
            lengths("estate_instance_text", name=SERVICE_NAME, endpoint_authentication=SYSNAME),
            models.CheckConstraint(condition=_NO_ENDPOINT | _ENDPOINT, name="estate_instance_endpoint"),
            between("endpoint_port", 1, 65_535, "estate_instance_port"),
            one_of("endpoint_state", EndpointState, "estate_instance_state", null=True),
            one_of("endpoint_encryption", Encryption, "estate_instance_encryption", null=True),
        ]

    def __str__(self) -> str:
        return self.name


class InstanceAddress(Member):
    """A network address at which an instance listens."""

    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="addresses")
    text = models.TextField()
    """As it was written."""
    key = models.TextField()
    """Canonical: lower case, port given, no trailing slash."""
    repeated = models.BooleanField(default=False)
    """Whether the same instance has this address before, spelt otherwise or not."""

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_address_place", "instance", "position"),
            # An address leads to one instance.
            unique("estate_address_key", "key", condition=Q(repeated=False)),
            models.CheckConstraint(condition=Q(key__startswith="tcp:"), name="estate_address_tcp"),
        ]

    def __str__(self) -> str:
        return self.text
