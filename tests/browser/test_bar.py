"""The bar of every page in a real browser: the demo that one can take away, the live estate's past, and strangers."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.demo.services import demo_load
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from routing.model.edits import PutInstance
from routing.model.estate import Instance
from tests.brokerui.site import PASSWORD
from tests.browser.conftest import NARROW, WIDE, accessibility_faults, faults_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MIDDLE = (1000, 800)


def test_the_demo_says_what_it_is_and_goes_with_one_click_by_keyboard(site: Page) -> None:
    demo_load()
    site.goto("/where/")
    expect(site.get_by_text("This is the demo estate")).to_be_hidden()
    site.locator("summary", has_text="Demo estate").press("Enter")
    expect(
        site.get_by_text("6 invented instances, to try everything on: shop, depot, office, cafe, bakery, bakery2.")
    ).to_be_visible()
    site.get_by_role("button", name="Remove the 6 instances of the demo").press("Enter")
    expect(site.get_by_role("status")).to_have_text("The demo is removed: 6 instances. Version 1 still shows it.")
    expect(site.get_by_text("Demo estate")).to_have_count(0)
    expect(site.get_by_role("heading", name="No instance is known yet")).to_be_visible()
    site.goto("/where/?as_of=1")
    expect(site.get_by_role("region", name="Answer")).to_contain_text("Printing on depot")


def test_the_past_is_a_menu_away(site: Page) -> None:
    demo_load()
    estate_edit(edits=[PutInstance(Instance("later"))], base_version=1, author="me")
    assert estate_current().version == 2
    site.goto("/where/")
    site.locator(".as-of > summary").click()
    site.get_by_role("link", name="Version 1").click()
    site.wait_for_url("**/where/?as_of=1")
    expect(site.get_by_text("An earlier version: read-only")).to_be_visible()
    site.locator(".as-of > summary", has_text="As of version 1").click()
    site.get_by_label("A version or a moment (UTC)").fill("2030-01-31T12:00:00Z")
    site.get_by_role("button", name="Look back").click()
    expect(site.locator(".as-of > summary")).to_contain_text("As of version 2")


def test_looking_back_keeps_the_question_that_stands_in_the_address(site: Page) -> None:
    demo_load()
    estate_edit(edits=[PutInstance(Instance("later"))], base_version=1, author="me")
    site.goto("/where/?from=shop/Orders&to=Printing")
    site.get_by_label("To service").fill("Nobody")
    site.get_by_label("To service").press("Enter")
    site.wait_for_url("**to=Nobody**")
    site.locator(".as-of > summary").click()
    site.get_by_role("link", name="Version 1").click()
    site.wait_for_url("**as_of=1")
    expect(site.get_by_label("To service")).to_have_value("Nobody")
    site.locator(".as-of > summary").click()
    site.get_by_label("A version or a moment (UTC)").fill("Version 2")
    site.get_by_role("button", name="Look back").click()
    expect(site.locator(".as-of > summary")).to_contain_text("As of version 2")
    expect(site.get_by_label("To service")).to_have_value("Nobody")


def test_a_copied_link_names_the_version_and_what_was_opened_since(site: Page, live_server: Any) -> None:
    demo_load()
    site.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    site.goto("/routes/")
    site.locator("[data-row-link]").first.click()
    site.wait_for_url("**select=*")
    site.get_by_role("button", name="Copy link").click()
    expect(site.locator("#live")).to_have_text("Copied")
    link = site.evaluate("navigator.clipboard.readText()")
    assert "as_of=1" in link
    assert "select=" in link
    site.goto("/routes/?as_of=2020-01-01")
    expect(site.get_by_role("heading", name="There is no such estate")).to_be_visible()
    expect(site.get_by_text("there was no estate yet: its first version is of")).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
def test_axe_finds_nothing_and_nothing_is_cut_off(site: Page, size: tuple[int, int]) -> None:
    demo_load()
    site.set_viewport_size({"width": size[0], "height": size[1]})
    site.goto("/where/")
    for menu in (".demo", ".as-of"):
        site.locator(f"{menu} > summary").click()
        box = site.locator(f"{menu} > form").bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert faults_in_each_look(site, size) == []
        site.keyboard.press("Escape")
    for button in site.locator(".bar select, .bar summary, .bar button:visible").all():
        box = button.bounding_box()
        assert box is None or box["x"] + box["width"] <= size[0]
    assert site.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_strangers_sign_in_and_go_where_they_wanted(site: Page) -> None:
    site.context.clear_cookies()
    site.goto("/where/?scenario=2-network-route")
    expect(site.get_by_role("navigation")).to_have_count(0)
    expect(site.get_by_label("Name")).to_be_focused()
    assert faults_in_each_look(site) == []
    site.keyboard.type("administrator")
    site.get_by_label("Password").fill(PASSWORD)
    site.keyboard.press("Enter")
    site.wait_for_url("**/where/?scenario=2-network-route")
    expect(site.get_by_role("region", name="Answer")).to_be_visible()
    site.goto("/account/password/")
    assert faults_in_each_look(site) == []


def test_who_guesses_is_told_to_wait(site: Page) -> None:
    site.context.clear_cookies()
    site.goto("/account/login/")
    for _ in range(5):
        site.get_by_label("Name").fill("administrator")
        site.get_by_label("Password").fill("guess")
        site.keyboard.press("Enter")
        site.wait_for_load_state()
    expect(site.get_by_role("heading", name="Wait a while")).to_be_visible()
    expect(site.get_by_text("UTC, in 15\xa0minutes")).to_be_visible()
    assert accessibility_faults(site) == []
