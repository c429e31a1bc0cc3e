"""The page of an estate that is being read: accessible, and replaced by the requested page when it is ready."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from brokerui.core import deferred, errors
from brokerui.demo.services import demo_load
from brokerui.estate import selectors
from brokerui.estate.cache import estates
from tests.browser.conftest import NARROW, WIDE, accessibility_faults

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """What a thread would do, once the test lets it."""
    found: dict[Any, Any] = {}
    monkeypatch.setattr(deferred, "_begin", found.setdefault)
    monkeypatch.setattr(selectors, "LONG", 0)
    monkeypatch.setattr(errors, "RETRY_AFTER_S", 1)
    return found


def eventually_there(page: Page, works: dict[Any, Any]) -> None:
    """The works are done, those too that only turn up when others are."""
    waiting = page.get_by_role("heading", name="This estate is being read")
    for _ in range(150):
        for work in tuple(works.values()):
            work()
        if waiting.count() == 0:
            return
        page.wait_for_timeout(100)  # the page asks again by itself
    expect(waiting).to_have_count(0)


def test_the_page_says_so_and_then_is_what_was_asked_for(
    site: Page, works: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "RETRY_AFTER_S", 600)
    demo_load()
    estates.clear()
    for scheme, (width, height) in (("light", WIDE), ("dark", NARROW)):
        site.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] - playwright names the schemes
        site.set_viewport_size({"width": width, "height": height})
        site.goto("/map/?select=instance/shop")
        expect(site.get_by_role("heading", name="This estate is being read")).to_be_visible()
        assert accessibility_faults(site) == []
        assert site.evaluate("document.documentElement.scrollWidth") <= width
    monkeypatch.setattr(errors, "RETRY_AFTER_S", 1)
    site.reload()
    eventually_there(site, works)
    assert site.url.endswith("/map/?select=instance/shop")


def test_without_scripts_too(plain_site: Page, works: dict[Any, Any]) -> None:
    demo_load()
    estates.clear()
    plain_site.goto("/routes/")
    expect(plain_site.get_by_role("heading", name="This estate is being read")).to_be_visible()
    eventually_there(plain_site, works)
    expect(plain_site.get_by_role("heading", name="Routes", exact=True)).to_be_visible()
