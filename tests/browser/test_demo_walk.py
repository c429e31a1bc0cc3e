"""The walk that the README begins with: one of the six faults of the demo is mended on the map."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.demo.services import demo_load
from brokerui.estate.selectors import estate_current
from tests.browser.conftest import WIDE, accessibility_faults
from tests.browser.fingers import Fingers, middle
from tests.browser.test_map_drawing import box, pull

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PICTURES = os.environ.get("BROKERUI_PICTURES", "")
"""Folder for the picture of the README, which `make pictures` takes anew; empty: none is taken."""
POST = "route/shop/Orders/PostRoute"


def test_a_fault_of_the_demo_is_mended_on_the_map(site: Page) -> None:
    demo_load()
    site.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    site.goto("/where/")
    site.locator("summary", has_text="Demo estate").click()
    assert accessibility_faults(site) == []
    site.get_by_role("button", name="Mend one of the six faults").click()
    expect(site.locator("#effect-line")).to_have_attribute("data-state", re.compile("settled|nothing"))
    expect(site.locator(".draft-name")).to_have_text("Mend the demo")

    site.locator(f'a.row[data-ref="{POST}"] > rect.area').click(position={"x": 40, "y": 8})
    pull(site, site.locator(".overlay .end .ring").first, middle(box(site, "office")))
    expect(site.locator(".overlay .tag.over")).to_have_text("to office")
    expect(site.locator("#effect-line .effect-sentence")).to_contain_text("3 kinds of conversation get better")
    expect(site.locator("#effect-line")).to_contain_text("0 worse")
    if PICTURES:
        site.screenshot(path=f"{PICTURES}/mend.png")
    site.mouse.up()
    expect(site.get_by_label("Address", exact=True)).to_have_value("tcp://office.example:4022")
    site.get_by_role("button", name="Alter in draft").click()
    expect(site.locator(f'a.row.altered[data-ref="{POST}"]')).to_have_count(1)

    site.get_by_role("link", name="Review", exact=True).click()
    expect(site.get_by_role("heading", name="Apply this edit?")).to_be_visible()
    expect(site.get_by_text("Each changes when you run its T-SQL there: shop.")).to_be_visible()
    site.get_by_role("button", name="Apply 1 edit").click()
    expect(site.get_by_role("heading", name="Applied as version 2")).to_be_visible()
    routes = estate_current().estate.instances["shop"].tables["Orders"].routes.values()
    (route,) = (one for one in routes if one.name == "PostRoute")
    assert route.address.text.lower() == "tcp://office.example:4022"
    expect(site.get_by_text("Tried: it gives version 1 again, byte for byte.")).to_be_visible()
    site.get_by_label("I have seen the 3 kinds of conversation that get worse").check()
    site.get_by_role("button", name="Roll back").click()
    expect(site.get_by_role("heading", name="Rolled back with version 3")).to_be_visible()


@pytest.mark.thorough("The walk by mouse is the same, and test_map_drawing drags by touch.")
def test_the_same_fault_is_mended_by_touch(new_context: Any, site: Page) -> None:
    demo_load()
    context = new_context(has_touch=True, viewport={"width": 1180, "height": 820})
    context.add_cookies(site.context.cookies())
    page = context.new_page()
    fingers = Fingers(page)
    page.goto("/where/")
    page.locator("summary", has_text="Demo estate").tap()
    page.get_by_role("button", name="Mend one of the six faults").tap()
    expect(page.locator("#effect-line")).to_have_attribute("data-state", re.compile("settled|nothing"))
    page.locator(f'a.row[data-ref="{POST}"] > rect.area').tap(position={"x": 40, "y": 8})
    fingers.pull(middle(page.locator(".overlay .end .ring").first), middle(box(page, "office")))
    expect(page.locator(".overlay .tag.over")).to_have_text("to office")
    expect(page.locator("#effect-line .effect-sentence")).to_contain_text("3 kinds of conversation get better")
    fingers.send("touchEnd")
    expect(page.get_by_label("Address", exact=True)).to_have_value("tcp://office.example:4022")
    page.get_by_role("button", name="Alter in draft").tap()
    expect(page.locator(f'a.row.altered[data-ref="{POST}"]')).to_have_count(1)
    page.get_by_role("link", name="Review", exact=True).tap()
    page.get_by_role("button", name="Apply 1 edit").tap()
    expect(page.get_by_role("heading", name="Applied as version 2")).to_be_visible()
    page.get_by_label("I have seen the 3 kinds of conversation that get worse").tap()
    page.get_by_role("button", name="Roll back").tap()
    expect(page.get_by_role("heading", name="Rolled back with version 3")).to_be_visible()
