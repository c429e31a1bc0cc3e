"""The review of a draft: submit, comment, approve, reject, reopen. Each is one transaction and one entry of the audit.

An edit can only be written in the state `draft`, so that exactly the approved edits are applied.
"""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import transaction

from brokerui.changes.errors import NoEditError, NothingToApplyError, OwnApprovalError
from brokerui.changes.models import DraftState, ReviewAction, SavedDraft
from brokerui.changes.selectors import instances_edited
from brokerui.changes.writing import locked, review, write
from brokerui.core.instance_limit import check_instances

NO_APPROVAL: Final = "none"
BY_ANYBODY: Final = "any"
BY_ANOTHER: Final = "other"
APPROVALS: Final = (NO_APPROVAL, BY_ANYBODY, BY_ANOTHER)
"""Values of the setting `CHANGES_APPROVAL`: whether a draft must be approved, and whether by somebody who is not its
author."""


@transaction.atomic
def draft_submit(*, number: int, revision: int, comment: str = "", author: str) -> SavedDraft:
    """Hand a draft over for review; from here on its edits stay as they are. Raises `NothingToApplyError`."""
    draft = locked(number, revision, DraftState.DRAFT)
    if not draft.edit_count:
        raise NothingToApplyError
    return _moved(draft, DraftState.SUBMITTED, ReviewAction.SUBMIT, author, comment)


@transaction.atomic
def draft_approve(*, number: int, revision: int, comment: str = "", author: str) -> SavedDraft:
    """Approve a submitted draft. Raises `OwnApprovalError` where its author must not."""
    draft = locked(number, revision, DraftState.SUBMITTED)
    if settings.CHANGES_APPROVAL == BY_ANOTHER and author in _editors(draft):
        raise OwnApprovalError
    check_instances(instances_edited(draft))
    return _moved(draft, DraftState.APPROVED, ReviewAction.APPROVE, author, comment)


@transaction.atomic
def draft_reject(*, number: int, revision: int, comment: str = "", author: str) -> SavedDraft:
    """Reject a submitted or an approved draft."""
    draft = locked(number, revision, DraftState.SUBMITTED, DraftState.APPROVED)
    return _moved(draft, DraftState.REJECTED, ReviewAction.REJECT, author, comment)


@transaction.atomic
def draft_reopen(*, number: int, revision: int, comment: str = "", author: str) -> SavedDraft:
    """Let the edits of a draft be changed again; an approval is gone with it."""
    draft = locked(number, revision, DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED)
    return _moved(draft, DraftState.DRAFT, ReviewAction.REOPEN, author, comment)


@transaction.atomic
def draft_comment(*, number: int, revision: int, comment: str, edit: int | None = None, author: str) -> SavedDraft:
    """Add a comment to a draft in any state, or to its edit of this index. Raises `NoEditError`."""
    draft = locked(number, revision, *DraftState)
    if edit is not None and edit >= draft.edit_count:
        raise NoEditError(edit)
    review(draft, ReviewAction.COMMENT, author, comment, edit)
    return write(draft, "comment", author)


def _editors(draft: SavedDraft) -> set[str]:
    """Return the users who wrote the draft: approving one's own edit in a draft of another is no second opinion."""
    return {draft.author, *draft.steps.values_list("author", flat=True)}


def _moved(draft: SavedDraft, state: DraftState, action: ReviewAction, author: str, comment: str) -> SavedDraft:
    draft.state = state
    review(draft, action, author, comment)
    return write(draft, action.value, author)
