"""Every page of the site in a real browser, found by its address: in both themes, on a phone, under hostile names.

The addresses are those of the tests of security, which fail where one is missing. What a page shows in states of its
own, its own tests look at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from brokerui.accounts.levels import Role
from brokerui.pages.tables.row_kinds import KINDS
from tests.brokerui.security.addresses import ADDRESSES, Address
from tests.brokerui.security.world import world_made
from tests.brokerui.site import signed_in
from tests.browser.conftest import NARROW, faults_in_a_look, scrolled_sideways
from tests.extent import IS_ALL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

READ = {address.name: address for address in ADDRESSES if address.has_page and not address.is_api}
ROWS = {
    f"tables:estate_{kind}_{view}": (number + turn) % 3
    for number, kind in enumerate(KINDS)
    for turn, view in enumerate(("changelist", "add", "change", "delete"))
}
"""Pages of the tables of an estate: the same markup for each kind of row, so `make test` looks at every third."""
AREAS = {
    "rows": [READ[name] for name, turn in ROWS.items() if IS_ALL or turn == 0],
    "others": [address for name, address in READ.items() if name not in ROWS],
}


LOOKED_AT = 0.5
"""Share of the pages at which `make test` looks with axe, others in each run: it opens all of them, and the tests of a
page look at its states."""


def whole_pages(addresses: list[Address], world: dict[str, Any]) -> Iterator[str]:
    """The paths that answer with a page: no file, no fragment, no way elsewhere."""
    client = signed_in(Role.ADMINISTRATOR)
    for address in addresses:
        answer = client.get(address.path(world))
        if answer.headers.get("Content-Type", "").startswith("text/html") and b"<!doctype html>" in answer.getvalue():
            yield address.path(world)


def looked_at(page: Page, path: str) -> list[str]:
    """Return the faults of a page."""
    page.goto(path)
    wrong = faults_in_a_look(page) if IS_ALL or random.random() < LOOKED_AT else scrolled_sideways(page, NARROW)
    if page.evaluate("document.querySelectorAll('h1').length") != 1:
        wrong.append(f"{page.url} has not one heading")
    return wrong


@pytest.mark.parametrize("name", AREAS)
def test_a_page_is_as_pages_are(site: Page, name: str) -> None:
    """`site` fails on foreign requests, on what the policy refuses, and on errors of scripts."""
    pages = list(whole_pages(AREAS[name], world_made()))
    assert len(pages) > 9
    assert [fault for path in pages for fault in looked_at(site, path)] == []
