"""Applied drafts that wait for a confirmation: kept, or rolled back by themselves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from brokerui.analysis.confirmation import watch
from brokerui.analysis.confirmation.tasks import confirmations_look
from brokerui.analysis.confirmation.watch import MessagesNow, confirmations_watch
from brokerui.changes.applying import Confirmation, draft_apply, draft_confirm
from brokerui.changes.models import DraftState, SavedDraft
from brokerui.changes.selectors import draft_get
from brokerui.changes.services import draft_create
from brokerui.estate.selectors import estate_current, live_version
from brokerui.estate.services import estate_edit
from brokerui.messaging.models import QueueCounter
from routing.documents.estate_document import write_estate
from tests.brokerui.changes.helpers import AUTHOR, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, ON_ONE_DATABASE]


def _applied(**limits: int) -> SavedDraft:
    brought_in(TWO)
    draft = draft_create(name="parts", author=AUTHOR, edits=[put("one")])
    return draft_apply(**seen(draft), confirmation=Confirmation(timedelta(minutes=5), **limits))


@pytest.mark.parametrize(("minutes", "state"), [(4.9, DraftState.APPLIED), (5, DraftState.ROLLED_BACK)])
def test_a_draft_is_rolled_back_when_its_time_has_run_out(minutes: float, state: DraftState) -> None:
    draft = _applied()
    assert draft.confirm_by is not None
    confirmations_watch(draft.confirm_by - timedelta(minutes=5 - minutes))
    assert draft_get(draft.id).state == state
    if state is DraftState.ROLLED_BACK:
        assert write_estate(estate_current().estate) == write_estate(TWO)
        entry = draft.review.get(action="roll_back")
        assert entry.author == "brokerui"
        assert entry.text.startswith("not confirmed until ")


def test_a_confirmed_draft_is_never_rolled_back() -> None:
    draft = draft_confirm(**seen(_applied()))
    confirmations_watch(timezone.now() + timedelta(days=9))
    assert draft_get(draft.id).state == DraftState.CONFIRMED


@pytest.mark.parametrize(
    ("limits", "delayed", "depth", "why"),
    [
        ({"delayed_limit": 3}, 3, 0, ""),
        ({"delayed_limit": 3}, 4, 0, "delayed conversations: 4; the limit is 3"),
        ({"depth_limit": 0}, 9, 0, ""),
        ({"depth_limit": 0}, 0, 1, "messages in one queue: 1; the limit is 0"),
    ],
)
def test_a_draft_is_rolled_back_as_soon_as_a_limit_is_crossed(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], delayed: int, depth: int, why: str
) -> None:
    monkeypatch.setattr(MessagesNow, "delayed", delayed)
    monkeypatch.setattr(MessagesNow, "depth", depth)
    draft = _applied(**limits)
    confirmations_watch(timezone.now())
    assert list(draft.review.filter(action="roll_back").values_list("text", flat=True)) == [why] * bool(why)


def test_what_waits_is_counted_in_the_tables() -> None:
    assert (MessagesNow().delayed, MessagesNow().depth) == (0, 0)
    for slot, messages in enumerate((5, -2)):
        QueueCounter.objects.create(
            instance_id=1, queue_number=7, slot=slot, database="d", queue="dbo.Q", messages=messages
        )
    assert MessagesNow().depth == 3


def test_a_draft_whose_route_somebody_changed_again_stays_and_says_so_once() -> None:
    draft = _applied()
    estate_edit(edits=[put("one", "tcp://new.example")], base_version=live_version(), author="ben")
    for _ in range(2):
        confirmations_watch(timezone.now() + timedelta(minutes=6))
    assert (draft_get(draft.id).state, live_version()) == (DraftState.APPLIED, 3)
    (entry,) = draft.review.filter(action="cannot_roll_back")
    assert "objects that were changed again: 1" in entry.text


def test_a_draft_that_is_confirmed_meanwhile_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = _applied()

    def reason(_draft: Any, *_: Any) -> str:
        draft_confirm(**seen(draft))
        return "late"

    monkeypatch.setattr(watch, "reason_to_roll_back", reason)
    confirmations_look()
    assert draft_get(draft.id).state == DraftState.CONFIRMED
