"""The parts of every write of a draft: lock its row, count its revision up, add to the review and to the audit."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils import timezone

from brokerui.changes.errors import DraftClosedError, DraftStaleError
from brokerui.changes.models import DraftState, ReviewAction, SavedDraft
from brokerui.changes.selectors import draft_get
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import Changes, changes_of, stored_values, values_of
from brokerui.estate.models import Version

AUDITED: Final = ("name", "description", "state", "base_id", "edit_count", "applied_id", "rolled_back_id", "confirm_by")


def locked(number: int, revision: int, *states: DraftState) -> SavedDraft:
    """Return a draft in one of these states, which no other transaction writes until this one ends.

    Raises `DraftNotFoundError`, `DraftStaleError` where it has another revision by now, and `DraftClosedError`.
    """
    assert transaction.get_connection().in_atomic_block
    SavedDraft.objects.select_for_update().filter(id=number).values_list("id").first()
    draft = draft_get(number)
    if draft.revision != revision:
        raise DraftStaleError(revision=revision, current_revision=draft.revision)
    if draft.state not in states:
        raise DraftClosedError(draft.state)
    return draft


def write(draft: SavedDraft, action: str, author: str, *, version: Version | None = None, note: str = "") -> SavedDraft:
    """Save a draft with its next revision, and add to the audit."""
    before = stored_values(draft, *AUDITED)
    draft.revision += 1
    draft.updated_at = timezone.now()
    draft.save()
    changes = changes_of(before, values_of(draft, *AUDITED))
    audit_draft(draft, action, author, version=version, note=note, changes=changes)
    return draft


def audit_draft(
    draft: SavedDraft,
    action: str,
    author: str,
    *,
    version: Version | None = None,
    note: str = "",
    changes: Changes | None = None,
) -> None:
    """Add an entry about a draft to the audit."""
    about = f"{draft.id} {draft.name}"
    words = f"{about}: {note}" if note else about
    audit(author=author, action=f"draft.{action}", note=words, version=version, changes=changes)


def review(draft: SavedDraft, action: ReviewAction, author: str, text: str = "", edit: int | None = None) -> None:
    """Add an entry to the review of a draft."""
    draft.review.create(at=timezone.now(), author=author, action=action, edit=edit, text=text)
