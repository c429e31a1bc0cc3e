"""Charts in a real browser: drawn in the colours of the theme, told by a table, followed by click and by key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.estates import large_estate
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import EVERY_KIND, HOSTILE_ESTATE
from tests.browser.conftest import NARROW, WIDE, between_polls, faults_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MATRIX, FLOW = "/reachability/?scenario=2-network-route", "/flow/?scenario=5-load-balancing"
SHAPE = ".scatterlayer .point"
STREAM = ".sankey-link"


def drawn(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.locator("[data-drawn]")).to_be_visible()


def colour_of(page: Page, selector: str) -> str:
    return str(page.locator(selector).first.evaluate("(one) => getComputedStyle(one).fill"))


def company() -> str:
    """Enough for groups, and for a worker."""
    text = json.dumps(large_estate(instances=90, databases=900, routes=6_000, names=900))
    return scenario_create(title="company", text=text)[0].name


@pytest.mark.parametrize(("url", "mark"), [(MATRIX, SHAPE), (FLOW, STREAM)])
def test_it_is_drawn_and_changes_with_the_theme(site: Page, url: str, mark: str) -> None:
    site.emulate_media(color_scheme="light")
    drawn(site, url)
    light = colour_of(site, mark)
    site.emulate_media(color_scheme="dark")
    expect(site.locator(mark).first).not_to_have_css("fill", light)
    dark = colour_of(site, mark)
    site.get_by_role("button", name="Theme: automatic").click()
    expect(site.locator(mark).first).to_have_css("fill", light)
    site.get_by_role("button", name="Theme: light").click()
    expect(site.locator(mark).first).to_have_css("fill", dark)


def test_a_field_that_is_clicked_is_explained(site: Page) -> None:
    drawn(site, MATRIX)
    site.locator(SHAPE).last.scroll_into_view_if_needed()
    box = site.locator(SHAPE).first.bounding_box()
    assert box
    site.mouse.move(box["x"] + box["width"] / 2 + 20, box["y"] + box["height"] / 2)
    expect(site.locator(".hoverlayer .hovertext")).to_contain_text("headquarters/AdventureWorks → ExpenseClaims")
    site.mouse.click(box["x"] + box["width"] / 2 + 20, box["y"] + box["height"] / 2)
    site.wait_for_url("**/where/?scenario=2-network-route&from=headquarters%2FAdventureWorks&to=ExpenseClaims")
    expect(site.get_by_role("region", name="Answer")).to_be_visible()


def test_a_stream_that_is_clicked_is_explained(site: Page) -> None:
    drawn(site, FLOW)
    box = site.locator(STREAM).first.bounding_box()
    assert box
    site.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(site.locator(".hoverlayer .hovertext").first).to_contain_text("headquarters/AdventureWorks → server1")
    site.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    site.wait_for_url("**/where/?scenario=5-load-balancing&from=headquarters%2FAdventureWorks&to=BalancedService")


def test_the_table_is_one_key_away(site: Page) -> None:
    drawn(site, MATRIX)
    button = site.get_by_role("button", name="Table")
    site.keyboard.press("t")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(site.get_by_role("link", name="headquarters/AdventureWorks")).to_be_visible()
    expect(site.locator("#matrix-twin a").first).to_be_focused()
    site.keyboard.press("t")
    expect(button).to_have_attribute("aria-expanded", "false")
    site.keyboard.press("t")
    for _ in range(5):
        site.keyboard.press("Tab")
    expect(site.locator("#f0-0")).to_be_focused()
    site.keyboard.press("Enter")
    site.wait_for_url("**/where/**to=ExpenseClaims")


def test_without_scripts_the_table_is_there(new_context: Any, site: Page) -> None:
    context = new_context(java_script_enabled=False)
    context.add_cookies(site.context.cookies())
    page = context.new_page()
    for url, row in ((MATRIX, "host2/Parts"), (FLOW, "server1")):
        page.goto(url)
        page.locator("summary", has_text="The same as a table").click()
        expect(page.get_by_role("rowheader", name=row)).to_be_visible()
    page.goto(MATRIX)
    page.get_by_label("Service", exact=True).fill("Parts")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("8 pairs that a route names")).to_have_count(0)
    expect(page.get_by_text("2 pairs that a route names or that are delivered always arrive")).to_be_visible()


def test_a_large_estate_comes_when_it_is_ready_and_is_entered_by_its_groups(site: Page) -> None:
    name = company()
    drawn(site, f"/reachability/?scenario={name}")
    expect(site.get_by_role("region", name="Work in the background")).to_be_visible()
    between_polls(site, jobs_run)
    expect(site.get_by_role("region", name="Work in the background")).to_have_count(0)
    expect(site.locator("[data-drawn]")).to_be_visible()
    expect(site.get_by_role("heading", name="of 810 origins by")).to_be_visible()
    site.locator(SHAPE).first.scroll_into_view_if_needed()
    box = site.locator(SHAPE).first.bounding_box()
    assert box
    site.mouse.move(box["x"] + box["width"] / 2 + 5, box["y"] + box["height"] / 2)
    expect(site.locator(".hoverlayer .hovertext")).to_contain_text("→")
    site.mouse.click(box["x"] + box["width"] / 2 + 5, box["y"] + box["height"] / 2)
    site.wait_for_url("**origin_from=**service_from=**")
    site.go_back()
    expect(site.locator("[data-drawn]")).to_be_visible()
    site.keyboard.press("t")
    site.locator("#matrix-twin tbody th a").first.click()
    site.wait_for_url("**origin_from=**")
    assert "service_from" not in site.url
    expect(site.locator("[data-drawn]")).to_be_visible()
    drawn(site, f"/flow/?scenario={name}")
    expect(site.get_by_role("heading", name="smaller places are drawn together")).to_be_visible()


def test_axe_finds_nothing(site: Page) -> None:
    kinds = scenario_create(title="kinds", text=EVERY_KIND)[0].name
    hostile = scenario_create(title="hostile", text=HOSTILE_ESTATE)[0].name
    every = (MATRIX, FLOW, f"/reachability/?scenario={kinds}&outside=1", f"/flow/?scenario={hostile}")
    for url in every:
        drawn(site, url)
        site.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert faults_in_each_look(site, WIDE) == []
    site.goto(f"{FLOW}&q=nosuch:x")
    assert faults_in_each_look(site, WIDE) == []


def test_no_page_scrolls_sideways_on_a_phone(site: Page) -> None:
    kinds = scenario_create(title="kinds", text=EVERY_KIND)[0].name
    site.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    for url in (MATRIX, FLOW, f"/reachability/?scenario={kinds}&outside=1&system=1"):
        drawn(site, url)
        site.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert site.evaluate("document.documentElement.scrollWidth") <= NARROW[0], url
