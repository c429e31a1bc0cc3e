"""A draft edited in its panel and its table in a real browser: by mouse, by keyboard alone, by touch, by readers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.accounts.levels import Role
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits
from brokerui.changes.services import draft_create
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_as_json
from tests.browser.conftest import NARROW, WIDE, accessibility_faults, faults_in_a_look, session_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def draft() -> SavedDraft:
    estate_import(estate=scenario_get("three-servers"), author="import")
    return draft_create(name="Mend", author="ada")


def added(draft: SavedDraft) -> list[Any]:
    return list(edits_as_json(draft_edits(SavedDraft.objects.get(id=draft.id))))


def opened(site: Page, draft: SavedDraft, select: str = "") -> Page:
    """The map of the draft, with its line of effect settled."""
    site.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    site.goto(f"/map/?draft={draft.id}&select={select}")
    expect(site.locator("#effect-line")).to_have_attribute("data-state", re.compile("settled|nothing"))
    return site


def test_a_route_is_added_by_keyboard_alone(site: Page, draft: SavedDraft) -> None:
    opened(site, draft).get_by_role("link", name="Add a route…").focus()
    site.keyboard.press("Enter")
    expect(site.locator("#edit-place")).to_be_focused()
    site.keyboard.type("shop/Orders")
    site.locator("#edit-to").focus()
    site.keyboard.type("office")
    site.keyboard.press("Enter")
    expect(site.locator("#edit-address")).to_have_value("tcp://office.example:4022")
    expect(site.locator("#edit-name")).to_be_focused()
    site.keyboard.press("Enter")
    expect(site.locator(".draft-count")).to_have_text("1 edit")
    (edit,) = added(draft)
    assert (edit["edit"], edit["route"]["name"]) == ("put_route", "ArchiveToOffice")
    site.keyboard.press("Control+z")
    expect(site.locator(".draft-count")).to_have_text("0 edits")
    site.keyboard.press("Control+Shift+z")
    expect(site.locator(".draft-count")).to_have_text("1 edit")


def test_the_form_follows_what_is_typed_and_escape_leaves_all_as_it_was(site: Page, draft: SavedDraft) -> None:
    opened(site, draft, "database/shop/Orders").get_by_role("link", name="A route from here…").click()
    site.locator("#edit-address").fill("office")
    expect(site.locator("#notes-address")).to_contain_text("must be LOCAL, TRANSPORT or tcp://HOST[:PORT]")
    expect(site.locator("#edit-address")).to_have_attribute("aria-invalid", "true")
    site.locator("#edit-address").fill("tcp://office.example:4022")
    expect(site.locator("#notes-address")).to_contain_text("office listens there")
    site.locator(".pick[data-pick=edit-remote_service_name] summary").click()
    site.get_by_role("button", name="//example/ledger/Archive").click()
    expect(site.locator("#edit-remote_service_name")).to_have_value("//example/ledger/Archive")
    site.locator("#edit-name").fill("ToArchive")
    expect(site.locator("#edit-preview")).to_contain_text("CREATE ROUTE [ToArchive]")
    expect(site.locator("#effect-line")).to_contain_text("//example/ledger/Archive")
    site.keyboard.press("Escape")
    expect(site.locator("[data-edit-form]")).to_have_count(0)
    expect(site.locator("#effect-line")).not_to_contain_text("//example/ledger/Archive")
    assert added(draft) == []


def test_a_refused_form_says_why_and_keeps_what_was_typed(site: Page, draft: SavedDraft) -> None:
    opened(site, draft, "database/shop/Orders").get_by_role("link", name="A route from here…").click()
    site.locator("#edit-name").fill("PostRoute")
    site.locator("#edit-address").fill("LOCAL")
    site.keyboard.press("Enter")
    expect(site.locator("#notes-name")).to_contain_text("There is one of this name already.")
    expect(site.locator("#edit-name")).to_be_focused()
    expect(site.locator("#edit-address")).to_have_value("LOCAL")
    assert added(draft) == []


def test_a_finding_is_mended_and_a_broker_switched(site: Page, draft: SavedDraft) -> None:
    opened(site, draft)
    found = site.locator(".found-list li", has_text="PostRoute")
    found.get_by_role("button", name="Mend").hover()
    expect(site.locator("#effect-line")).to_contain_text("//example/ledger/Post")
    found.get_by_role("button", name="Mend").click()
    expect(site.locator(".draft-count")).to_have_text("1 edit")
    opened(site, draft, "database/depot/Stock")
    site.locator(".switches div", has_text="Broker").get_by_role("button", name="Switch off").click()
    expect(site.locator(".draft-count")).to_have_text("2 edits")
    assert [edit["edit"] for edit in added(draft)] == ["put_route", "set_broker"]
    expect(site.locator(".switches div", has_text="Broker").first).to_contain_text("off")


def test_an_edit_is_taken_out_of_the_list(site: Page, draft: SavedDraft) -> None:
    opened(site, draft, "instance/depot").get_by_role("button", name="Switch on").first.click()
    expect(site.locator(".draft-count")).to_have_text("1 edit")
    panel = opened(site, draft)
    panel.locator("summary", has_text="T-SQL").first.click()
    site.get_by_role("button", name=re.compile("^Take out")).click()
    expect(site.locator(".draft-count")).to_have_text("0 edits")
    assert added(draft) == []


def test_readers_preview_and_change_nothing(site: Page, draft: SavedDraft, live_server: Any) -> None:
    site.context.add_cookies([session_of(Role.VIEWER, live_server.url)])
    opened(site, draft)
    expect(site.locator("main form[method=post]:not(.view-form)")).to_have_count(0)  # they may save the view
    site.locator(".found-list li", has_text="PostRoute").get_by_role("button", name="Preview").click()
    expect(site.locator("#effect-line")).to_contain_text("//example/ledger/Post")
    assert added(draft) == []


def test_the_form_works_by_touch_on_a_phone(new_context: Any, live_server: Any, site: Page, draft: SavedDraft) -> None:
    size = {"width": NARROW[0], "height": NARROW[1]}
    context = new_context(viewport=size, has_touch=True, is_mobile=True)
    context.add_cookies([session_of(Role.EDITOR, live_server.url)])
    page = context.new_page()
    page.goto(f"/changes/{draft.id}/route/?from_instance=shop&from_database=Orders&to_instance=office")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    page.locator(".pick[data-pick=edit-remote_service_name] summary").tap()
    page.get_by_role("button", name="//example/ledger/Correct").tap()
    expect(page.locator("#edit-preview")).to_contain_text("//example/ledger/Correct")
    page.get_by_role("button", name="Add to draft").tap()
    expect(page.locator(".draft-count")).to_have_text("1 edit")
    assert added(draft)[0]["route"]["remote_service_name"] == "//example/ledger/Correct"


# -- The table -------------------------------------------------------------------------------------------------
def table(site: Page, draft: SavedDraft) -> Page:
    site.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    site.goto(f"/changes/{draft.id}/rows/?q=database%3AOrders&sort=name")
    return site


def test_rows_are_edited_by_keys_and_saved_by_enter(site: Page, draft: SavedDraft) -> None:
    table(site, draft).get_by_label("address: ArchiveRoute", exact=True).fill("tcp://one.example:4022")
    site.keyboard.press("ArrowDown")
    expect(site.get_by_label("address: AutoCreatedLocal", exact=True)).to_be_focused()
    site.keyboard.press("ArrowDown")
    site.keyboard.type("tcp://two.example:4022")
    expect(site.locator("tr.is-changed")).to_have_count(2)
    expect(site.locator("#effect-line")).to_contain_text("//example/print/Labels")
    site.keyboard.press("Enter")
    expect(site.locator(".draft-count")).to_have_text("2 edits")
    assert [edit["route"]["address"] for edit in added(draft)] == ["tcp://one.example:4022", "tcp://two.example:4022"]


def test_a_wrong_cell_says_so_at_its_row_and_escape_gives_its_value_back(site: Page, draft: SavedDraft) -> None:
    cell = table(site, draft).get_by_label("address: PostRoute", exact=True)
    before = cell.input_value()
    cell.fill("office")
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(site.get_by_text("must be LOCAL, TRANSPORT")).to_be_visible()
    assert accessibility_faults(site) == []
    cell.press("Enter")
    expect(site.get_by_label("address: PostRoute", exact=True)).to_have_value("office")
    assert added(draft) == []
    site.get_by_label("address: PostRoute", exact=True).fill(before)
    site.get_by_label("address: PostRoute", exact=True).press("Enter")
    expect(site.locator(".draft-count")).to_have_text("0 edits")


def test_a_grid_pasted_into_a_cell_spreads_from_there(site: Page, draft: SavedDraft) -> None:
    cell = table(site, draft).get_by_label("remote_service_name: LabelsAtDepot", exact=True)
    cell.focus()
    cell.evaluate(
        """(cell) => {
          const data = new DataTransfer();
          data.setData("text/plain", "//a\\ttcp://a.example\\n//b\\ttcp://b.example\\n");
          cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }"""
    )
    expect(site.get_by_label("address: LabelsAtOffice", exact=True)).to_have_value("tcp://b.example")
    site.get_by_role("button", name="Save the rows").click()
    expect(site.locator(".draft-count")).to_have_text("2 edits")
    columns = [(edit["route"]["remote_service_name"], edit["route"]["address"]) for edit in added(draft)]
    assert columns == [("//a", "tcp://a.example"), ("//b", "tcp://b.example")]


# -- Accessibility ---------------------------------------------------------------------------------------------
STATES = {
    "edits": "/map/?draft={0}",
    "database": "/map/?draft={0}&select=database/depot/Stock",
    "form": "/changes/{0}/route/?from_instance=shop&from_database=Orders&to_instance=office",
    "connect": "/changes/{0}/route/?place=x&to=y",
    "instance": "/changes/{0}/row/instance/",
    "service": "/changes/{0}/row/service/?place=shop/Orders",
    "table": "/changes/{0}/rows/",
}


STILL_TO_COME = ".htmx-request, [hx-trigger^=load]:empty, #effect-line:not([data-state=settled], [data-state=nothing])"


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_accessible(site: Page, draft: SavedDraft, state: str) -> None:
    site.goto(STATES[state].format(draft.id))
    expect(site.locator(STILL_TO_COME)).to_have_count(0)
    assert faults_in_a_look(site) == []
