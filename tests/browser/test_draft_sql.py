"""The T-SQL of a draft in a real browser: typed and saved by keyboard, refused at its line, read on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.model.edits import DropRoute
from tests.browser.conftest import WIDE, faults_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROUTE = "USE [Orders];\nCREATE ROUTE [New] WITH SERVICE_NAME = N'Parts', ADDRESS = N'tcp://office.example:4022';"


@pytest.fixture
def draft() -> SavedDraft:
    estate_import(estate=scenario_get("three-servers"), author="import")
    return draft_create(name="Mend", author="ada", edits=[DropRoute("office", "Ledger", "AskForRoutes")])


def test_a_script_is_typed_refused_at_its_line_mended_and_saved_by_keyboard(site: Page, draft: SavedDraft) -> None:
    site.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    site.goto(f"/changes/{draft.id}/sql/?instance=shop")
    expect(site.locator(".draft-views a[aria-current]")).to_have_text("T-SQL")
    text = site.get_by_role("textbox", name="shop")
    text.focus()
    site.keyboard.insert_text(ROUTE.replace("SERVICE_NAME", "SERVICE_NAM"))
    expect(site.locator(".sql-numbers span")).to_have_count(2)
    site.keyboard.press("Control+Enter")
    problems = site.locator("#sql-problems")
    expect(problems).to_be_focused()
    expect(site.locator(".sql-numbers .wrong")).to_have_text("2")
    site.keyboard.press("Tab")
    site.keyboard.press("Enter")
    expect(text).to_be_focused()
    assert site.evaluate("getSelection().toString()").startswith("CREATE ROUTE [New] WITH SERVICE_NAM ")
    site.keyboard.insert_text(ROUTE.splitlines()[1])
    site.keyboard.press("Control+Enter")
    expect(site.locator(".draft-count")).to_have_text("2 edits")
    expect(site.get_by_role("textbox", name="shop")).to_have_value(text.input_value())
    assert "CREATE ROUTE [New]" in text.input_value()


def test_the_editor_fits_and_can_be_read(site: Page, draft: SavedDraft) -> None:
    site.goto(f"/changes/{draft.id}/sql/?instance=shop")
    site.locator("#sql-text").fill(f"{ROUTE}\nCREATE ROUTE [Other] WITH ADRESS = N'LOCAL';")
    site.keyboard.press("Control+Enter")
    expect(site.locator("#sql-problems")).to_be_visible()
    assert faults_in_each_look(site) == []
