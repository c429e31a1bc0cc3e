"""The page of a run in a real browser: the flows are drawn, the table is a key away, both sides are readable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from brokerui.analysis.traffic.models import Run, Waiting
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


def test_no_tick_of_three_days_stands_twice(site: Page) -> None:
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    rest = {"seconds": 1, "rows_in": 1, "rows_out": 1, "quarantined": 0, "record": {}, "load_seconds": 1}
    run = Run.objects.create(job="telemetry", folder="/x", digest="d", started_at=begin, loaded_at=begin, **rest)
    of = {"run": run, "span": "hour", "instance": "host1", "error": 9793, "conversations": 1}
    for hour in range(72):
        Waiting.objects.create(**of, since=begin + timedelta(hours=hour), conversations_max=hour % 7)
    site.goto(f"/traffic/{run.pk}/")
    expect(site.locator("[data-drawn]")).to_be_visible()
    ticks = site.locator(".xtick text").all_text_contents()
    assert len(ticks) > 2
    assert len(set(ticks)) == len(ticks), ticks
