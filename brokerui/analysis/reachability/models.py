"""Verdicts of all pairs of entry point and service name of a large estate."""

from __future__ import annotations

from django.db import models

KEY = 64
"""`viewed.key`: SHA-256, in hex digits."""
MOMENT = 40


class Survey(models.Model):
    """The matrix of one estate, for as long as no route of it expires. Never changed afterwards."""

    key = models.CharField(max_length=KEY)
    """The content that it is about."""
    since = models.CharField(max_length=MOMENT, blank=True)
    """The last expiry of a route, as ISO 8601: until the next one every answer is the same. Empty: none has expired."""
    at = models.DateTimeField()
    """The moment at which routes count as expired or not; any other until the next expiry gives the same."""
    finished_at = models.DateTimeField()
    seconds = models.FloatField()
    """How long it took."""
    data = models.BinaryField()
    """The matrix (packing.py)."""

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["key", "since"], name="survey_once")]

    def __str__(self) -> str:
        return f"{self.key[:8]} since {self.since or 'ever'}"
