"""The page of the REST interface and that of one's tokens, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, accessibility_faults, faults_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DOCS = "/api/v1/docs/"


def test_an_operation_opens_by_key_and_by_link_and_its_command_is_copied(site: Page, live_server: Any) -> None:
    site.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    site.goto(DOCS)
    summary = site.locator("#routes_add > summary")
    summary.press("Enter")
    expect(site.locator("#routes_add .command")).to_be_visible()
    expect(site).to_have_url(f"{live_server.url}{DOCS}#routes_add")
    site.locator("#routes_add").get_by_role("button", name="Copy as curl").click()
    copied = site.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("curl -X POST")
    assert f"{live_server.url}/api/v1/routes/" in copied
    site.reload()
    expect(site.locator("#routes_add .command")).to_be_in_viewport()


def test_a_token_is_made_used_and_revoked(site: Page, live_server: Any) -> None:
    site.goto(DOCS)
    site.get_by_label("Your account:").click()
    site.get_by_role("link", name="Tokens", exact=True).click()
    site.get_by_label("What it is for").fill("nightly export")
    site.keyboard.press("Enter")
    secret = site.locator(".secret").inner_text()
    headers = {"Authorization": f"Bearer {secret}"}
    estate = f"{live_server.url}/api/v1/estate/"
    assert site.request.get(estate, headers=headers).ok
    assert accessibility_faults(site) == []
    site.get_by_role("button", name="Revoke nightly export").click()
    expect(site.get_by_role("status")).to_have_text("Revoked: nightly export.")
    assert site.request.get(estate, headers=headers).status == 401


def test_axe_finds_nothing_in_operations_and_the_page_never_scrolls_sideways(site: Page) -> None:
    site.goto(DOCS)
    for operation in ("routes_add", "estate_import"):
        site.locator(f"#{operation} > summary").click()
    assert faults_in_each_look(site, NARROW) == []  # test_every_page looks at the wide one
