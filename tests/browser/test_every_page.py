"""Every page of the site in a real browser, found by its address: in both themes, on a phone, under hostile names.

The addresses are those of the tests of security, which fail where one is missing. What a page shows in states of its
own, its own tests look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from playwright.sync_api import Page

from brokerui.accounts.levels import Role
from tests.brokerui.security.addresses import ADDRESSES, Address
from tests.brokerui.security.world import world_made
from tests.brokerui.site import signed_in
from tests.browser.conftest import NARROW, WIDE, faults_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def area(address: Address) -> str:
    """The kind of page for the tables; one area for all others, because their data take a while to make."""
    part, _, name = address.name.rpartition(":")
    return f"tables-{name.rpartition('_')[2]}" if part == "admin" else "others"


READ = sorted((one for one in ADDRESSES if one.has_page and not one.is_api), key=area)
AREAS = {name: tuple(members) for name, members in groupby(READ, key=area)}


def whole_pages(addresses: tuple[Address, ...], world: dict[str, Any]) -> Iterator[str]:
    """The paths that answer with a page: no file, no fragment, no way elsewhere."""
    client = signed_in(Role.ADMINISTRATOR)
    for address in addresses:
        answer = client.get(address.path(world))
        if answer.headers.get("Content-Type", "").startswith("text/html") and b"<!doctype html>" in answer.getvalue():
            yield address.path(world)


def looked_at(page: Page, path: str) -> list[str]:
    """Return the faults of a page."""
    page.goto(path)
    wrong = faults_in_each_look(page, WIDE)
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    if page.evaluate("document.documentElement.scrollWidth") > NARROW[0]:
        wrong.append(f"{page.url} scrolls sideways")
    if page.evaluate("document.querySelectorAll('h1').length") != 1:
        wrong.append(f"{page.url} has not one heading")
    return wrong


@pytest.mark.parametrize("name", AREAS)
def test_a_page_is_as_pages_are(site: Page, name: str) -> None:
    """`site` fails on foreign requests, on what the policy refuses, and on errors of scripts."""
    pages = list(whole_pages(AREAS[name], world_made()))
    assert [fault for path in pages for fault in looked_at(site, path)] == []


@pytest.mark.usefixtures("plain_files")
def test_there_are_pages_to_look_at() -> None:
    assert len(list(whole_pages(tuple(READ), world_made()))) > 50
