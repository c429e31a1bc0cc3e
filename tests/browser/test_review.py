"""From a message that waits to a route drawn on the map, reviewed, applied and rolled back, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.accounts.levels import Role
from brokerui.estate.cache import estates
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.documents.edits_json import edits_from
from routing.documents.estate_document import read_estate, write_estate
from tests.brokerui.messaging.conftest import lists, one_valkey, valkey
from tests.brokerui.messaging.hosted import ADDRESSES, DOCUMENT, Wire
from tests.brokerui.messaging.test_services import begin, bodies, send
from tests.browser.conftest import faults_in_a_look, session_of
from tests.browser.test_map_drawing import box, middle, pull

__all__ = ["lists", "one_valkey", "valkey"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NOWHERE = "tcp://nobody.example:4022"


def document(*edits: dict[str, Any]) -> bytes:
    """The estate of the tests of messaging with these edits."""
    return write_estate(read_estate(json.dumps(DOCUMENT)).edited(edits_from(list(edits)))).encode()


# The message finds no route, or one that leads to nobody; each is mended by its function.
PLACE = {"instance": "A", "database": "one"}
ROUTE = {"name": "to", "remote_service_name": "To"}
MISSING = document(
    {"edit": "drop_route", **PLACE, "name": "to"}, {"edit": "drop_route", **PLACE, "name": "AutoCreatedLocal"}
)
WRONG = document({"edit": "put_route", **PLACE, "route": {**ROUTE, "address": NOWHERE}})


def added_by_keys(page: Page) -> None:
    """A route is added without a mouse."""
    page.get_by_role("link", name="Add a route…").press("Enter")
    expect(page.locator("#edit-place")).to_be_focused()
    page.keyboard.type("A/one")
    page.locator("#edit-to").focus()
    page.keyboard.type("B")
    page.keyboard.press("Enter")
    expect(page.locator("#edit-address")).to_have_value(ADDRESSES["B"])
    expect(page.locator("#edit-remote_service_name")).to_have_value("To")
    expect(page.locator("#edit-name")).to_be_focused()
    page.keyboard.press("Enter")


def pulled_elsewhere(page: Page) -> None:
    """The end of the route is dragged to another instance."""
    page.locator('a.row[data-ref="route/A/one/to"] > rect.area').click(position={"x": 40, "y": 8})
    pull(page, page.locator(".overlay .end .ring").first, middle(box(page, "B")))
    expect(page.locator(".overlay .tag.over")).to_have_text("to B")
    page.mouse.up()
    expect(page.get_by_label("Address", exact=True)).to_have_value(ADDRESSES["B"])
    page.get_by_role("button", name="Alter in draft").click()


def imported(page: Page, estate: bytes) -> None:
    """The estate is brought in, and its instances are hosted here."""
    page.goto("/imports/")
    file: Any = {"name": "estate.json", "mimeType": "application/json", "buffer": estate}
    page.get_by_label("Scripts, catalogs, documents").set_input_files([file])
    page.get_by_role("button", name="Upload the files").click()
    page.get_by_role("button", name="Preview 1 file").click()
    page.get_by_role("button", name=re.compile("Apply .* as version 1")).click()
    expect(page.get_by_text("Applied as version 1")).to_be_visible()
    Instance.objects.update(hosted=True)
    estates.clear()


def live_document() -> str:
    """As a process reads it that has nothing in memory."""
    estates.clear()
    return write_estate(estate_current().estate)


def as_user(page: Page, role: Role, url: str) -> None:
    page.context.add_cookies([session_of(role, url)])


DRAGGED = "test_demo_walk drags an end and reviews it; here the message that arrives is another."


def work(wire: Wire) -> None:
    """The workers see the version that is live, and carry what they have."""
    for name in wire.addresses:
        follow_estate(name)
    wire.carry()


@pytest.mark.parametrize(
    ("estate", "mend"),
    [(MISSING, added_by_keys), pytest.param(WRONG, pulled_elsewhere, marks=pytest.mark.thorough(DRAGGED))],
)
def test_a_waiting_message_arrives_by_a_reviewed_draft_and_the_draft_is_rolled_back(
    site: Page, lists: None, live_server: Any, settings: Any, estate: bytes, mend: Callable[[Page], None]
) -> None:
    settings.CHANGES_APPROVAL, wire = "other", Wire()
    imported(site, estate)
    handle, before = begin(), live_document()
    send(handle, b"1")
    work(wire)
    assert bodies() == []
    as_user(site, Role.EDITOR, live_server.url)
    site.goto("/delayed/")
    expect(site.get_by_role("rowheader", name=re.compile(" To from A.one$"))).to_be_visible()

    drafted(site, mend)
    site.get_by_role("link", name="Review", exact=True).click()
    expect(site.get_by_role("heading", name="Submit this edit for review?")).to_be_visible()
    assert faults_in_a_look(site) == []
    site.get_by_role("button", name="Submit for review").press("Enter")
    expect(site.get_by_role("heading", name="May this edit be applied?")).to_be_visible()
    expect(site.get_by_text("somebody else must approve it")).to_be_visible()
    expect(site.locator("#approve")).to_have_count(0)

    as_user(site, Role.ADMINISTRATOR, live_server.url)
    site.reload()
    assert faults_in_a_look(site) == []
    site.get_by_role("button", name="Approve 1 edit").press("Enter")
    expect(site.get_by_role("heading", name="This edit is approved: apply it?")).to_be_visible()
    assert faults_in_a_look(site) == []
    assert bodies() == []
    site.get_by_role("button", name="Apply 1 edit").press("Enter")
    expect(site.get_by_role("heading", name="Applied as version 2")).to_be_visible()
    expect(site.locator(".draft-base")).to_have_text("on version 1")
    assert faults_in_a_look(site) == []

    work(wire)
    assert bodies() == [b"1"]
    confirm_rollback(site)
    expect(site.get_by_role("heading", name="Rolled back with version 3")).to_be_visible()
    assert faults_in_a_look(site) == []
    assert live_document() == before
    site.goto("/delayed/")
    expect(site.get_by_role("rowheader", name=re.compile(" To from A.one$"))).to_have_count(0)


def confirm_rollback(page: Page) -> None:
    """Taking the mending back makes conversations worse: that is shown, and the browser asks for the tick first."""
    seen = page.get_by_role("checkbox", name="I have seen the 3 kinds of conversation that get worse")
    button = page.get_by_role("button", name="Roll back")
    expect(page.get_by_role("group", name="Kinds of conversation")).to_contain_text("Worse")
    button.press("Enter")
    expect(seen).to_be_focused()
    expect(page.locator("label.consent")).to_have_css("outline-style", "solid")
    seen.press("Space")
    button.press("Enter")


def drafted(page: Page, mend: Callable[[Page], None]) -> None:
    """A new draft, mended on its map, with its effect in words."""
    page.goto("/changes/")
    page.get_by_label("Name", exact=True).fill("Mend the route to B")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Map", exact=True).last.click()
    expect(page.locator("#effect-line")).to_have_attribute("data-state", re.compile("settled|nothing"))
    mend(page)
    expect(page.locator(".draft-count")).to_have_text("1 edit")
    expect(page.locator("#effect-line .effect-sentence")).to_contain_text("To")
    expect(page.locator("#effect-line .effect-sentence")).to_contain_text("better")
    page.get_by_role("link", name="T-SQL", exact=True).click()
    expect(page.get_by_role("textbox", name="A", exact=True)).to_have_value(re.compile(ADDRESSES["B"]))
