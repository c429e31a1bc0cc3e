"""Applying a draft to the live estate, confirming it, and rolling it back.

Each is one transaction: after a crash the estate has the old version or the new one. A transaction locks the row of the
draft first, then that of the live estate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from brokerui.changes.errors import (
    ApprovalMissingError,
    CollisionError,
    NotConfirmableError,
    NothingToApplyError,
)
from brokerui.changes.models import DraftState, ReviewAction, SavedDraft
from brokerui.changes.review import NO_APPROVAL
from brokerui.changes.rolling_back import RollbackPlan, rollback_plan
from brokerui.changes.selectors import base_version_of, draft_edits, instances_edited
from brokerui.changes.writing import locked, review, write
from brokerui.core.instance_limit import check_instances
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import Version
from brokerui.estate.selectors import live_version
from brokerui.estate.services import estate_edit


@dataclass(frozen=True, slots=True)
class Confirmation:
    """When an applied draft is rolled back by itself."""

    within: timedelta
    """Unless it is confirmed within this time; and until then:"""
    delayed_limit: int | None = None
    """with more delayed conversations than this,"""
    depth_limit: int | None = None
    """or with more messages than this in one queue."""


def nothing(seen: object) -> None:
    """Let it be written."""


@transaction.atomic
def draft_apply(
    *,
    number: int,
    revision: int,
    confirmation: Confirmation | None = None,
    before_write: Callable[[SavedDraft], None] = nothing,
    author: str,
) -> SavedDraft:
    """Write the edits of a draft as a version of the live estate.

    Raises `EstateStaleError` where the live estate has another version than the base of the draft, and
    `ApprovalMissingError` and `NothingToApplyError`. What `before_write` raises refuses it too.
    """
    draft = locked(number, revision, DraftState.DRAFT, DraftState.SUBMITTED, DraftState.APPROVED)
    if settings.CHANGES_APPROVAL != NO_APPROVAL and draft.state != DraftState.APPROVED:
        raise ApprovalMissingError
    base = base_version_of(draft)
    _check_base(base)
    before_write(draft)
    written = estate_edit(edits=draft_edits(draft), base_version=base, author=author, note=_note(draft))
    if written.version == base:
        raise NothingToApplyError
    draft.applied = _version(written.version)
    draft.state = DraftState.APPLIED
    if confirmation is not None:
        draft.confirm_by = timezone.now() + confirmation.within
        draft.delayed_limit, draft.depth_limit = confirmation.delayed_limit, confirmation.depth_limit
    review(draft, ReviewAction.APPLY, author)
    return write(draft, "apply", author, version=draft.applied)


@transaction.atomic
def draft_confirm(*, number: int, revision: int, author: str) -> SavedDraft:
    """Keep an applied draft: it is not rolled back by itself any more. Raises `NotConfirmableError`."""
    draft = locked(number, revision, DraftState.APPLIED)
    if draft.confirm_by is None or draft.confirm_by < timezone.now():
        raise NotConfirmableError(is_late=draft.confirm_by is not None)
    check_instances(instances_edited(draft))
    draft.state, draft.confirm_by = DraftState.CONFIRMED, None
    review(draft, ReviewAction.CONFIRM, author)
    return write(draft, "confirm", author)


@transaction.atomic
def draft_roll_back(
    *,
    number: int,
    revision: int,
    comment: str = "",
    before_write: Callable[[RollbackPlan], None] = nothing,
    author: str,
) -> SavedDraft:
    """Take an applied draft back, with a new version of the live estate.

    The version has the document from before the draft, byte for byte, where nothing was written since; otherwise the
    live document without what the draft changed. Raises `CollisionError` where that was changed again. What
    `before_write` raises refuses it too.
    """
    draft = locked(number, revision, DraftState.APPLIED, DraftState.CONFIRMED)
    plan = rollback_plan(draft)
    if plan.edits is None:
        raise CollisionError(plan.merged)
    before_write(plan)
    written = estate_edit(
        edits=plan.edits, base_version=plan.live.version, author=author, note=_note(draft, "rollback of ")
    )
    draft.rolled_back = _version(written.version)
    draft.state, draft.confirm_by = DraftState.ROLLED_BACK, None
    review(draft, ReviewAction.ROLL_BACK, author, comment)
    return write(draft, "roll_back", author, version=draft.rolled_back, note=comment)


@transaction.atomic
def draft_keep_waiting(*, number: int, revision: int, comment: str, author: str) -> SavedDraft:
    """Say that a draft could not be rolled back by itself, and try it no more."""
    draft = locked(number, revision, DraftState.APPLIED)
    draft.confirm_by = None
    review(draft, ReviewAction.CANNOT_ROLL_BACK, author, comment)
    return write(draft, "cannot_roll_back", author, note=comment)


def _check_base(base: int) -> None:
    """Raise `EstateStaleError` before any work is done for a draft of another version; the write checks it again."""
    current = live_version()
    if current != base:
        raise EstateStaleError(base_version=base, current_version=current)


def _note(draft: SavedDraft, what: str = "") -> str:
    return f"{what}draft {draft.id}: {draft.name}"


def _version(number: int) -> Version:
    return Version.objects.defer("document", "edits").get(number=number)
