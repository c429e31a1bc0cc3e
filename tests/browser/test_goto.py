"""Go to, by the keyboard alone: it opens over any page, follows typing, and gives the focus back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.estates import fan
from tests.browser.conftest import faults_in_a_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_place_is_found_and_reached_by_keys(site: Page) -> None:
    estate_import(estate=read_estate(fan(9)), author="ann")
    site.goto("/changes/")
    opener = site.get_by_role("link", name="Go to")
    opener.focus()
    site.keyboard.press("Control+k")
    dialog = site.get_by_role("dialog", name="Go to")
    expect(dialog.get_by_role("link").first).to_have_text("Overview g h")
    site.keyboard.press("Escape")
    expect(opener).to_be_focused()
    site.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    site.keyboard.type("branch3")
    expect(dialog.get_by_role("link").first).to_have_text("branch3")
    assert faults_in_a_look(site) == []
    site.keyboard.press("ArrowDown")
    expect(dialog.get_by_role("link").first).to_be_focused()
    site.keyboard.press("ArrowUp")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    site.keyboard.press("Enter")
    site.wait_for_url("**/map/?focus=branch3**")
