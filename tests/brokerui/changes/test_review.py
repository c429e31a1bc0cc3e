"""The review of a draft: the verbs of each role and state, and their entries in the audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from brokerui.changes.errors import (
    DraftClosedError,
    DraftStaleError,
    NoEditError,
    NothingToApplyError,
    OwnApprovalError,
)
from brokerui.changes.models import DraftState, ReviewEntry, SavedDraft
from brokerui.changes.review import draft_approve, draft_comment, draft_reject, draft_reopen, draft_submit
from brokerui.changes.services import draft_create, draft_discard, edits_append
from brokerui.estate.models import AuditEntry
from tests.brokerui.changes.helpers import AUTHOR, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, ON_ONE_DATABASE]
Step = Callable[..., SavedDraft]
STEPS: dict[str, Step] = {
    "submit": draft_submit,
    "approve": draft_approve,
    "reject": draft_reject,
    "reopen": draft_reopen,
    "discard": draft_discard,
}
ALLOWED = {
    "submit": {DraftState.DRAFT},
    "approve": {DraftState.SUBMITTED},
    "reject": {DraftState.SUBMITTED, DraftState.APPROVED},
    "reopen": {DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED},
    "discard": {DraftState.DRAFT, DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED},
}


def _draft() -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="parts", author=AUTHOR, edits=[put("one")])


def _in_state(state: DraftState) -> SavedDraft:
    draft = _draft()
    if state in {DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED}:
        draft = draft_submit(**seen(draft))
    if state is DraftState.APPROVED:
        draft = draft_approve(**seen(draft))
    if state is DraftState.REJECTED:
        draft = draft_reject(**seen(draft))
    if state is DraftState.DISCARDED:
        draft = draft_discard(**seen(draft))
    assert draft.state == state
    return draft


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "state",
    [DraftState.DRAFT, DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED, DraftState.DISCARDED],
)
def test_a_step_is_taken_in_its_states_alone(step: str, state: DraftState) -> None:
    draft = _in_state(state)
    if state in ALLOWED[step]:
        assert STEPS[step](**seen(draft)).revision == draft.revision + 1
        return
    with pytest.raises(DraftClosedError):
        STEPS[step](**seen(draft))
    assert SavedDraft.objects.get(id=draft.id).revision == draft.revision


@pytest.mark.parametrize("state", [DraftState.SUBMITTED, DraftState.APPROVED, DraftState.REJECTED])
def test_no_edit_is_written_while_a_draft_is_reviewed(state: DraftState) -> None:
    with pytest.raises(DraftClosedError):
        edits_append(**seen(_in_state(state)), edits=[put("two")])


def test_a_draft_without_edits_cannot_be_submitted() -> None:
    brought_in(TWO)
    with pytest.raises(NothingToApplyError):
        draft_submit(**seen(draft_create(name="empty", author=AUTHOR)))


@pytest.mark.parametrize(
    ("approval", "author", "may"),
    [("none", AUTHOR, True), ("any", AUTHOR, True), ("other", AUTHOR, False), ("other", "ben", True)],
)
def test_who_may_approve_is_a_setting(settings: Any, approval: str, author: str, may: bool) -> None:
    settings.CHANGES_APPROVAL = approval
    draft = draft_submit(**seen(_draft()))
    if may:
        assert draft_approve(**{**seen(draft), "author": author}).state == DraftState.APPROVED
        return
    with pytest.raises(OwnApprovalError):
        draft_approve(**{**seen(draft), "author": author})


def test_who_added_an_edit_to_the_draft_of_another_must_not_approve_it(settings: Any) -> None:
    settings.CHANGES_APPROVAL = "other"
    draft = edits_append(**{**seen(_draft()), "author": "ben"}, edits=[put("two")])
    draft = draft_submit(**seen(draft))
    with pytest.raises(OwnApprovalError):
        draft_approve(**{**seen(draft), "author": "ben"})
    assert draft_approve(**{**seen(draft), "author": "cid"}).state == DraftState.APPROVED


def test_comments_stand_at_their_edit_and_at_the_draft() -> None:
    draft = draft_comment(**seen(_draft()), comment="why not LOCAL?", edit=0)
    draft = draft_comment(**{**seen(draft), "author": "ben"}, comment="good")
    with pytest.raises(NoEditError):
        draft_comment(**seen(draft), comment="?", edit=1)
    entries = ReviewEntry.objects.values_list("author", "action", "edit", "text")
    assert list(entries) == [(AUTHOR, "comment", 0, "why not LOCAL?"), ("ben", "comment", None, "good")]


def test_a_review_is_in_the_audit_step_by_step() -> None:
    draft = draft_submit(**seen(_draft()), comment="please")
    draft_reject(**{**seen(draft), "author": "ben"}, comment="no")
    actions = AuditEntry.objects.filter(action__startswith="draft.").order_by("id").values_list("author", "action")
    assert list(actions) == [(AUTHOR, "draft.create"), (AUTHOR, "draft.submit"), ("ben", "draft.reject")]


def test_a_reviewer_who_saw_another_revision_decides_nothing() -> None:
    draft = draft_submit(**seen(_draft()))
    draft_comment(**seen(draft), comment="wait")
    with pytest.raises(DraftStaleError):
        draft_approve(**seen(draft))
