"""The pages about messages at work in a real browser: they keep up, say so once, and are used by keys alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.accounts.levels import Role
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.services import Message, conversation_send
from tests.brokerui.messaging.conftest import client, lists, one_valkey, valkey, wire
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import nothing_counted, sampled, stuck
from tests.brokerui.site import reader_of_bodies
from tests.brokerui.staged.test_causes import expired_route, sent
from tests.brokerui.staged.world import hosted_with
from tests.browser.conftest import NARROW, accessibility_faults

__all__ = ["client", "lists", "nothing_counted", "one_valkey", "valkey", "wire"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DELAYED, QUEUES = "/delayed/", "/queues/"


POLL_MS = 3_000
"""Milliseconds between two polls of the page; tests let the clock of the page go on."""
IDLE_AFTER_MS = 120_000


def test_it_keeps_up_and_says_what_is_new_once(wire: Wire, site: Page, clock: Any) -> None:
    sampled(OfSample.WAITING_CONVERSATIONS, [0, 1, 2], error=9796)
    clock.install()
    site.goto(DELAYED)
    expect(site.locator("[data-headline]")).to_have_text("No conversation is delayed.")
    expect(site.locator("[data-drawn]")).to_be_visible()
    stuck(wire, "Nowhere", 2)
    clock.fast_forward(POLL_MS)
    expect(site.locator("[data-headline]")).to_contain_text("2 conversations are delayed")
    expect(site.locator("#live")).to_contain_text("2 conversations are delayed")
    before = site.locator("#chart-table tbody tr").count()
    sampled(OfSample.WAITING_CONVERSATIONS, [7], error=9793)
    clock.fast_forward(POLL_MS)
    expect(site.locator("#chart-table thead")).to_contain_text("service not found")
    assert site.locator("#chart-table tbody tr").count() == before
    expect(site.locator(".chart .annotation-text").filter(has_text="service not found")).to_be_attached()
    for scheme in ("light", "dark"):
        site.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type] - playwright names the schemes
        assert accessibility_faults(site) == []


def test_the_focus_stays_on_its_row_while_others_come_above_it(wire: Wire, site: Page, clock: Any) -> None:
    stuck(wire, "Nowhere")
    clock.install()
    site.goto(DELAYED)
    site.keyboard.press("j")
    row = "document.activeElement.closest('tr').textContent"
    assert "Nowhere" in site.evaluate(row)
    stuck(wire, "Elsewhere", 2)
    clock.fast_forward(POLL_MS)
    expect(site.locator("#live-piece tbody tr")).to_have_count(2)
    assert "Nowhere" in site.evaluate(row)
    site.keyboard.press("k")
    assert "Elsewhere" in site.evaluate(row)
    site.evaluate("document.documentElement.dataset.keys = 'off'")
    site.keyboard.press("j")
    assert "Elsewhere" in site.evaluate(row)


def test_it_polls_less_while_nobody_uses_it_and_at_once_when_somebody_is_back(
    wire: Wire, site: Page, clock: Any
) -> None:
    polls: list[str] = []
    site.on("request", lambda request: polls.append(request.url) if "hx-request" in request.headers else None)
    clock.install()
    site.goto(DELAYED)
    with site.expect_response("**/delayed/**"):
        clock.fast_forward(IDLE_AFTER_MS + POLL_MS)
    polls.clear()
    clock.fast_forward(POLL_MS)
    with site.expect_response("**/delayed/**"):
        site.keyboard.press("Shift")
    assert len(polls) == 1, "none for the first tick of the idle page, one for the key"
    with site.expect_response("**/delayed/**"):
        clock.fast_forward(POLL_MS)


def test_a_zoom_survives_what_is_new_until_the_whole_time_is_wanted(wire: Wire, site: Page, clock: Any) -> None:
    sampled(OfSample.TRANSMISSION_QUEUE, [3, 1, 2])
    clock.install()
    site.goto(QUEUES)
    expect(site.locator("[data-drawn]")).to_be_visible()
    shown = "() => document.querySelector('.chart').layout.xaxis.range.map(String)"
    whole = site.evaluate(shown)
    expect(site.get_by_role("button", name="Whole time")).to_be_hidden()
    box = site.locator(".chart .nsewdrag").first.bounding_box()
    assert box
    site.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    site.mouse.down()
    site.mouse.move(box["x"] + box["width"] - 5, box["y"] + 60, steps=5)
    site.mouse.up()
    expect(site.get_by_role("button", name="Whole time")).to_be_visible()
    zoomed = site.evaluate(shown)
    assert zoomed[0] > whole[0]
    sampled(OfSample.TRANSMISSION_QUEUE, [9], database="two", instance="B")
    clock.fast_forward(POLL_MS)
    expect(site.locator("#chart-table thead")).to_contain_text("B/two")
    expect(site.locator(".chart .annotation-text").filter(has_text="B/two").first).to_be_attached()
    assert site.evaluate(shown) == zoomed
    site.get_by_role("button", name="Whole time").click()
    expect(site.get_by_role("button", name="Whole time")).to_be_hidden()
    assert whole[0] <= site.evaluate(shown)[0] < zoomed[0]  # a minute may have begun since


def test_who_pauses_it_is_left_in_peace(wire: Wire, site: Page, clock: Any) -> None:
    clock.install()
    site.goto(DELAYED)
    with site.expect_request("**/delayed/"):
        clock.fast_forward(POLL_MS)
    site.get_by_role("button", name="Pause").press("Enter")
    expect(site.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    requests: list[str] = []
    site.on("request", lambda request: requests.append(request.url))
    clock.run_for(4 * POLL_MS)
    assert requests == []


def test_a_conversation_is_ended_by_keys_alone(wire: Wire, site: Page) -> None:
    stuck(wire, "Nowhere")
    site.goto(DELAYED)
    site.keyboard.press("j")
    site.keyboard.press("Enter")
    site.wait_for_url("**service=Nowhere**")
    site.locator("#groups-title").scroll_into_view_if_needed()
    for key in "jjx":
        site.keyboard.press(key)
    expect(site.locator("[name=handle]")).to_be_checked()
    site.locator("#rows-end").press("Enter")
    expect(site.get_by_role("heading", level=1)).to_have_text("End these conversations?")
    assert accessibility_faults(site) == []
    site.go_back()
    site.get_by_role("link", name="End…").press("Enter")
    expect(site.get_by_role("heading", level=1)).to_have_text("End the conversation?")
    assert accessibility_faults(site) == []
    site.get_by_role("button", name="End the conversation").press("Enter")
    expect(site.get_by_role("status")).to_have_text("The conversation is ended.")
    expect(site.locator("[data-headline]")).to_have_text("No conversation is delayed.")


def test_what_waits_is_tried_by_a_key_and_the_page_fits_a_phone(wire: Wire, site: Page) -> None:
    stuck(wire, "Nowhere")
    sampled(OfSample.TRANSMISSION_QUEUE, [3, 4], oldest_age_ms=200_000)
    site.goto(DELAYED)
    site.locator("#retry-1").focus()
    site.keyboard.press("Enter")
    expect(site.get_by_role("status")).to_have_text("Messages for Nowhere are being retried now.")
    site.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    for path in (DELAYED, QUEUES, f"{QUEUES}?instance=A&database=one"):
        site.goto(path)
        assert site.evaluate("document.documentElement.scrollWidth") <= NARROW[0], path


def test_the_table_is_a_key_away(wire: Wire, site: Page) -> None:
    sampled(OfSample.TRANSMISSION_QUEUE, [3, 4], oldest_age_ms=200_000)
    site.goto(QUEUES)
    expect(site.locator("[data-drawn]")).to_be_visible()
    site.keyboard.press("t")
    expect(site.locator("#chart-twin table")).to_be_visible()
    expect(site.locator("#chart-twin tbody tr")).to_have_count(2)


def test_without_scripts_it_is_all_there(wire: Wire, plain_site: Any) -> None:
    stuck(wire, "Nowhere")
    sampled(OfSample.TRANSMISSION_QUEUE, [3])
    plain_site.goto(QUEUES)
    expect(plain_site.locator("#chart-twin table")).to_be_visible()
    plain_site.goto(DELAYED)
    plain_site.get_by_role("button", name="Retry now").click()
    expect(plain_site.get_by_role("status")).to_have_text("Messages for Nowhere are being retried now.")


def test_a_remedy_of_the_overview_becomes_a_draft_that_shows_its_effect(lists: None, site: Page) -> None:
    network = hosted_with(expired_route)
    sent()
    network.settle()
    site.goto("/overview/")
    site.get_by_role("button", name="Draft the remedy").press("Enter")
    expect(site).to_have_url(re.compile(r"/changes/\d+/effect/$"))
    site.goto("/overview/")
    expect(site.locator("[data-headline]")).to_have_text("1 cause holds back 2 messages")  # a draft changes nothing


def test_the_overview_keeps_up_while_focus_stays_and_the_bar_of_every_page_shows_its_causes(
    wire: Wire, site: Page, clock: Any
) -> None:
    stuck(wire, "Nowhere")
    clock.install()
    site.goto("/overview/")
    expect(site.locator("[data-headline]")).to_have_text("1 cause holds back 1 message")
    expect(site.locator("[data-drawn]")).to_have_count(3)
    site.get_by_role("link", name="Delayed: Nowhere is not where").focus()
    stuck(wire, "Elsewhere", 2)
    clock.fast_forward(POLL_MS)
    expect(site.locator("[data-headline]")).to_have_text("2 causes hold back 3 messages")
    expect(site.locator("#live")).to_have_text("2 causes hold back 3 messages")
    expect(site.locator(".alerts")).to_contain_text("2 delayed")
    assert "Nowhere is not where" in site.evaluate("document.activeElement.textContent")
    expect(site.locator(".todo > li[id]")).to_have_count(1)
    site.get_by_role("button", name="1 new cause · Show").click()
    expect(site.locator(".todo > li[id]")).to_have_count(2)
    expect(site.locator(".todo > li[id]").filter(has_text="Elsewhere is not where")).to_have_count(1)
    expect(site.locator("#new-causes")).to_be_hidden()
    site.set_viewport_size({"width": 390, "height": 844})
    assert site.evaluate("document.documentElement.scrollWidth") == 390
    site.goto("/account/tokens/")
    site.locator(".alerts").press("Enter")
    expect(site).to_have_url("/overview/")


def test_a_body_is_shown_for_a_reason_by_keys_alone(wire: Wire, site: Page) -> None:
    """The page that asks, and the page that shows, hold in both themes and on a phone."""
    (handle,) = stuck(wire, "Nowhere")
    conversation_send(
        instance="A", handles=[handle], messages=[Message(b"<order><password>hunter2</password></order>")]
    )
    reader_of_bodies(Role.ADMINISTRATOR)
    site.goto(f"/conversations/{handle}/")
    site.get_by_role("link", name="Show the body of message 1").press("Enter")
    expect(site.get_by_role("heading", level=1)).to_have_text("Show the body of message 1?")
    assert accessibility_faults(site) == []
    site.get_by_label("Reason").fill("ticket 4711")
    site.keyboard.press("Enter")
    expect(site.get_by_role("heading", level=1)).to_have_text("Body of message 1")
    expect(site.locator("main")).not_to_contain_text("hunter2")
    for scheme in ("light", "dark"):
        site.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type] - playwright names the schemes
        assert accessibility_faults(site) == []
    site.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert site.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert accessibility_faults(site) == []
    site.locator("#body-unmask").press("Enter")
    expect(site.locator("main")).to_contain_text("hunter2")
