"""Tables that belong to no page."""

from __future__ import annotations

from django.db import models

KEY_MAX_CHARS = 200


class RateCounter(models.Model):
    """How often something happened within a span of time, counted here while Redis is away (rate_counter.py)."""

    key = models.CharField(max_length=KEY_MAX_CHARS, unique=True)
    ends_at = models.DateTimeField(db_index=True)
    """End of the span: the next event begins a new one."""
    count = models.PositiveIntegerField()

    class Meta:
        db_table = "core_counted"

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"
