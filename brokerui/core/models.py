"""What belongs to no page."""

from __future__ import annotations

from django.db import models

KEY = 200


class Counted(models.Model):
    """How often something happened within a span of time, where no Valkey counts it (counts.py)."""

    key = models.CharField(max_length=KEY, unique=True)
    ends_at = models.DateTimeField(db_index=True)
    """From then on it is counted anew."""
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"
