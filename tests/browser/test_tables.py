"""The tables in a real browser: findings while the user types, by keyboard, in both themes and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from brokerui.estate.cache import estates
from brokerui.estate.models import Database, Instance, Route
from brokerui.estate.selectors import estate_current
from tests.brokerui.estate.helpers import GUID, LOCAL, brought_in, estate_of, server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ESTATE = estate_of(
    server(
        "headquarters",
        {
            "name": "Orders",
            "broker_instance": GUID,
            "services": ["OrderEntry", {"name": "Returns", "queue": "dbo.ReturnQueue"}],
            "queues": [{"name": "dbo.ReturnQueue", "enabled": False}],
            "routes": [
                LOCAL,
                {"name": "ToParts", "remote_service_name": "OrderParts", "address": "tcp://branch.example:4022"},
                {"name": "ToNowhere", "remote_service_name": "Gone", "address": "tcp://gone.example:4022"},
            ],
        },
        {"name": "msdb", "routes": [LOCAL]},
        endpoint={"port": 4022},
    ),
    server(
        "branch",
        {
            "name": "Parts",
            "services": ["OrderParts"],
            "routes": [
                LOCAL,
                {"name": "Back", "remote_service_name": "OrderEntry", "address": "tcp://headquarters.example"},
            ],
        },
        {"name": "msdb", "routes": [LOCAL]},
    ),
)


@pytest.fixture(autouse=True)
def estate() -> Iterator[None]:
    estates.clear()
    brought_in(ESTATE)
    yield
    estates.clear()


def change(row: Any) -> str:
    return f"/tables/estate/{row._meta.model_name}/{row.pk}/change/"


def previewed(page: Page, value: str, act: Callable[[], object]) -> None:
    """Do this, and wait for the preview of the form with this value in a field.

    Before a save: SQLite in memory refuses what reads beside what writes.
    """

    def is_its_preview(answer: Response) -> bool:
        return "/preview/" in answer.url and value in (answer.request.post_data or "")

    with page.expect_response(is_its_preview):
        act()


def parts() -> Route:
    return Route.objects.get(name="ToParts")


def test_findings_follow_what_is_typed_and_are_asked_about_before_saving(site: Page) -> None:
    site.goto(change(parts()))
    address = site.get_by_label("address", exact=True).or_(site.locator("#id_address")).first
    address.fill("tcp://branch.example:5000")
    address.press("Tab")
    expect(site.locator("#id_address_error")).to_contain_text("wrong-port")
    expect(site.locator("#id_address_error")).to_contain_text("new with this change")
    expect(site.locator("#change-preview")).to_contain_text("Effect of the change")
    expect(address).to_have_attribute("aria-describedby", "id_address_helptext id_address_error")
    address.fill("nowhere")
    address.press("Tab")
    expect(site.locator("#id_address_error")).to_contain_text("must be LOCAL")
    expect(address).to_have_attribute("aria-invalid", "true")
    address.fill("tcp://gone.example")
    address.press("Tab")
    expect(site.locator("#id_address_error")).to_contain_text("unknown-address")
    address.fill("TCP://branch.example")
    address.press("Tab")
    expect(site.locator("#id_address_error")).to_be_empty()
    expect(site.locator("#change-preview")).to_contain_text("No conversation changes")
    assert estate_current().version == 1
    site.locator("#id_remote_service_name").fill("orderparts")
    previewed(site, "orderparts", lambda: site.keyboard.press("Tab"))
    site.get_by_role("button", name="Save route", exact=True).click()
    expect(site.get_by_role("alert")).to_contain_text("Nothing is saved yet")
    assert estate_current().version == 1
    site.locator("#consent").check()
    site.get_by_role("button", name="Save route", exact=True).click()
    expect(site.get_by_role("status")).to_contain_text("Saved ToParts: the estate is at version 2")


def test_a_route_by_keyboard_with_suggestions(site: Page) -> None:
    database = Database.objects.get(name="Parts")
    site.goto(f"/tables/estate/route/add/?database={database.pk}")
    expect(site.locator("#id_place")).to_have_value("branch/Parts")
    site.keyboard.press("/")
    expect(site.locator("#id_place")).to_be_focused()
    site.keyboard.press("Tab")
    site.keyboard.type("ToReturns")
    site.keyboard.press("Tab")
    site.keyboard.type("Ret")
    option = site.locator("#id_remote_service_name + datalist option").first
    expect(option).to_have_attribute("value", "Returns")
    site.keyboard.type("urns")
    site.keyboard.press("Tab")
    option = site.locator("#id_broker_instance + datalist option").first
    expect(option).to_have_attribute("label", "headquarters/Orders")
    site.keyboard.press("Tab")
    site.keyboard.type("tcp://headquarters.example")
    previewed(site, "headquarters.example", lambda: site.keyboard.press("Tab"))
    site.keyboard.press("Shift+Tab")
    site.keyboard.press("Enter")
    expect(site.get_by_role("status")).to_contain_text("Saved ToReturns")


def test_one_more_line(site: Page) -> None:
    site.goto(change(Instance.objects.get(name="branch")))
    site.locator("#id_addresses-1-address").fill("tcp://second")
    site.get_by_role("button", name="One more line").press("Enter")
    expect(site.locator("#id_addresses-2-address")).to_be_focused()
    site.keyboard.type("tcp://third")
    previewed(site, "third", lambda: site.keyboard.press("Tab"))
    site.get_by_role("button", name="Save and stay").click()
    expect(site.get_by_role("status")).to_contain_text("version 2")
    assert [one.text for one in estate_current().estate.instances["branch"].addresses][1:] == [
        "tcp://second",
        "tcp://third",
    ]


def test_many_rows_are_ticked_and_confirmed(site: Page) -> None:
    site.goto("/tables/estate/route/?for=named")
    for key in ("j", "x", "j", "j", "Shift+X"):
        site.keyboard.press(key)
    expect(site.get_by_text("3 rows selected")).to_be_visible()
    site.locator("#action-toggle").uncheck()
    site.locator("#action-toggle").check()
    expect(site.get_by_text("3 rows selected")).to_be_visible()
    site.get_by_role("button", name="Set lifetime…").click()
    expect(site.get_by_role("heading", level=1)).to_have_text("Set lifetime: 3 routes?")
    site.get_by_label("lifetime").fill("2035-01-01")
    site.get_by_role("button", name="Set lifetime: 3 routes").click()
    expect(site.get_by_role("status")).to_contain_text("3 rows; version 2")
    expect(site.get_by_text("expires 2035-01-01")).to_have_count(3)
