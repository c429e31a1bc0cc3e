"""The map in a real browser: by keyboard along the routes, told beside it, in both themes and on a phone."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import EVERY_KIND, HOSTILE_ESTATE, fan
from tests.brokerui.product import eventually
from tests.browser.conftest import faults_in_a_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PARTS = "/map/?scenario=2-network-route"


def panel(page: Page) -> Any:
    return page.get_by_role("complementary", name="Selection")


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
    expect(panel(site)).to_contain_text("tcp://host2")
    expect(route).to_have_attribute("aria-current", "true")
    expect(site.locator("#live")).to_contain_text("OrderPartsRoute")
    assert selected(site) == "route/headquarters/AdventureWorks/OrderPartsRoute"
    site.keyboard.press("Escape")
    expect(panel(site)).to_contain_text("How to read it")
    expect(route).to_be_focused()
    assert selected(site) == ""
    site.go_back()
    expect(panel(site)).to_contain_text("OrderPartsRoute")
    assert site.evaluate("window.stayed")
    site.keyboard.press("End")
    site.keyboard.press("Tab")
    expect(site.locator("svg.net a:focus")).to_have_count(0)


def test_a_server_tells_its_findings_and_leads_on(site: Page) -> None:
    site.goto("/map/?scenario=three-servers")
    press(site, "office: forwarding off.")
    expect(panel(site)).to_contain_text("office")
    expect(panel(site)).to_contain_text("finding")
    panel(site).get_by_role("link", name="Show its neighbours").click()
    site.wait_for_url("**focus=office*")
    expect(site.get_by_label("Around instance")).to_have_value("office")


def size_of(page: Page) -> dict[str, float]:
    """Where a box of the picture is seen, and how large."""
    found = page.locator('g.shape[data-box="instance/host2"] rect.area').first.bounding_box()
    assert found is not None
    return dict(found)


def test_pan_and_zoom_by_buttons_wheel_drag_and_keys(site: Page) -> None:
    site.goto(PARTS)
    size = site.locator("[data-size]")
    expect(size).to_have_text("100 %")
    first = size_of(site)
    site.get_by_role("button", name="Larger").click()
    expect(size).to_have_text("125 %")
    assert abs(size_of(site)["width"] - first["width"] * 1.25) < 1
    site.keyboard.press("0")
    expect(size).to_have_text("100 %")
    site.mouse.move(first["x"] + 5, first["y"] + 5)
    site.mouse.wheel(0, -200)
    expect(size).not_to_have_text("100 %")
    under = size_of(site)
    assert abs(under["x"] + 5 * under["width"] / first["width"] - first["x"] - 5) < 1, "the point under the mouse stays"
    site.mouse.wheel(0, 200)
    expect(size).to_have_text("100 %")
    pane = site.get_by_role("region", name="The picture").bounding_box()
    assert pane is not None
    before = size_of(site)
    site.mouse.move(pane["x"] + 10, pane["y"] + 10)
    site.mouse.down()
    site.mouse.move(pane["x"] + 60, pane["y"] + 40, steps=4)
    site.mouse.up()
    moved = size_of(site)
    assert (round(moved["x"] - before["x"]), round(moved["y"] - before["y"])) == (50, 30)
    site.get_by_role("region", name="The picture").focus()
    site.keyboard.press("ArrowRight")
    assert round(moved["x"] - size_of(site)["x"]) == 60
    site.keyboard.press("f")
    expect(size).to_have_text("100 %")


def test_a_selection_and_a_reload_leave_the_picture_where_it_was(site: Page) -> None:
    site.goto(PARTS)
    site.evaluate("window.stayed = true")
    site.get_by_role("button", name="Larger").click()
    before = size_of(site)
    press(site, "host2: forwarding off.")
    expect(panel(site)).to_contain_text("host2")
    assert site.evaluate("window.stayed")
    after = size_of(site)  # a selected box has a wider edge
    assert max(abs(after[side] - before[side]) for side in before) < 2
    assert eventually(
        lambda: site.evaluate("Object.keys(sessionStorage).some((key) => key.startsWith('map seen'))"), 10
    )
    site.reload()
    again = size_of(site)
    assert max(abs(again[side] - before[side]) for side in before) < 2


def test_the_minimap_is_there_where_the_picture_does_not_fit(site: Page) -> None:
    site.set_viewport_size({"width": 1100, "height": 640})
    site.goto("/map/?scenario=three-servers")
    minimap = site.locator("svg.minimap")
    expect(minimap).to_be_visible()
    before = site.locator("rect.area").first.bounding_box()
    minimap.click(position={"x": 90, "y": 90})
    assert site.locator("rect.area").first.bounding_box() != before
    site.keyboard.press("f")
    expect(minimap).to_be_hidden()


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


def test_without_scripts_everything_is_a_link(new_context: Any, site: Page) -> None:
    context = new_context(java_script_enabled=False)
    context.add_cookies(site.context.cookies())
    page = context.new_page()
    page.goto(PARTS)
    press(page, "OrderPartsRoute: for OrderParts. It leads to host2.")
    expect(panel(page)).to_contain_text("remote_service_name")
    page.get_by_role("link", name="Close").click()
    expect(panel(page)).to_contain_text("How to read it")
    page.get_by_role("link", name="As a list").click()
    page.get_by_role("link", name="AdventureWorks").click()
    expect(panel(page)).to_contain_text("OrderPartsRoute")


def test_axe_finds_nothing_and_the_page_never_scrolls_sideways(site: Page) -> None:
    for url in maps():
        site.goto(url)
        assert faults_in_a_look(site) == []
