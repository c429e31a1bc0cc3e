"""A draft of the live estate: edits on one of its versions, and the steps by which they came about."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from brokerui.estate.models import Version
from brokerui.estate.models.base import lengths, one_of
from brokerui.estate.models.versions import AUTHOR
from routing.model.estate import INSTANCE_NAME_CHARS

NAME = 200
"""Characters of a draft's name."""


STATE = 12


class DraftState(models.TextChoices):
    """Where a draft stands on its way to the live estate."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    APPLIED = "applied"
    CONFIRMED = "confirmed"
    ROLLED_BACK = "rolled_back"
    DISCARDED = "discarded"


PENDING = (DraftState.DRAFT, DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED)
"""States of a draft that may still become a version of the live estate."""


class SavedDraft(models.Model):
    """A named list of edits on a version of the live estate. A writer locks its row first."""

    name = models.CharField(max_length=NAME)
    description = models.TextField(blank=True)
    author = models.CharField(max_length=AUTHOR)
    state = models.CharField(max_length=STATE, choices=DraftState, default=DraftState.DRAFT)
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

    applied = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    """The version that applying it wrote; `rolled_back` likewise for rolling it back."""
    rolled_back = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    confirm_by = models.DateTimeField(null=True)
    """Until when an applied draft has to be confirmed, else it is rolled back; null: it need not be."""
    delayed_limit = models.PositiveIntegerField(null=True)
    """Until it is confirmed: with more delayed conversations than this it is rolled back."""
    depth_limit = models.PositiveIntegerField(null=True)
    """Until it is confirmed: with more messages than this in one queue it is rolled back."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("state", DraftState, "changes_draft_state"),
            models.CheckConstraint(
                condition=Q(applied__isnull=False)
                | ~Q(state__in=[DraftState.APPLIED, DraftState.CONFIRMED, DraftState.ROLLED_BACK]),
                name="changes_draft_applied",
            ),
            lengths("changes_draft_name_length", name=NAME),
            models.CheckConstraint(
                condition=Q(step__gte=F("first_step"), step__lte=F("last_step")), name="changes_draft_step"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-id"], name="changes_draft_state_id"),
            models.Index(fields=["confirm_by"], condition=Q(confirm_by__isnull=False), name="changes_draft_confirm"),
        ]

    def __str__(self) -> str:
        return self.name


class DraftStep(models.Model):
    """One write to the list of edits: from `start` on, `removed` gave way to `inserted`."""

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


class DraftScript(models.Model):
    """The T-SQL of one instance as a user saved it last: its comments and its order are kept beside the edits."""

    draft = models.ForeignKey(SavedDraft, on_delete=models.CASCADE, related_name="scripts")
    instance = models.CharField(max_length=INSTANCE_NAME_CHARS)
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["draft", "instance"], name="changes_script_instance")]

    def __str__(self) -> str:
        return f"script of {self.instance} in {self.draft_id}"


class ReviewAction(models.TextChoices):
    """The acts of users on a draft beside editing it."""

    COMMENT = "comment"
    SUBMIT = "submit"
    APPROVE = "approve"
    REJECT = "reject"
    REOPEN = "reopen"
    REBASE = "rebase"
    APPLY = "apply"
    CONFIRM = "confirm"
    ROLL_BACK = "roll_back"
    CANNOT_ROLL_BACK = "cannot_roll_back"


class ReviewEntry(models.Model):
    """One entry in the review of a draft. Entries are only ever added: the database refuses everything else."""

    draft = models.ForeignKey(SavedDraft, on_delete=models.PROTECT, related_name="review")
    at = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)
    action = models.CharField(max_length=20, choices=ReviewAction)
    edit = models.PositiveIntegerField(null=True)
    """Index of the edit that a comment is about; null: the draft."""
    text = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [one_of("action", ReviewAction, "changes_review_action")]

    def __str__(self) -> str:
        return f"{self.author}: {self.action}"
