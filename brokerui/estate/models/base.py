"""Base of the tables of the estate."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import GreaterThanOrEqual, LessThanOrEqual

SYSNAME = 128
SERVICE_NAME = 256
QUEUE_NAME = 257
"""`schema.name`."""
PROCEDURE = 776


class Member(models.Model):
    """A row that stands at a place of a list in the estate document."""

    position = models.PositiveIntegerField()
    """Rows of one list stand in this order; gaps mean nothing."""

    class Meta:
        abstract = True


def one_of(field: str, choices: type[models.TextChoices], name: str, *, null: bool = False) -> models.CheckConstraint:
    """The constraint that a column holds one of the choices (or, where it may, NULL)."""
    condition = Q(**{f"{field}__in": choices.values})
    return models.CheckConstraint(
        condition=condition | Q(**{f"{field}__isnull": True}) if null else condition, name=name
    )


def between(field: str, low: int, high: int, name: str) -> models.CheckConstraint:
    """The constraint that a number lies in a range, ends included; NULL passes."""
    return models.CheckConstraint(condition=Q(**{f"{field}__gte": low, f"{field}__lte": high}), name=name)


def lengths(constraint: str, /, **most: int) -> models.CheckConstraint:
    """Constraint on the length of texts, one character to `most`; NULL passes. SQLite checks no lengths itself."""
    condition = Q()
    for field, limit in most.items():
        length = Length(F(field))
        condition &= Q(GreaterThanOrEqual(length, 1)) & Q(LessThanOrEqual(length, limit))
    return models.CheckConstraint(condition=condition, name=constraint)


def unique(name: str, *fields: str, **options: Any) -> models.UniqueConstraint:
    """Names compare byte by byte, on every database."""
    return models.UniqueConstraint(fields=fields, name=name, **options)
