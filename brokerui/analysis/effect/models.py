"""Effects that a background job has worked out, for all processes."""

from __future__ import annotations

from django.db import models

DIGEST = 64
"""SHA-256, in hex digits."""
MOMENT = 40


class KeptEffect(models.Model):
    """The effect of one change, for as long as no route of either estate expires. Never changed afterwards."""

    before = models.CharField(max_length=DIGEST, blank=True)
    """Digest of the estate without the change."""
    after = models.CharField(max_length=DIGEST)
    since = models.CharField(max_length=MOMENT, blank=True)
    """The last expiry of a route in either estate, as ISO 8601: until the next one the effect is the same. Empty: none
    has expired."""
    finished_at = models.DateTimeField()
    seconds = models.FloatField()
    """How long it took."""
    data = models.BinaryField()
    """The counts and the worst groups (packing.py)."""

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["before", "after", "since"], name="kept_effect_once")]

    def __str__(self) -> str:
        return f"{self.before[:8]} to {self.after[:8]} since {self.since or 'ever'}"


class KeptReport(models.Model):
    """The complete comparison of one change as text, for as long as no route of either estate expires."""

    before = models.CharField(max_length=DIGEST, blank=True)
    """Digest of the estate without the change; empty: the one before the first version."""
    after = models.CharField(max_length=DIGEST)
    since = models.CharField(max_length=MOMENT, blank=True)
    """As in `KeptEffect`."""
    traffic = models.BigIntegerField()
    """The result of the pipeline whose messages it has; 0: none."""
    classes = models.PositiveBigIntegerField()
    changed = models.PositiveBigIntegerField()
    """Classes that end otherwise; `rows` has the worst."""
    finished_at = models.DateTimeField()
    seconds = models.FloatField()
    """How long it took."""
    rows = models.BinaryField()
    """JSON, a row a line, compressed."""
    groups = models.BinaryField()
    """The end of the JSON object, from its first group on, compressed."""

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["before", "after", "since", "traffic"], name="kept_report_once")]

    def __str__(self) -> str:
        return f"{self.before[:8]} to {self.after[:8]} since {self.since or 'ever'}"
