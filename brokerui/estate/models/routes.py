"""Routes: the rows that everything else is about."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.estate.models.base import SERVICE_NAME, SYSNAME, Member, lengths, unique
from brokerui.estate.models.databases import Database


class Route(Member):
    """A row of `sys.routes`."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="routes")
    name = models.CharField(max_length=SYSNAME)
    remote_service_name = models.CharField(max_length=SERVICE_NAME, null=True, blank=True)
    """The service it is for, byte by byte; null: it gives no service name."""
    broker_instance = models.UUIDField(null=True, blank=True)
    """The identifier of the target database; null: it gives none."""
    lifetime = models.DateTimeField(null=True, blank=True)
    """UTC; null: it never expires."""
    address = models.TextField()
    """As it was written."""
    address_key = models.TextField()
    """LOCAL, TRANSPORT, or canonical: lower case, port given, no trailing slash."""
    mirror_address = models.TextField(null=True, blank=True)
    mirror_key = models.TextField(null=True, blank=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            unique("estate_route_name", "database", "name"),
            lengths("estate_route_text", name=SYSNAME, remote_service_name=SERVICE_NAME),
            models.CheckConstraint(
                condition=Q(address_key__in=["LOCAL", "TRANSPORT"]) | Q(address_key__startswith="tcp:"),
                name="estate_route_address",
            ),
            # Only a network address has a mirror, and the mirror is a network address.
            models.CheckConstraint(
                condition=Q(mirror_address__isnull=True, mirror_key__isnull=True)
                | Q(
                    mirror_address__isnull=False,
                    mirror_key__isnull=False,
                    mirror_key__startswith="tcp:",
                    address_key__startswith="tcp:",
                ),
                name="estate_route_mirror",
            ),
        ]
        indexes = [
            models.Index(fields=["remote_service_name"], name="estate_route_service"),
            models.Index(fields=["address_key"], name="estate_route_leads_to"),
        ]

    def __str__(self) -> str:
        return self.name
