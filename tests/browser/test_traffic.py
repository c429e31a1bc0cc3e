"""The page of a run in a real browser: the flows are drawn, the table is a key away, both sides are readable."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from brokerui.analysis.traffic.services import gold_load
from tests.brokerui.analysis.traffic.golds import replayed
from tests.browser.conftest import NARROW, accessibility_faults

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_replay_is_drawn_and_read(site: Page, tmp_path: Path) -> None:
    gold_load(str(replayed(tmp_path / "gold")))
    site.goto("/traffic/")
    site.locator("th a[id^=run-]").press("Enter")
    expect(site.locator("[data-drawn]")).to_be_visible()
    site.get_by_role("link", name="After").press("Enter")
    expect(site.get_by_role("link", name="After")).to_have_attribute("aria-current", "true")
    expect(site.locator("[data-drawn]")).to_be_visible()
    site.keyboard.press("t")
    expect(site.locator("#flow-twin")).to_have_attribute("open", "")
    for scheme in ("light", "dark"):
        site.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type] - playwright names the schemes
        assert accessibility_faults(site) == []
    site.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert site.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
