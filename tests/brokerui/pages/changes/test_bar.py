"""The bar above every page of a draft: its state, the steps that undo and redo would make, and its views."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_get
from brokerui.changes.services import draft_create, draft_discard, edits_append, edits_replace
from routing.model.catalog_objects import Service
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropService,
    PutDatabase,
    PutInstance,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetMirroringRole,
    SetQueue,
)
from routing.model.estate import Database, Edit, Instance
from tests.brokerui.changes.helpers import drop, put, seen
from tests.brokerui.estate.helpers import TWO, brought_in, changed
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]


@pytest.fixture
def draft() -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move <parts>", author="ada", edits=[put("A")])


def bar_of(page: Any) -> str:
    found = re.search(r'<section class="draft-bar".*?</section>', page.content.decode(), re.DOTALL)
    assert found is not None
    return found[0]


def title_of(page: Any, step: str) -> str:
    found = re.search(rf'id="{step}"[^>]* title="([^"]*)"', bar_of(page))
    return unescape(found[1]) if found else ""


def after(draft: SavedDraft, *edits: Edit) -> SavedDraft:
    return edits_append(**seen(draft), edits=edits)


@pytest.mark.parametrize("path", ["/map/?draft={0}", "/routes/?draft={0}", "/changes/{0}/", "/changes/{0}/route/"])
def test_every_page_of_a_draft_has_it(viewer: Client, draft: SavedDraft, path: str) -> None:
    bar = bar_of(viewer.get(path.format(draft.id)))
    assert "Move &lt;parts&gt;" in bar
    assert "1 edit" in bar
    assert "on version 1, which is live" in bar
    assert "<button" not in bar
    for url in re.findall(r'href="([^"]*)"', bar):
        assert viewer.get(unescape(url)).status_code == 200
    assert '<section class="draft-bar"' not in viewer.get("/routes/").content.decode()


def test_it_says_where_the_live_estate_has_moved_on(viewer: Client, draft: SavedDraft) -> None:
    changed(put("B"))
    assert "on version 1; the live estate is at version 2" in bar_of(viewer.get(f"/changes/{draft.id}/"))


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ([put("B")], "route “B” of here/Orders"),
        ([drop("R")], "drop of route “R” of here/Orders"),
        ([put("B"), put("C")], "route “B” of here/Orders and 1 further edit"),
        ([put("B"), put("C"), put("D")], "route “B” of here/Orders and 2 further edits"),
        ([PutService("here", "Orders", Service("New"))], "service “New” of here/Orders"),
        ([DropService("here", "Orders", "Own")], "drop of service “Own” of here/Orders"),
        ([SetQueue("here", "Orders", "dbo.Q", enabled=False)], "status of queue “dbo.Q” of here/Orders"),
        ([SetBroker("here", "Orders", enabled=False)], "broker of here/Orders"),
        ([SetMirroringRole("here", "Orders", "MIRROR")], "mirroring role of here/Orders"),
        ([SetForwarding("here", forwarding=True)], "forwarding of here"),
        ([SetHopLimit(3)], "hop limit 3"),
        ([PutDatabase("there", Database("X"))], "database X of there"),
        ([DropDatabase("there", "Parts")], "drop of database Parts of there"),
        ([PutInstance(Instance("third"))], "instance third"),
        ([DropInstance("there")], "drop of instance there"),
    ],
)
def test_the_steps_say_what_they_take_back(editor: Client, draft: SavedDraft, edits: list[Edit], says: str) -> None:
    url = f"/changes/{draft.id}/"
    assert title_of(editor.get(url), "undo") == "Nothing to undo"
    number = after(draft, *edits).revision
    assert title_of(editor.get(url), "undo") == f"Undo: {says} (Ctrl Z)"
    editor.post(f"{url}undo/", {"revision": number})
    assert title_of(editor.get(url), "redo") == f"Redo: {says} (Ctrl Shift Z)"


def test_steps_that_take_edits_out_or_replace_them(editor: Client, draft: SavedDraft) -> None:
    two = after(draft, put("B"))
    replaced = edits_replace(**seen(two), edits=[put("A"), put("C")])
    says = "Undo: route “B” of here/Orders replaced by route “C” of here/Orders (Ctrl Z)"
    assert title_of(editor.get(f"/changes/{draft.id}/"), "undo") == says
    edits_replace(**seen(replaced), edits=[put("A")])
    assert title_of(editor.get(f"/changes/{draft.id}/"), "undo") == "Undo: removal of route “C” of here/Orders (Ctrl Z)"


def test_a_step_leads_back_to_the_page_where_it_was_made(editor: Client, draft: SavedDraft) -> None:
    number = after(draft, put("B")).revision
    page = f"/routes/?draft={draft.id}&q=is%3Aadded"
    fields = dict(re.findall(r'name="(revision|next)" value="([^"]*)"', bar_of(editor.get(page))))
    fields = {name: unescape(value) for name, value in fields.items()}
    assert fields == {"revision": str(number), "next": page}
    assert editor.post(f"/changes/{draft.id}/undo/", fields).headers["Location"] == page
    away = editor.post(f"/changes/{draft.id}/redo/", {"revision": number + 1, "next": "https://elsewhere.example/"})
    assert away.headers["Location"] == f"/changes/{draft.id}/"
    assert draft_get(draft.id).edit_count == 2


def test_a_closed_draft_has_no_steps(editor: Client, draft: SavedDraft) -> None:
    draft_discard(**seen(draft))
    bar = bar_of(editor.get(f"/changes/{draft.id}/"))
    assert "Discarded" in bar
    assert "<button" not in bar
