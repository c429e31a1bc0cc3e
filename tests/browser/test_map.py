"""The map in a real browser: by keyboard along the routes, told beside it, in both themes and on a phone."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import EVERY_KIND, HOSTILE_ESTATE, fan
from tests.browser.conftest import NARROW, WIDE, accessibility_faults

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PARTS = "/map/?scenario=2-network-route"


def told(page: Page) -> Any:
    return page.get_by_role("complementary", name="What is selected")


def selected(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("select", [""])[0]


def press(page: Page, name: str) -> None:
    """On the title of a box or on a row: its middle may be something else, or nothing."""
    page.get_by_role("link", name=name).locator("rect").click(position={"x": 8, "y": 8})


def maps() -> list[str]:
    """Addresses of every kind of map."""
    kinds = scenario_create(title="kinds", text=EVERY_KIND)[0].name
    hostile = scenario_create(title="hostile", text=HOSTILE_ESTATE)[0].name
    many = scenario_create(title="many", text=fan(180))[0].name
    return [
        PARTS,
        "/map/?scenario=three-servers&service=//example/ledger/Post",
        f"/map/?scenario={kinds}&select=route/hub/Sales/OldRoute&q=o",
        f"/map/?scenario={hostile}&zoom=fit",
        f"/map/?scenario={many}",
        f"/map/?scenario={many}&focus=branch3",
        f"/map/?scenario={kinds}&shown=list&select=database/hub/Sales",
    ]


def test_along_the_routes_by_keyboard(site: Page) -> None:
    site.goto(PARTS)
    first = site.get_by_role("link", name="headquarters: forwarding off.")
    first.focus()
    site.keyboard.press("ArrowRight")
    route = site.get_by_role("link", name="OrderPartsRoute: for OrderParts. It leads to host2.")
    expect(route).to_be_focused()
    site.keyboard.press("ArrowRight")
    expect(site.get_by_role("link", name="host2: forwarding off.")).to_be_focused()
    site.keyboard.press("ArrowDown")
    expect(site.get_by_role("link", name="Parts on host2: OrderParts.")).to_be_focused()
    site.keyboard.press("ArrowLeft")
    site.keyboard.press("ArrowLeft")
    expect(route).to_be_focused()
    site.evaluate("window.stayed = true")
    site.keyboard.press("Enter")
    expect(told(site)).to_contain_text("tcp://host2")
    expect(route).to_have_attribute("aria-current", "true")
    expect(site.locator("#live")).to_contain_text("OrderPartsRoute")
    assert selected(site) == "route/headquarters/AdventureWorks/OrderPartsRoute"
    site.keyboard.press("Escape")
    expect(told(site)).to_contain_text("How to read it")
    expect(route).to_be_focused()
    assert selected(site) == ""
    site.go_back()
    expect(told(site)).to_contain_text("OrderPartsRoute")
    assert site.evaluate("window.stayed")
    site.keyboard.press("End")
    site.keyboard.press("Tab")
    expect(site.locator("svg.net a:focus")).to_have_count(0)


def test_a_server_tells_its_findings_and_leads_on(site: Page) -> None:
    site.goto("/map/?scenario=three-servers")
    press(site, "office: forwarding off.")
    expect(told(site)).to_contain_text("office")
    expect(told(site)).to_contain_text("finding")
    told(site).get_by_role("link", name="Show its neighbours").click()
    site.wait_for_url("**focus=office*")
    expect(site.get_by_label("Around instance")).to_have_value("office")


def test_sizes_keep_the_page(site: Page) -> None:
    site.goto(PARTS)
    site.evaluate("window.stayed = true")
    before = site.locator("svg.net[data-width]").bounding_box()
    site.get_by_role("link", name="50 %", exact=True).click()
    after = site.locator("svg.net[data-width]").bounding_box()
    assert before is not None
    assert after is not None
    press(site, "host2: forwarding off.")
    expect(told(site)).to_contain_text("host2")
    assert "zoom=50" in site.url
    assert site.evaluate("window.stayed")
    site.reload()
    again = site.locator("svg.net[data-width]").bounding_box()
    assert again is not None
    assert abs(again["width"] - before["width"] / 2) < 1
    assert abs(again["width"] - after["width"]) < 1


def test_texts_stay_in_their_boxes_with_the_fonts_of_this_machine(site: Page) -> None:
    for url in maps()[:6]:
        site.goto(url)
        over = site.evaluate(
            """() => [...document.querySelectorAll("svg.net a.mark")].flatMap((mark) => {
                const box = mark.querySelector("rect").getBoundingClientRect();
                return [...mark.querySelectorAll("text")]
                    .filter((text) => text.getBoundingClientRect().right > box.right)
                    .map((text) => text.textContent);
            })"""
        )
        assert over == [], url


def test_without_scripts_everything_is_a_link(browser: Any, live_server: Any, site: Page) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=live_server.url)
    context.add_cookies(site.context.cookies())
    page = context.new_page()
    page.goto(PARTS)
    press(page, "OrderPartsRoute: for OrderParts. It leads to host2.")
    expect(told(page)).to_contain_text("remote_service_name")
    page.get_by_role("link", name="Close").click()
    expect(told(page)).to_contain_text("How to read it")
    page.get_by_role("link", name="As a list").click()
    page.get_by_role("link", name="AdventureWorks").click()
    expect(told(page)).to_contain_text("OrderPartsRoute")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Page, scheme: Any) -> None:
    site.emulate_media(color_scheme=scheme)
    for url in maps():
        site.goto(url)
        assert accessibility_faults(site) == [], url


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_page_never_scrolls_sideways(site: Page, size: tuple[int, int]) -> None:
    site.set_viewport_size({"width": size[0], "height": size[1]})
    for url in maps():
        site.goto(url)
        assert site.evaluate("document.documentElement.scrollWidth") <= size[0], url
