"""Every page that shows the live estate shows a draft of it too, names it, and keeps it from page to page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.pages.shell.navigation import PARTS
from routing.model.address import parse_address
from routing.model.edits import PutRoute
from routing.model.route import Route
from tests.brokerui.estate.helpers import TWO, brought_in, changed
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
DRAFTED = PutRoute("here", "Orders", Route("Drafted", "Drafted", None, None, parse_address("tcp://there.example")))
PAGES = sorted({place.view for part in PARTS for place in part.places if "as_of" in place.keeps})


@pytest.fixture
def draft() -> SavedDraft:
    brought_in(TWO)
    return draft_create(name="Move <parts>", author="ada", edits=[DRAFTED])


def links(page: str) -> Iterator[str]:
    yield from re.findall(r'<a [^>]*href="([^"]*)"', page)


@pytest.mark.parametrize("view", [view for view in PAGES if view not in ("imports:start", "scenarios:list")])
def test_a_page_shows_the_draft_and_leads_to_others_of_it(viewer: Client, draft: SavedDraft, view: str) -> None:
    page = viewer.get(reverse(view), {"draft": draft.id})
    text = page.content.decode()
    assert page.status_code == 200
    assert "Draft · Move &lt;parts&gt;" in text
    assert "on version 1, which is live" in text
    assert "the live estate is at" not in text
    kept = [link for link in links(text) if f"draft={draft.id}" in link]
    assert any(link.startswith(reverse("routes:list")) for link in kept)
    assert any(link.startswith(reverse("map:map")) for link in kept)
    assert reverse(view) in links(text)  # leaves the draft
    assert reverse("changes:change", args=[draft.id]) in links(text)


def test_the_routes_are_those_of_the_draft_and_only_there(viewer: Client, draft: SavedDraft) -> None:
    address = reverse("routes:list")
    assert "Drafted" in viewer.get(address, {"draft": draft.id}).content.decode()
    assert "Drafted" not in viewer.get(address).content.decode()


def test_a_draft_on_an_earlier_version_says_so(viewer: Client, draft: SavedDraft) -> None:
    changed(DRAFTED)
    text = viewer.get(reverse("routes:list"), {"draft": draft.id}).content.decode()
    assert "on version 1; the live estate is at version 2" in text


@pytest.mark.parametrize("number", ["77", "none", "-1", "9" * 30])
def test_there_is_no_such_draft(viewer: Client, draft: SavedDraft, number: str) -> None:
    assert viewer.get(reverse("map:map"), {"draft": number}).status_code == 404
