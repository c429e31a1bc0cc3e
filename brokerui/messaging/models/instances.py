"""Hosted instances, and what each of them knows besides conversations."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.messaging.models.base import SERVICE_NAME, SYSNAME, Guid, HostedInstance, Name, OfInstance, check
from brokerui.messaging.models.base import not_negative as _not_negative
from routing.mirror.state_machine import AWAY, CLAIMS, DENIES, PHASES

__all__ = ["HostedInstance", "MirroredRoute", "RouteRequest"]

_HEARD = ("", CLAIMS, DENIES, AWAY)


class RouteRequest(OfInstance):
    """A route that was asked for at the dynamic routing service of a database, and has not come yet (MATCH-4)."""

    pk = models.CompositePrimaryKey("instance", "database", "service")
    database = Name(max_length=SYSNAME)
    service = Name(max_length=SERVICE_NAME)
    conversation_handle = Guid()
    """The handle of the dialog in which it was requested."""

    class Meta:
        db_table = "route_requests"

    def __str__(self) -> str:
        return f"{self.database}: {self.service}"


class MirroredRoute(OfInstance):
    """State of a mirrored route: `MirroredRoute`, with both partners in one row (MIR-2)."""

    pk = models.CompositePrimaryKey("instance", "address", "mirror_address", "service", "identifier")
    address = Name(max_length=SERVICE_NAME)
    mirror_address = Name(max_length=SERVICE_NAME)
    service = Name(max_length=SERVICE_NAME)
    identifier = Name(max_length=SERVICE_NAME, blank=True)
    """Empty: none is in force."""
    phase = Name(max_length=8)
    principal = models.SmallIntegerField()
    """Which of the addresses, 0 or 1."""
    heard = Name(max_length=6, blank=True)
    heard_mirror = Name(max_length=6, blank=True)
    question = Guid(blank=True)
    question_mirror = Guid(blank=True)
    rounds = models.IntegerField()
    due = models.BigIntegerField(null=True)
    claimed_at = models.BigIntegerField()
    shown = models.SmallIntegerField(null=True)
    """Subclass of the event that told it last."""

    class Meta:
        db_table = "mirrored_routes"
        constraints = [
            check("mirrored_routes_phase", Q(phase__in=list(PHASES))),
            check("mirrored_routes_principal", Q(principal__in=[0, 1])),
            check("mirrored_routes_heard", Q(heard__in=_HEARD, heard_mirror__in=_HEARD)),
            _not_negative("mirrored_routes_numbers", "rounds", "claimed_at"),
        ]

    def __str__(self) -> str:
        return f"{self.address}, {self.mirror_address}: {self.service}"
