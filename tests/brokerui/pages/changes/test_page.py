"""The pages of drafts: begin one, read its edits in words, take them back, and see what differs on other pages."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get
from brokerui.changes.services import draft_create
from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.edits import (
    DropDatabase,
    DropRoute,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetMirroringRole,
    SetQueue,
)
from routing.model.estate import Database, Edit, Instance
from routing.model.route import Route
from tests.brokerui.changes.helpers import drop, put
from tests.brokerui.estate.helpers import TWO, brought_in
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
FOR_ANY = PutRoute("here", "Orders", Route("Any", None, None, None, parse_address("tcp://there.example")))


def made(*edits: Edit) -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move parts", author="ada", edits=edits)


def words_of(page: Any) -> str:
    """The page as it is read."""
    text = re.sub(r"</?(?:b|code)>", "", page.content.decode())
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def edits_shown(page: Any) -> list[str]:
    found = re.findall(r'<span class="edit-says">(.*?)</span>', page.content.decode(), re.DOTALL)
    return [unescape(re.sub(r"<[^>]+>", "", text)) for text in found]


def test_an_editor_begins_a_draft_and_finds_it_in_the_list(editor: Client) -> None:
    assert "No draft yet" in words_of(editor.get("/changes/"))
    answer = editor.post("/changes/", {"name": "Move <parts>"})
    draft = SavedDraft.objects.get()
    assert answer.headers["Location"] == f"/changes/{draft.id}/"
    page = words_of(editor.get(f"/changes/{draft.id}/"))
    assert "Move <parts>" in page
    assert "0 edits on version 0" in page
    assert "No edit yet" in page
    assert "Move <parts>" in words_of(editor.get("/changes/"))
    nameless = editor.post("/changes/", {"name": ""})
    assert (nameless.status_code, "Give it a name." in words_of(nameless)) == (422, True)


def test_readers_see_drafts_and_have_no_buttons(viewer: Client) -> None:
    draft = made(put("A"))
    page = viewer.get(f"/changes/{draft.id}/")
    assert "Adds route A" in words_of(page)
    assert "<button" not in page.content.decode().partition("<main")[2].partition("</main>")[0]
    assert "Begin a draft" not in words_of(viewer.get("/changes/"))


def test_each_edit_stands_there_in_words(viewer: Client) -> None:
    draft = made(
        put("A"),
        put("A", "tcp://other.example:4023"),
        FOR_ANY,
        drop("R"),
        PutService("here", "Orders", Service("New")),
        PutService("here", "Orders", Service("New", "dbo.Q")),
        SetQueue("here", "Orders", "dbo.Q", enabled=False),
        SetForwarding("here", forwarding=True),
        SetBroker("here", "Orders", enabled=False),
        SetMirroringRole("here", "Orders", "MIRROR"),
        SetMirroringRole("here", "Orders", None),
        SetHopLimit(3),
        PutDatabase("there", Database("Fresh")),
        DropDatabase("there", "Fresh"),
        PutInstance(Instance("third")),
    )
    assert edits_shown(viewer.get(f"/changes/{draft.id}/")) == [
        "Adds route A to here/Orders: Parts, to tcp://there.example.",
        "Alters route A of here/Orders: address tcp://there.example → tcp://other.example:4023.",
        "Adds route Any to here/Orders: any service, to tcp://there.example.",
        "Drops route R of here/Orders.",
        "Adds service New to here/Orders.",
        "Alters service New of here/Orders.",
        "Switches queue dbo.Q of here/Orders off.",
        "Switches message forwarding of here on.",
        "Disables the broker of here/Orders.",
        "Makes here/Orders the MIRROR of its mirroring.",
        "Takes here/Orders out of mirroring.",
        "Lets a message be forwarded up to 3 times.",
        "Adds database Fresh to there.",
        "Drops database Fresh of there with all its objects.",
        "Adds instance third.",
    ]


def test_edits_are_taken_out_and_back(editor: Client) -> None:
    draft = made(put("A"), put("B"))
    url = f"/changes/{draft.id}/"
    editor.post(f"{url}remove/", {"revision": 1, "index": 0})
    assert list(draft_edits(draft_get(draft.id))) == [put("B")]
    editor.post(f"{url}undo/", {"revision": 2})
    assert list(draft_edits(draft_get(draft.id))) == [put("A"), put("B")]
    editor.post(f"{url}redo/", {"revision": 3})
    assert list(draft_edits(draft_get(draft.id))) == [put("B")]
    nothing = editor.post(f"{url}redo/", {"revision": 4}, follow=True)
    assert "There is nothing to redo." in words_of(nothing)


def test_an_edit_that_others_need_stays(editor: Client) -> None:
    draft = made(put("A"), drop("A"))
    page = editor.post(f"/changes/{draft.id}/remove/", {"revision": 1, "index": 0}, follow=True)
    assert 'Later edits need this one: edits[0].route: there is no route "A". Nothing was written.' in words_of(page)
    assert len(draft_edits(draft_get(draft.id))) == 2


@pytest.mark.parametrize("sent", [{}, {"revision": "1"}, {"revision": "1", "index": "7"}, {"index": "-1"}])
def test_no_such_edit(editor: Client, sent: dict[str, str]) -> None:
    draft = made(put("A"))
    page = editor.post(f"/changes/{draft.id}/remove/", sent, follow=True)
    assert "There is no such edit any more." in words_of(page)
    assert len(draft_edits(draft_get(draft.id))) == 1


def test_a_page_that_is_out_of_date_writes_nothing(editor: Client) -> None:
    draft = made(put("A"), put("B"))
    editor.post(f"/changes/{draft.id}/remove/", {"revision": 1, "index": 0})
    for button in ("undo", "discard", "remove"):
        page = editor.post(f"/changes/{draft.id}/{button}/", {"revision": 1, "index": 0}, follow=True)
        assert "Somebody edited this draft after you opened it." in words_of(page), button
    assert list(draft_edits(draft_get(draft.id))) == [put("B")]


def test_a_discarded_draft_is_closed_and_stays_readable(editor: Client) -> None:
    draft = made(put("A"))
    page = editor.post(f"/changes/{draft.id}/discard/", {"revision": 1}, follow=True)
    assert "Discarded" in words_of(page)
    assert "Adds route A" in words_of(page)
    assert 'id="undo"' not in page.content.decode()
    again = editor.post(f"/changes/{draft.id}/discard/", {"revision": 2}, follow=True)
    assert "This draft is closed" in words_of(again)


def test_many_edits_stand_on_pages(viewer: Client) -> None:
    draft = made(*(put(f"r{number}") for number in range(230)))
    first, last = (viewer.get(f"/changes/{draft.id}/?page={number}") for number in (1, 3))
    assert len(edits_shown(first)) == 100
    assert "230 added" in words_of(first)
    assert edits_shown(last)[0] == "Adds route r200 to here/Orders: Parts, to tcp://there.example."
    assert "201 to 230 of 230" in words_of(last)


def test_what_cancels_out_is_said_to(viewer: Client) -> None:
    assert "The edits cancel out" in words_of(viewer.get(f"/changes/{made(put('A'), drop('A')).id}/"))


def test_no_such_draft(editor: Client) -> None:
    assert editor.get("/changes/77/").status_code == 404
    assert editor.post("/changes/77/undo/", {"revision": 1}).status_code == 404


def test_routes_of_a_draft_are_marked_and_the_dropped_ones_are_listed(viewer: Client) -> None:
    draft = made(put("A"), put("R", "tcp://else.example"), DropRoute("there", "Parts", "AutoCreatedLocal"))
    page = viewer.get("/routes/", {"draft": draft.id})
    rows = re.findall(r"<tr data-row.*?</tr>", page.content.decode(), re.DOTALL)
    marks = {re.sub(r"<[^>]+>", " ", row).split()[0]: "edit-kind" in row for row in rows}
    assert marks == {"A": True, "R": True, "AutoCreatedLocal": False}
    assert "Dropped by the draft dropped AutoCreatedLocal there/Parts NULL LOCAL" in words_of(page)
    for word, name in (("added", "A"), ("altered", "R")):
        found = viewer.get("/routes/", {"draft": draft.id, "q": f"is:{word}"}).content.decode()
        assert re.findall(r"data-row-link[^>]*>([^<]*)<", found) == [name]


def test_the_map_of_a_draft_names_what_it_changes(viewer: Client) -> None:
    draft = made(
        put("A", "tcp://third.example:4022"),
        put("R", "tcp://else.example"),
        drop("AutoCreatedLocal"),
        PutInstance(Instance("third", {"D": Database("D")}, addresses=(parse_address("tcp://third.example:4022"),))),
        SetForwarding("there", forwarding=False),
    )
    page = viewer.get("/map/", {"draft": draft.id}).content.decode()
    says = {unescape(text) for text in re.findall(r'data-ref="[^"]*"[^>]*aria-label="([^"]*)"', page)}
    looks = dict(re.findall(r'class="mark ([^"]*)" href="[^"]*" data-ref="([^"]*)"', page))
    looks = {ref: set(look.split()) for look, ref in looks.items()}
    assert ' of-draft"' in page
    assert "added" in looks["route/here/Orders/A"]
    assert "altered" in looks["route/here/Orders/R"]
    assert {"added"} <= looks["instance/third"] & looks["database/third/D"]
    assert "altered" in looks["instance/there"]
    assert not {"added", "altered"} & looks["database/there/Parts"]
    assert "dropped" in looks["route/here/Orders/AutoCreatedLocal"]
    assert any(text.startswith("AutoCreatedLocal") and "dropped" in text for text in says)
    assert "of-draft" in viewer.get("/map/map.svg", {"draft": draft.id}).content.decode()
    assert "of-draft" not in viewer.get("/map/").content.decode()


def test_a_draft_of_the_hop_limit_alone_does_not_cancel_out(editor: Client) -> None:
    page = words_of(editor.get(f"/changes/{made(SetHopLimit(3)).id}/"))
    assert "Only the hop limit differs" in page
    assert "cancel out" not in page
