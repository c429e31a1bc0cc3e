"""Applying a draft and rolling it back: exactly the draft, exactly the estate from before, or nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis.extra.django import TestCase

from brokerui.changes.applying import Confirmation, draft_apply, draft_confirm, draft_roll_back
from brokerui.changes.errors import (
    ApprovalMissingError,
    CollisionError,
    DraftClosedError,
    NotConfirmableError,
    NothingToApplyError,
)
from brokerui.changes.models import DraftState, SavedDraft
from brokerui.changes.rebasing import draft_rebase
from brokerui.changes.review import draft_approve, draft_submit
from brokerui.changes.rolling_back import rollback_plan
from brokerui.changes.selectors import draft_get, draft_info
from brokerui.changes.services import draft_create, edits_replace
from brokerui.estate.cache import estates
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current, live_version
from brokerui.estate.services import estate_edit
from routing.documents.estate_document import write_estate
from routing.model.edits import SetHopLimit
from routing.model.estate import Edit, Estate
from tests.brokerui.changes.helpers import AUTHOR, document_of, drop, edits_of, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.strategies.rich import edited

DRAWN = hypothesis_settings().max_examples // 2
few = hypothesis_settings(max_examples=DRAWN, suppress_health_check=[HealthCheck.too_slow])


def _draft(*edits: Edit) -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="parts", author=AUTHOR, edits=edits or [put("one")])


def _live() -> str:
    estates.clear()
    return write_estate(estate_current().estate)


def _elsewhere(*edits: Edit) -> None:
    """Somebody else edits the live estate."""
    estate_edit(edits=edits, base_version=live_version(), author="ben")


class Anything(TestCase):
    """Each example in a transaction of its own, which is rolled back."""

    @few
    @given(edited())
    def test_apply_gives_the_draft_and_rollback_the_document_from_before(
        self, drawn: tuple[Estate, list[Edit]]
    ) -> None:
        estate, edits = drawn
        brought_in(estate)
        before = _live()
        draft = draft_create(name="drawn", author=AUTHOR, edits=edits)
        try:
            draft = draft_apply(**seen(draft))
        except NothingToApplyError:
            assert document_of(draft) == before
            return
        assert _live() == write_estate(estate.edited(edits))
        draft = draft_roll_back(**seen(draft))
        assert _live() == before
        assert (draft.state, draft.rolled_back.number) == (DraftState.ROLLED_BACK, live_version())


@pytest.mark.django_db
@pytest.mark.both_databases
class TestOneDraft:
    """One draft after the other, on both databases."""

    def test_an_applied_draft_names_its_version_and_takes_no_edits_any_more(self) -> None:
        draft = draft_apply(**seen(_draft()))
        assert (draft.state, draft.applied.number, live_version()) == (DraftState.APPLIED, 2, 2)
        assert not draft_info(draft_get(draft.id)).is_stale
        with pytest.raises(DraftClosedError):
            edits_replace(**seen(draft), edits=[])
        with pytest.raises(DraftClosedError):
            draft_apply(**seen(draft))
        actions = AuditEntry.objects.order_by("id").values_list("action", "version__number")
        assert list(actions)[-2:] == [("estate.edit", 2), ("draft.apply", 2)]

    def test_a_draft_on_an_older_version_is_refused_and_nothing_is_written(self) -> None:
        draft = _draft()
        _elsewhere(SetHopLimit(3))
        with pytest.raises(EstateStaleError):
            draft_apply(**seen(draft))
        assert (draft_get(draft.id).state, live_version()) == (DraftState.DRAFT, 2)

    def test_edits_that_change_nothing_are_refused(self) -> None:
        draft = _draft(put("one"), drop("one"))
        with pytest.raises(NothingToApplyError):
            draft_apply(**seen(draft))
        assert (draft_get(draft.id).state, live_version()) == (DraftState.DRAFT, 1)

    @pytest.mark.parametrize("approval", ["any", "other"])
    def test_an_approval_that_is_required_must_be_there(self, settings: Any, approval: str) -> None:
        settings.CHANGES_APPROVAL = approval
        draft = _draft()
        with pytest.raises(ApprovalMissingError):
            draft_apply(**seen(draft))
        draft = draft_submit(**seen(draft))
        with pytest.raises(ApprovalMissingError):
            draft_apply(**seen(draft))
        draft = draft_approve(**{**seen(draft), "author": "ben"})
        assert draft_apply(**seen(draft)).state == DraftState.APPLIED

    def test_a_confirmed_draft_is_kept(self) -> None:
        draft = draft_apply(**seen(_draft()), confirmation=Confirmation(timedelta(minutes=5), depth_limit=7))
        assert draft.confirm_by is not None
        assert draft.depth_limit == 7
        draft = draft_confirm(**seen(draft))
        assert (draft.state, draft.confirm_by) == (DraftState.CONFIRMED, None)

    @pytest.mark.parametrize("within", [None, timedelta(minutes=-1)])
    def test_only_what_waits_for_it_is_confirmed(self, within: timedelta | None) -> None:
        draft = draft_apply(**seen(_draft()), confirmation=within and Confirmation(within))
        with pytest.raises(NotConfirmableError) as caught:
            draft_confirm(**seen(draft))
        assert caught.value.is_late == (within is not None)

    def test_a_rollback_keeps_what_others_wrote_since(self) -> None:
        draft = draft_apply(**seen(_draft()))
        _elsewhere(SetHopLimit(3), put("two"))
        assert not rollback_plan(draft).is_exact
        draft_roll_back(**seen(draft))
        assert _live() == write_estate(TWO.edited([SetHopLimit(3), put("two")]))

    def test_a_rollback_of_what_somebody_changed_again_is_refused(self) -> None:
        draft = draft_apply(**seen(_draft()))
        _elsewhere(put("one", "tcp://elsewhere.example"))
        assert not rollback_plan(draft).is_possible
        with pytest.raises(CollisionError) as caught:
            draft_roll_back(**seen(draft))
        (conflict,) = caught.value.conflicts
        assert conflict.key.name == "one"
        assert (draft_get(draft.id).state, live_version()) == (DraftState.APPLIED, 3)

    def test_a_rebased_draft_has_its_edits_on_the_live_version(self) -> None:
        draft = _draft()
        _elsewhere(put("two"), SetHopLimit(3))
        draft = draft_rebase(**seen(draft))
        assert draft.base.number == 2
        assert edits_of(draft) == [put("one")]
        draft_apply(**seen(draft))
        assert _live() == write_estate(TWO.edited([put("two"), SetHopLimit(3), put("one")]))

    def test_a_rebase_onto_the_same_route_names_both_values_and_writes_nothing(self) -> None:
        draft = _draft()
        _elsewhere(put("one", "tcp://elsewhere.example"))
        with pytest.raises(CollisionError) as caught:
            draft_rebase(**seen(draft))
        (conflict,) = caught.value.conflicts
        assert (conflict.base, conflict.ours.address.text) == (None, "tcp://elsewhere.example")
        assert conflict.theirs.address.text == "tcp://there.example"
        assert draft_get(draft.id).base.number == 1

    def test_a_draft_that_was_rolled_back_is_over(self) -> None:
        draft = draft_roll_back(**seen(draft_apply(**seen(_draft()))), comment="it hurts")
        for step in (draft_apply, draft_roll_back, draft_confirm, draft_rebase):
            with pytest.raises(DraftClosedError):
                step(**seen(draft))
        texts = draft.review.values_list("action", "text")
        assert list(texts) == [("apply", ""), ("roll_back", "it hurts")]
        assert draft.updated_at <= timezone.now()
