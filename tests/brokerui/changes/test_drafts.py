"""Drafts are edits on a version: the live estate stays as it is, and every step can be taken back."""

from __future__ import annotations

import pytest

from brokerui.changes import services
from brokerui.changes.errors import (
    DraftClosedError,
    DraftNotFoundError,
    DraftStaleError,
    NoStepError,
    TooManyEditsError,
)
from brokerui.changes.marks import marks_between
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate, draft_get, draft_info, draft_list
from brokerui.changes.services import (
    draft_create,
    draft_describe,
    draft_discard,
    draft_redo,
    draft_undo,
    edits_append,
    edits_replace,
)
from brokerui.estate.models import AuditEntry, Version
from brokerui.estate.selectors import estate_current
from routing.common.errors import Invalid
from routing.documents.estate_document import write_estate
from routing.model.edits import PutInstance, SetMirroringRole
from routing.model.estate import Instance
from tests.brokerui.changes.helpers import AUTHOR, document_of, drop, edits_of, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in, changed
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]


@pytest.fixture
def draft() -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move parts", author=AUTHOR, edits=[put("A")])


def test_a_draft_is_its_edits_on_the_version_it_began_with(draft: SavedDraft) -> None:
    changed(put("Live"))
    expected = TWO.edited([put("A")])
    assert document_of(draft) == write_estate(expected)
    info = draft_info(draft_get(draft.id))
    assert (info.base_version, info.live_version, info.is_stale, info.edit_count) == (1, 2, True, 1)
    assert "A" not in estate_current().estate.instances["here"].databases["Orders"].table.routes
    assert Version.objects.count() == 2


def test_a_draft_of_the_empty_estate() -> None:
    draft = draft_create(name="First", author=AUTHOR, edits=[PutInstance(Instance("new"))])
    assert (draft.base, draft_info(draft).is_stale) == (None, False)
    assert list(draft_estate(draft).estate.instances) == ["new"]


def test_a_draft_has_the_digest_that_its_version_would_have(draft: SavedDraft) -> None:
    edited = draft_estate(draft)
    assert edited.digest == changed(put("A")).digest
    assert edited.digest == estate_current().digest


def test_undo_and_redo_go_through_all_steps(draft: SavedDraft) -> None:
    lists = [[put("A")], [put("A"), put("B"), put("C")], [put("B")], []]
    draft = edits_append(**seen(draft), edits=lists[1][1:])
    draft = edits_replace(**seen(draft), edits=lists[2])
    draft = edits_replace(**seen(draft), edits=lists[3])
    for expected in (lists[2], lists[1], lists[0]):
        draft = draft_undo(**seen(draft))
        assert edits_of(draft) == expected
    with pytest.raises(NoStepError):
        draft_undo(**seen(draft))
    for expected in lists[1:]:
        draft = draft_redo(**seen(draft))
        assert edits_of(draft) == expected
    with pytest.raises(NoStepError):
        draft_redo(**seen(draft))


def test_an_edit_after_undo_ends_what_could_be_made_again(draft: SavedDraft) -> None:
    draft = edits_append(**seen(draft), edits=[put("B")])
    draft = draft_undo(**seen(draft))
    draft = edits_append(**seen(draft), edits=[put("C")])
    info = draft_info(draft)
    assert (info.undo, info.redo) == (1, 0)
    assert edits_of(draft_undo(**seen(draft))) == [put("A")]


def test_old_steps_are_forgotten(draft: SavedDraft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_STEPS", 3)
    for name in "BCDEF":
        draft = edits_append(**seen(draft), edits=[put(name)])
    assert (draft_info(draft).undo, draft.steps.count()) == (3, 3)
    for _ in range(3):
        draft = draft_undo(**seen(draft))
    assert edits_of(draft) == [put("A"), put("B"), put("C")]
    with pytest.raises(NoStepError):
        draft_undo(**seen(draft))


def test_a_list_that_is_there_already_is_no_step(draft: SavedDraft) -> None:
    again = edits_replace(**seen(draft), edits=[put("A")])
    assert (again.revision, draft_info(again).undo) == (draft.revision, 0)


def test_edits_that_cancel_out_change_nothing(draft: SavedDraft) -> None:
    assert marks_between(draft_base(draft).estate, draft_estate(draft).estate)
    draft = edits_append(**seen(draft), edits=[drop("A")])
    assert not marks_between(draft_base(draft).estate, draft_estate(draft).estate)


def test_who_read_an_older_revision_writes_nothing(draft: SavedDraft) -> None:
    theirs = seen(draft)
    draft = edits_append(**seen(draft), edits=[put("B")])
    for write in (
        lambda: edits_append(**theirs, edits=[put("C")]),
        lambda: edits_replace(**theirs, edits=[]),
        lambda: draft_undo(**theirs),
        lambda: draft_describe(**theirs, name="Other"),
        lambda: draft_discard(**theirs),
    ):
        with pytest.raises(DraftStaleError) as fault:
            write()
        assert (fault.value.revision, fault.value.current_revision) == (1, 2)
    assert edits_of(draft) == [put("A"), put("B")]
    assert draft_get(draft.id).name == "Move parts"


def test_an_edit_that_does_not_fit_is_named_and_nothing_is_written(draft: SavedDraft) -> None:
    with pytest.raises(Invalid) as fault:
        edits_append(**seen(draft), edits=[put("B"), drop("none")])
    assert fault.value.path == "edits[1].route"
    with pytest.raises(Invalid) as fault:
        edits_replace(**seen(draft), edits=[drop("A")])
    assert fault.value.path == "edits[0].route"
    with pytest.raises(Invalid) as fault:
        draft_create(name="x", author=AUTHOR, edits=[SetMirroringRole("here", "Orders", "WITNESS")])
    assert fault.value.path.startswith("edits[0]")
    assert (edits_of(draft), SavedDraft.objects.count()) == ([put("A")], 1)


def test_a_draft_has_a_limit(draft: SavedDraft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MAX_EDITS", 2)
    draft = edits_append(**seen(draft), edits=[put("B")])
    with pytest.raises(TooManyEditsError):
        edits_append(**seen(draft), edits=[put("C")])
    with pytest.raises(TooManyEditsError):
        draft_create(name="x", author=AUTHOR, edits=[put("A"), put("B"), put("C")])
    assert edits_of(draft) == [put("A"), put("B")]


def test_a_discarded_draft_stays_in_the_list_and_takes_no_edits(draft: SavedDraft) -> None:
    draft = draft_discard(**seen(draft))
    for write in (
        lambda: edits_append(**seen(draft), edits=[put("B")]),
        lambda: draft_undo(**seen(draft)),
        lambda: draft_discard(**seen(draft)),
    ):
        with pytest.raises(DraftClosedError):
            write()
    assert [one.state for one in draft_list()] == ["discarded"]
    assert (draft_list(state="draft"), edits_of(draft)) == ([], [put("A")])


def test_lists_are_filtered_and_go_on(draft: SavedDraft) -> None:
    for number in range(4):
        draft_create(name=f"d{number}", author="bob" if number % 2 else AUTHOR)
    assert [one.name for one in draft_list(author="bob")] == ["d3", "d1"]
    first = draft_list(limit=2)
    assert [one.name for one in first] == ["d3", "d2"]
    assert [one.name for one in draft_list(before=first[-1].id)] == ["d1", "d0", "Move parts"]
    with pytest.raises(DraftNotFoundError):
        draft_get(draft.id + 1000)


def test_each_write_is_in_the_audit(draft: SavedDraft) -> None:
    draft = edits_append(**seen(draft), edits=[put("B")])
    draft = draft_undo(**seen(draft))
    draft = draft_redo(**seen(draft))
    draft = draft_describe(**seen(draft), name="Parts")
    draft_discard(**seen(draft))
    actions = AuditEntry.objects.filter(action__startswith="draft.").order_by("id").values_list("action", "author")
    assert [action for action, _author in actions] == [
        f"draft.{word}" for word in ("create", "edit", "undo", "redo", "describe", "discard")
    ]
    assert {author for _action, author in actions} == {AUTHOR}
