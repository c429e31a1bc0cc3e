"""The parts of every write of a draft: lock its row, count its revision up, add to the review and to the audit."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from brokerui.changes.errors import DraftClosedError, DraftStaleError
from brokerui.changes.models import DraftState, ReviewAction, SavedDraft
from brokerui.changes.selectors import draft_get
from brokerui.estate.audit import audit
from brokerui.estate.models import Version


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
    draft.revision += 1
    draft.updated_at = timezone.now()
    draft.save()
    audit_draft(draft, action, author, version=version, note=note)
    return draft


def audit_draft(draft: SavedDraft, action: str, author: str, *, version: Version | None = None, note: str = "") -> None:
    """Add an entry about a draft to the audit."""
    about = f"{draft.id} {draft.name}"
    audit(author=author, action=f"draft.{action}", note=f"{about}: {note}" if note else about, version=version)


def review(draft: SavedDraft, action: ReviewAction, author: str, text: str = "", edit: int | None = None) -> None:
    """Add an entry to the review of a draft."""
    draft.review.create(at=timezone.now(), author=author, action=action, edit=edit, text=text)
