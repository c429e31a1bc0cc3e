"""What is known of all pairs of a large estate, and what is still to be worked out."""

from __future__ import annotations

from django.db import models

KEY = 64
"""`viewed.key`: SHA-256, in hex digits."""
MOMENT = 40


class Survey(models.Model):
    """One estate, for as long as no route of it expires: wanted, under way or done."""

    key = models.CharField(max_length=KEY)
    """The content that it is about."""
    since = models.CharField(max_length=MOMENT, blank=True)
    """The last expiry of a route, as ISO 8601: until the next one every answer is the same. Empty: none has expired."""
    at = models.DateTimeField()
    """The moment at which routes count as expired or not; any other until the next expiry gives the same."""
    scenario = models.TextField(blank=True)
    """Where the estate is found: a scenario's name, or (empty) the live estate's version."""
    version = models.PositiveIntegerField(null=True)
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    """When a worker last said that it works on it; null: none has taken it."""
    finished_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)
    """Service names; of so many in all:"""
    total = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(null=True)
    """How long it took."""
    data = models.BinaryField(null=True)
    """The matrix (packing.py)."""

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["key", "since"], name="survey_once")]

    def __str__(self) -> str:
        return f"{self.key[:8]} since {self.since or 'ever'}"
