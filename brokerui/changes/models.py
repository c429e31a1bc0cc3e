"""A draft of the live estate: edits on one of its versions, and the steps by which they came about."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from brokerui.estate.models import Version
from brokerui.estate.models.base import lengths, one_of
from brokerui.estate.models.versions import AUTHOR

NAME = 200
"""Characters of a draft's name."""


class DraftState(models.TextChoices):
    """Where a draft stands on its way to the live estate."""

    DRAFT = "draft"
    DISCARDED = "discarded"


class SavedDraft(models.Model):
    """A named list of edits on a version of the live estate. A writer locks its row first."""

    name = models.CharField(max_length=NAME)
    description = models.TextField(blank=True)
    author = models.CharField(max_length=AUTHOR)
    state = models.CharField(max_length=10, choices=DraftState, default=DraftState.DRAFT)
    base = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="drafts")
    """The version on which the edits are made; null: the empty estate before the first version."""
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField(default=1)
    """Counts the writes of this row: a writer names the revision that its user has seen."""
    edits = models.BinaryField()
    """`routing.documents.edits_json` as JSON, packed with zlib."""
    edit_count = models.PositiveIntegerField(default=0)
    step = models.PositiveIntegerField(default=0)
    """Number of the last step that is in force; 0: none was made. Undo takes it back, redo goes on after it."""
    first_step = models.PositiveIntegerField(default=0)
    """Number of the last step that was forgotten: undo goes back to after it."""
    last_step = models.PositiveIntegerField(default=0)
    """Number of the last step that redo can reach."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", DraftState, "changes_draft_state"),
            lengths("changes_draft_name_length", name=NAME),
            models.CheckConstraint(
                condition=Q(step__gte=F("first_step"), step__lte=F("last_step")), name="changes_draft_step"
            ),
        ]
        indexes = [models.Index(fields=["state", "-id"], name="changes_draft_state_id")]

    def __str__(self) -> str:
        return self.name


class DraftStep(models.Model):
    """What one write did to the list of edits: from `start` on, `removed` gave way to `inserted`."""

    draft = models.ForeignKey(SavedDraft, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    """1, 2, … within the draft."""
    at = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)
    start = models.PositiveIntegerField()
    """Index of the first edit that differs."""
    removed = models.BinaryField()
    """Edits, packed as those of the draft; `inserted` likewise."""
    inserted = models.BinaryField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["draft", "number"], name="changes_step_number")]

    def __str__(self) -> str:
        return f"step {self.number} of {self.draft_id}"
