"""Tables of the demo."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Demo(models.Model):
    """The one row that says when the demo was loaded: its instances are those that were imported at that moment."""

    KEY = 1

    loaded_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="demo_one")]

    def __str__(self) -> str:
        return "the demo"
