"""Every page of the site in a real browser, found by its address: in both themes, on a phone, under hostile names.

The addresses are those of the tests of security, which fail where one is missing. What a page shows in states of its
own, its own tests look at.
"""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Error, Page

from tests.brokerui.security.addresses import ADDRESSES, is_of_rows, is_opened
from tests.brokerui.security.world import world_made
from tests.browser.conftest import NARROW, faults_in_a_look, scrolled_sideways
from tests.extent import IS_ALL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

READ = [one for one in ADDRESSES if one.has_page and not one.is_api and (IS_ALL or is_opened(one))]
AREAS = {
    "rows": [address for address in READ if is_of_rows(address)],
    "others": [address for address in READ if not is_of_rows(address)],
}


LOOKED_AT = 0.125
"""Share of the pages at which `make test` looks with axe, others in each run: it opens all of them, and the tests of a
page look at its states."""


DOWNLOADED = "Download is starting"
"""Playwright's words for an address that answers with a file."""


def is_opened_as_page(page: Page, path: str) -> bool:
    """Open the address; return whether it answers with a page: no file, no fragment, no way elsewhere."""
    try:
        answer = page.goto(path)
    except Error as error:
        if DOWNLOADED not in error.message:
            raise
        return False
    assert answer is not None
    assert answer.status < 500, path
    kind = answer.headers.get("content-type", "")
    is_html = kind.startswith("text/html") and answer.request.redirected_from is None
    return is_html and bool(page.evaluate("document.doctype !== null"))


def faults_of(page: Page) -> list[str]:
    """Return the faults of the page that is open."""
    wrong = faults_in_a_look(page) if IS_ALL or random.random() < LOOKED_AT else scrolled_sideways(page, NARROW)
    if page.evaluate("document.querySelectorAll('h1').length") != 1:
        wrong.append(f"{page.url} has not one heading")
    return wrong


@pytest.mark.parametrize("name", AREAS)
def test_a_page_is_as_pages_are(site: Page, name: str) -> None:
    """`site` fails on foreign requests, on what the policy refuses, and on errors of scripts."""
    world = world_made()
    paths = [address.path(world) for address in AREAS[name]]
    faults = {path: faults_of(site) for path in paths if is_opened_as_page(site, path)}
    assert len(faults) > 9
    assert [fault for found in faults.values() for fault in found] == []
