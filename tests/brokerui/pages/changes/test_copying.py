"""Edits of a draft are copied into another one: the ticked ones or all, and nothing where one of them does not fit."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create, draft_discard
from routing.model.estate import Edit
from tests.brokerui.changes.helpers import drop, edits_of, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
FIRST, SECOND = put("First"), put("Second")


@pytest.fixture
def draft() -> SavedDraft:
    brought_in(TWO)
    return other("Move", FIRST, SECOND)


def other(name: str, *edits: Edit) -> SavedDraft:
    return draft_create(name=name, author="ada", edits=edits)


def test_all_edits_become_a_new_draft_on_the_live_version(editor: Client, draft: SavedDraft) -> None:
    page = editor.post(f"/changes/{draft.id}/copy/", follow=True).content.decode()
    copy = SavedDraft.objects.exclude(id=draft.id).get()
    assert (copy.name, edits_of(copy)) == ("Copy of Move", [FIRST, SECOND])
    assert "2 edits are copied into this draft." in page


def test_ticked_edits_follow_those_of_another_draft_as_one_step(editor: Client, draft: SavedDraft) -> None:
    target = other("Target", put("Own"))
    assert f'<option value="{target.id}">Target</option>' in editor.get(f"/changes/{draft.id}/").content.decode()
    editor.post(f"/changes/{draft.id}/copy/", {"to": target.id, "index": "1"})
    assert edits_of(target) == [put("Own"), SECOND]
    assert edits_of(draft) == [FIRST, SECOND]


@pytest.mark.parametrize("to", ["77", "0", "x"])
def test_a_draft_that_is_not_there_takes_none(editor: Client, draft: SavedDraft, to: str) -> None:
    page = editor.post(f"/changes/{draft.id}/copy/", {"to": to}, follow=True).content.decode()
    assert "There is no such draft or edit. Nothing was written." in page


def test_a_closed_draft_takes_none(editor: Client, draft: SavedDraft) -> None:
    closed = other("Closed", put("Own"))
    draft_discard(**seen(closed))
    page = editor.post(f"/changes/{draft.id}/copy/", {"to": closed.id}, follow=True).content.decode()
    assert "This draft is closed" in page
    assert edits_of(closed) == [put("Own")]


def test_nothing_is_written_where_an_edit_does_not_fit(editor: Client, draft: SavedDraft) -> None:
    source = other("Source", FIRST, drop("First"))
    target = other("Target")
    page = editor.post(f"/changes/{source.id}/copy/", {"to": target.id, "index": "1"}, follow=True).content.decode()
    assert "The other draft cannot take these edits: edits[0]" in unescape(page)
    assert edits_of(target) == []
