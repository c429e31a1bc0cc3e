"""*Where does it go?* in a real browser: asked by keyboard, kept in the address, seen in both themes and on a phone."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from brokerui.estate.scenarios.services import scenario_create
from tests.brokerui.estates import CIRCLE, EVERY_KIND, fan
from tests.browser.conftest import faults_in_a_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).parents[2]
PARTS = "/where/?scenario=2-network-route&from=headquarters/AdventureWorks&to=OrderParts"


def answer(page: Page) -> Any:
    return page.get_by_role("region", name="Answer")


def query_of(page: Page) -> dict[str, str]:
    """The question that stands in the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def copied(page: Page, button: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=button).click()
    expect(page.locator("#live")).to_have_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def ways(page: Page) -> list[str]:
    """The questions that every kind of answer is seen with."""
    kinds = scenario_create(title="kinds", text=EVERY_KIND)[0].name
    circle = scenario_create(title="circle", text=CIRCLE)[0].name
    many = scenario_create(title="many", text=fan(60))[0].name
    return [
        PARTS,
        f"/where/?scenario={kinds}&from=hub/Sales&to=Ship&route=hub/Sales/OldRoute",
        f"/where/?scenario={circle}&from=north/Orders&to=X",
        f"/where/?scenario={many}",
        "/where/?scenario=1-default&from=outside:headquarters&to=X&reply=1",
        "/where/?scenario=1-default&from=nowhere/X&to=S&at=never",
    ]


# -- Asking ------------------------------------------------------------------------------------------------


def test_by_keyboard_alone(site: Page) -> None:
    site.goto("/where/")
    for _ in range(3):
        site.keyboard.press("Tab")
    expect(site.get_by_label("Estate", exact=True)).to_be_focused()
    site.keyboard.type("A network route for one")
    site.keyboard.press("Tab")
    expect(site.get_by_role("button", name="Open")).to_be_focused()
    site.keyboard.press("Enter")
    site.wait_for_url("**scenario=2-network-route*")
    expect(answer(site)).to_contain_text("Parts on host2")
    site.keyboard.press("/")
    site.keyboard.type("host2 / Parts")
    site.keyboard.press("Tab")
    expect(site.get_by_label("To service")).to_be_focused()
    site.wait_for_url(lambda url: "from=host2" in url)
    site.keyboard.press("ControlOrMeta+a")
    site.keyboard.type("Expenses")
    site.keyboard.press("Enter")
    expect(answer(site)).to_contain_text("Waits in Parts on host2")
    expect(site.get_by_label("To service")).to_be_focused()
    assert query_of(site) == {"scenario": "2-network-route", "from": "host2/Parts", "to": "Expenses"}


def test_a_scenario_that_is_pointed_at_opens_at_once(site: Page) -> None:
    site.goto("/where/")
    site.get_by_label("Estate", exact=True).click()
    site.get_by_label("Estate", exact=True).select_option("5-load-balancing")
    expect(answer(site)).to_contain_text("Balanced on server1, or Balanced on server2")


def test_a_change_asks_again_without_a_new_page_and_back_goes_back(site: Page) -> None:
    site.goto(PARTS)
    site.evaluate("window.stayed = true")
    site.get_by_label("To service").fill("Nowhere")
    site.get_by_label("To service").press("Tab")
    expect(answer(site)).to_contain_text("Always delayed")
    expect(site).to_have_title("Waits in AdventureWorks on headquarters · Where does it go? · BrokerUI")
    expect(site.locator("#live")).to_contain_text("Always delayed")
    assert site.evaluate("window.stayed")
    site.go_back()
    expect(answer(site)).to_contain_text("Parts on host2")
    expect(site.get_by_label("To service")).to_have_value("OrderParts")
    site.go_forward()
    expect(site.get_by_label("To service")).to_have_value("Nowhere")
    expect(answer(site)).to_contain_text("Always delayed")
    site.get_by_label("To service").fill("Expenses")
    site.get_by_label("To service").press("Enter")
    expect(answer(site)).to_contain_text("Finance on headquarters")


def test_the_address_holds_the_whole_question(site: Page) -> None:
    site.goto("/where/?scenario=1-default")
    site.get_by_label("From", exact=True).select_option("outside:headquarters")
    reply = site.get_by_label("It is a reply")
    expect(reply).to_be_visible()
    expect(site.get_by_label("Own service")).to_be_hidden()
    reply.check()
    site.wait_for_url(lambda url: "reply=1" in url)
    site.locator("#at").fill("2030-01-01T00:00:00Z")
    site.locator("#at").press("Enter")
    expect(site.locator("time").first).to_have_text("2030-01-01 00:00:00 UTC")
    url = site.url
    text = answer(site).inner_text()
    site.goto("about:blank")
    site.goto(url)
    assert answer(site).inner_text() == text
    expect(reply).to_be_checked()
    site.get_by_label("From", exact=True).select_option("headquarters/Finance")
    expect(reply).to_be_hidden()
    site.wait_for_url(lambda url: "reply" not in url)


def test_a_mistake_is_told_at_its_field_and_mended_there(site: Page) -> None:
    site.goto(PARTS)
    field = site.get_by_label("Broker identifier")
    field.fill("5fb8")
    field.press("Tab")
    expect(site.locator("#fault-broker")).to_contain_text("must be a GUID")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(site.locator("#live")).to_contain_text("must be a GUID")
    field.fill("")
    field.press("Tab")
    expect(field).to_have_attribute("aria-invalid", "false")
    expect(answer(site)).to_contain_text("Parts on host2")


def test_why_not_another_route(site: Page) -> None:
    site.goto(PARTS)
    site.get_by_role("link", name="Why not another route?").click()
    field = site.get_by_label("Why not another route?")
    field.fill("headquarters/AdventureWorks/AutoCreatedLocal")
    field.press("Enter")
    answers = site.locator(".why-not-answers")
    expect(answers).to_contain_text("Not used MATCH-2 is asked only at MATCH-5; the matching ended at MATCH-2")
    assert query_of(site)["route"] == "headquarters/AdventureWorks/AutoCreatedLocal"


def test_a_large_estate_is_searched_as_one_types(site: Page) -> None:
    name = scenario_create(title="many", text=fan(130))[0].name
    site.goto(f"/where/?scenario={name}")
    with site.expect_response("**/options/from/**"):
        site.get_by_label("From", exact=True).press_sequentially("x")
        site.get_by_label("From", exact=True).fill("branch12")
    expect(site.locator("#origins option").first).to_have_attribute("value", "branch12/Shop")
    site.get_by_label("From", exact=True).fill("outside:branch12")
    site.get_by_label("From", exact=True).press("Enter")
    expect(answer(site)).to_contain_text("Shop on branch12")


def test_a_rule_leads_to_its_sentence(site: Page) -> None:
    site.goto(PARTS)
    site.get_by_role("link", name="CHOOSE-3").first.click()
    expect(site.locator("#rule-CHOOSE-3")).to_be_in_viewport()


def test_without_scripts_it_is_a_form(plain_site: Page) -> None:
    page = plain_site
    page.goto("/where/")
    page.get_by_label("Estate", exact=True).select_option("2-network-route")
    page.get_by_role("button", name="Open").click()
    page.get_by_label("To service").fill("Expenses")
    page.get_by_role("button", name="Find out").click()
    expect(answer(page)).to_contain_text("Finance on headquarters")
    page.get_by_label("Why not another route?").fill("headquarters/AdventureWorks/OrderPartsRoute")
    page.get_by_role("button", name="Say why not").click()
    expect(page.get_by_text("other service: OrderParts").last).to_be_visible()
    page.locator("details.return summary").first.click()
    expect(page.locator("details.return .steps").first).to_be_visible()


# -- Handing on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "scenario=2-network-route&from=headquarters/AdventureWorks&to=OrderParts&service=OrderEntry",
        "scenario=5-load-balancing&from=headquarters/AdventureWorks&to=BalancedService",
        "scenario=7-forward-everything&from=outside:headquarters&to=It's&reply=1&at=2030-01-01",
    ],
)
def test_the_command_gives_the_same_outcomes(site: Page, question: str) -> None:
    site.goto(f"/where/?{question}")
    words = shlex.split(copied(site, "Copy as command"))
    assert words[:2] == [".venv/bin/brokerui", "explain"]
    command = [sys.executable, "-m", "brokerui.cli.main", *words[1:], "--format", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    outcomes = json.loads(done.stdout)["outcomes"]
    expect(site.get_by_text("possible outcomes")).to_have_count(int(len(outcomes) > 1))
    for outcome in outcomes:
        place = outcome.get("database") or outcome.get("address") or outcome["instance"]
        expect(answer(site)).to_contain_text(place)


def test_the_link_opens_the_same_answer(site: Page) -> None:
    site.goto(PARTS)
    site.get_by_label("To service").fill("Expenses")
    site.get_by_label("To service").press("Enter")
    expect(answer(site)).to_contain_text("Finance")
    link = copied(site, "Copy link")
    site.goto("about:blank")
    site.goto(link)
    expect(answer(site)).to_contain_text("Finance on headquarters")


# -- Looking -----------------------------------------------------------------------------------------------


def test_axe_finds_nothing_and_the_page_never_scrolls_sideways(site: Page) -> None:
    for url in ways(site):
        site.goto(url)
        site.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert faults_in_a_look(site) == []


def test_texts_of_the_picture_stay_in_their_boxes_with_the_fonts_of_this_machine(site: Page) -> None:
    """The widths that the layout reckons with are not smaller than the real ones."""
    for url in ways(site)[:5]:
        site.goto(url)
        over = site.evaluate(
            """() => [...document.querySelectorAll("svg.way .cell")].flatMap((cell) => {
                const box = cell.querySelector("rect").getBoundingClientRect();
                return [...cell.querySelectorAll("text")]
                    .filter((text) => text.getBoundingClientRect().right > box.right)
                    .map((text) => text.textContent);
            })"""
        )
        assert over == [], url


def test_the_picture_is_told_to_who_does_not_see_it(site: Page) -> None:
    site.goto(PARTS)
    picture = site.locator("svg.way")
    expect(picture).to_have_attribute("aria-label", re.compile("Always delivered: Parts on host2\\."))
    send = site.get_by_role("img", name="By OrderPartsRoute from AdventureWorks on headquarters to host2")
    send.focus()
    expect(send).to_be_focused()


def test_rules_stand_beside_their_text_and_a_phone_is_told_to_swipe(site: Page) -> None:
    hint = site.get_by_text("swipe it sideways")
    for width, beside in ((900, True), (390, False)):
        site.set_viewport_size({"width": width, "height": 900})
        site.goto(PARTS)
        rule, text = (site.locator(f".steps > li {one}").first.bounding_box() for one in (".rule", "> div"))
        assert rule
        assert text
        assert (rule["x"] + rule["width"] < text["x"] and rule["y"] < text["y"] + text["height"]) is beside
        expect(hint).to_be_visible(visible=not beside)
        chip = site.locator("details.return summary .chip").first.bounding_box()
        assert chip
        assert chip["width"] < 160
