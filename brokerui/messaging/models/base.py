"""Fields and base classes that the tables of messaging share."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q

from brokerui.estate.models.base import QUEUE_NAME, SERVICE_NAME, SYSNAME

__all__ = ["QUEUE_NAME", "SERVICE_NAME", "SYSNAME"]
GUID = 36


class Name(models.CharField):
    """A text that is compared byte by byte, on every database; PostgreSQL would ask a language how to sort it."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        given = super().db_parameters(connection)
        return given | ({"collation": "C"} if connection.vendor == "postgresql" else {})


class Guid(Name):
    """An identifier as the engine writes it: lower case, without braces."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **{"max_length": GUID, **named})


class HostedInstance(models.Model):
    """An instance that this deployment runs: what its endpoints, queues and messages belong to."""

    id = models.SmallAutoField(primary_key=True)
    name = models.CharField(max_length=SERVICE_NAME, unique=True)
    known = models.BigIntegerField(default=0)
    """Counts the changes of what each claim reads: states of queues, route requests, mirrored routes, keys."""
    least_version = models.IntegerField(default=0)
    """The version of the estate with which conversations were moved or dropped last: a claim by an older one
    works on rows that are gone."""
    followed_version = models.IntegerField(default=0)
    """The version of the estate with which everything that waits was tried last (MATCH-7)."""

    class Meta:
        db_table = "hosted_instances"

    def __str__(self) -> str:
        return self.name


class OfInstance(models.Model):
    """A row of a hosted instance.

    In keys and indexes the instance stands last: an index that begins with it looks, to a planner that knows little of
    a table yet, as good as the right one, and is as bad as none. A table with several indexes has the instance in each:
    statements that look for its rows by another column write `instance_id + 0`, which stands in no index. Else a
    planner that takes the table for empty, as it was when it was analyzed, reads all rows of an instance.
    """

    instance = models.ForeignKey(
        HostedInstance, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )

    class Meta:
        abstract = True


def check(name: str, condition: Q) -> models.CheckConstraint:
    return models.CheckConstraint(condition=condition, name=name)


def not_negative(name: str, *fields: str) -> models.CheckConstraint:
    """The constraint that numbers are 0 or more; NULL passes."""
    condition = Q()
    for field in fields:
        condition &= Q(**{f"{field}__gte": 0})
    return check(name, condition)
