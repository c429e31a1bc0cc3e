"""The effect of a draft in a real browser: the line that says it, and the page with both ways of each row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from brokerui.analysis.effect import effect as effects
from brokerui.analysis.effect.background import COMPARISON
from brokerui.analysis.effect.comparison import EffectComparison
from brokerui.analysis.effect.effect import forget
from brokerui.changes.models import SavedDraft
from brokerui.changes.services import draft_create
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_from
from tests.browser.conftest import NARROW, WIDE, between_polls, faults_in_each_look, faults_in_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOP, OFFICE = {"instance": "shop", "database": "Orders"}, {"instance": "office", "database": "Ledger"}
POST = {"name": "PostRoute", "remote_service_name": "//example/ledger/Post", "address": "tcp://office.example:4022"}


@pytest.fixture
def by_a_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no request compare anything; forget a worker's result afterwards, as the database does."""
    forget()
    monkeypatch.setattr(effects, "QUICK_S", 0)
    monkeypatch.setattr(EffectComparison, "_compare", lambda _comparison, _seconds: None)
    yield
    forget()


def drafted() -> SavedDraft:
    """A draft that corrects a port, and drops the way on which Ledger gets its routes and that of the labels."""
    estate_import(estate=scenario_get("three-servers"), author="import")
    edits = [
        {"edit": "put_route", **SHOP, "route": POST},
        {"edit": "drop_route", **SHOP, "name": "LabelsAtDepot"},
        {"edit": "drop_route", **OFFICE, "name": "AskForRoutes"},
    ]
    return draft_create(name="Mend the faults", author="ada", edits=edits_from(edits))


def test_the_effect_is_seen_with_both_ways(site: Page) -> None:
    draft = drafted()
    site.goto(f"/changes/{draft.id}/effect/")
    expect(site.locator("h1")).to_contain_text(re.compile(r"kinds? of conversation gets? worse"))
    assert faults_in_each_look(site) == []
    site.locator(".effect-table [data-row-link]").first.click()
    expect(site.locator(".effect-ways svg.of-way")).to_have_count(2)
    expect(site).to_have_url(re.compile("row="))
    before, after = site.get_by_role("region", name="The map before"), site.get_by_role("region", name="The map after")
    site.set_viewport_size({"width": 390, "height": 844})
    assert after.bounding_box()["y"] > before.bounding_box()["y"], "one below the other where there is no room"
    before.evaluate("map => map.scrollTo(60, 0)")
    expect(after).to_have_js_property("scrollLeft", 60)
    assert faults_in_each_look(site) == []


def test_rows_are_walked_and_opened_by_keys(site: Page) -> None:
    site.goto(f"/changes/{drafted().id}/effect/")
    site.keyboard.press("j")
    site.keyboard.press("j")
    site.keyboard.press("Enter")
    opened = site.locator("tr.open")
    expect(opened).to_have_count(1)
    expect(site.locator(".effect-ways figure")).to_have_count(2)
    assert opened.evaluate("row => [...row.parentNode.querySelectorAll('[data-row]')].indexOf(row)") == 1


def test_why_leads_to_the_answer_before_and_after(site: Page) -> None:
    draft = drafted()
    site.goto(f"/changes/{draft.id}/effect/?show=worse")
    site.locator(".effect-table [data-row-link]").first.click()
    site.get_by_role("link", name="Why after").click()
    expect(site).to_have_url(re.compile(rf"/where/\?draft={draft.id}&"))
    site.go_back()
    site.get_by_role("link", name="Why before").click()
    expect(site).to_have_url(re.compile(r"/where/\?as_of=1&"))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_line_says_what_the_draft_does_and_keeps_its_height(site: Page, size: tuple[int, int]) -> None:
    draft = drafted()
    site.set_viewport_size({"width": size[0], "height": size[1]})
    site.goto(f"/changes/{draft.id}/")
    line = site.locator("#effect-line")
    expect(line).to_have_attribute("data-state", "settled")
    expect(line).to_contain_text("worse")
    assert line.bounding_box()["height"] == 62  # type: ignore[index]  # it is seen
    assert faults_in_each_look(site, size) == []


@pytest.mark.usefixtures("by_a_worker")
def test_each_state_of_a_comparison_in_the_background_can_be_read(site: Page) -> None:
    """It looks at six pages in both themes, and between two questions of a page the job goes on."""
    draft, jobs = drafted(), Job.objects.filter(kind=COMPARISON)
    running = {"state": JobState.RUNNING, "started_at": timezone.now(), "done": 3, "total": 9}
    page, line = site.locator("#effect"), site.locator("#effect-line")
    site.goto(f"/changes/{draft.id}/effect/")
    expect(page).to_contain_text("A worker will compare them in the background.")
    assert faults_in_both_themes(site) == []
    between_polls(site, lambda: jobs.update(**running, lapses_at=timezone.now() + timedelta(minutes=5)))
    expect(page).to_contain_text("3 of 9 targets")
    expect(page.get_by_role("progressbar", name="Targets compared")).to_have_attribute("value", "3")
    assert faults_in_both_themes(site) == []
    site.goto(f"/changes/{draft.id}/")
    expect(line).to_contain_text("3 of 9 targets compared")
    assert faults_in_both_themes(site) == []
    between_polls(site, lambda: jobs.update(state=JobState.FAILED, ended_at=timezone.now(), error="Disk full"))
    expect(line).to_have_attribute("data-state", "stopped")
    assert faults_in_both_themes(site) == []
    line.get_by_role("link", name="See why").click()
    expect(page).to_contain_text("The background job failed.")
    expect(page).to_contain_text("Disk full")
    assert faults_in_both_themes(site) == []
    jobs.update(state=JobState.CANCELLED, error="", cancelled_by="ada")
    site.reload()
    expect(page).to_contain_text("The background job was cancelled.")
    assert faults_in_both_themes(site) == []
    page.get_by_role("button", name="Try again").click()
    expect(site).to_have_url(re.compile(rf"/changes/{draft.id}/effect/$"))
    jobs_run()
    site.reload()
    expect(site.locator("h1")).to_contain_text(re.compile("gets? worse"))


@pytest.mark.usefixtures("by_a_worker")
def test_the_previews_of_apply_and_rollback_follow_the_background_job(site: Page, settings: Any) -> None:
    settings.CHANGES_APPROVAL = "none"
    draft = drafted()
    site.goto(f"/changes/{draft.id}/review/")
    preview, rollback = site.locator("#apply-effect"), site.locator("#rollback-effect")
    expect(preview).to_contain_text("Still counting")
    site.locator("#minutes").fill("7")
    between_polls(site, jobs_run)
    expect(preview).to_contain_text(re.compile("I have seen the .* kinds of conversation that get worse"))
    expect(site.locator("#minutes")).to_have_value("7")
    preview.get_by_role("checkbox").check()
    site.get_by_role("button", name="Apply 3 edits").click()
    expect(site.get_by_role("heading", name="Applied as version 2")).to_be_visible()
    expect(rollback).to_contain_text("Still counting")
    site.get_by_label("Why it is rolled back").fill("No longer wanted")
    between_polls(site, jobs_run)
    expect(rollback).not_to_contain_text("Still counting")
    expect(site.get_by_label("Why it is rolled back")).to_have_value("No longer wanted")
    rollback.get_by_role("checkbox").check()
    site.get_by_role("button", name="Roll back").click()
    expect(site.get_by_role("heading", name="Rolled back with version 3")).to_be_visible()


def faults_in_both_themes(page: Page) -> list[str]:
    """All that axe finds in the light, and wrong colours in the dark."""
    return faults_in_look(page, WIDE, "light") + faults_in_look(page, WIDE, "dark", ["color-contrast"])
