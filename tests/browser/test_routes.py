"""The tables of routes and of findings in a real browser: by keys, in both themes, on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from brokerui.analysis.lint import selectors
from brokerui.core import celery_wake
from brokerui.core.jobs import wake as job_wake
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.tasks import jobs_run
from tests.brokerui.analysis.lint.helpers import live
from tests.browser.conftest import between_polls, faults_in_a_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _nobody_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    selectors._found_small.clear()
    selectors._found_large.clear()
    for module in (celery_wake, job_wake):
        monkeypatch.setattr(module, "wake", lambda task: False)


def test_routes_by_keyboard_alone(site: Page) -> None:
    live()
    site.goto("/routes/")
    site.keyboard.press("/")
    expect(site.get_by_label("Filter", exact=True)).to_be_focused()
    site.keyboard.type("database:Sales -name:Auto*")
    site.keyboard.press("Enter")
    site.wait_for_url("**q=database*")
    expect(site.locator("[data-row]")).to_have_count(4)
    site.locator("body").focus()
    site.keyboard.press("j")
    expect(site.get_by_role("link", name="OldRoute")).to_be_focused()
    site.keyboard.press("j")
    site.keyboard.press("k")
    site.keyboard.press("Enter")
    panel = site.locator("[data-panel]")
    expect(panel).to_contain_text("It is ignored: no conversation uses it.")
    expect(site.locator("[data-row][aria-current]")).to_contain_text("OldRoute")
    expect(site.locator("#panel-title")).to_be_focused()
    assert "select=route%2Fhub%2FSales%2FOldRoute" in site.url
    site.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(site.get_by_role("link", name="OldRoute")).to_be_focused()
    assert "select=" not in site.url
    site.keyboard.press("j")
    site.keyboard.press("Enter")
    expect(panel).to_contain_text("no instance of this estate listens there")
    site.go_back()
    expect(panel).to_have_count(0)


def test_findings_are_marked_and_answered_for_by_keyboard(site: Page) -> None:
    live()
    site.goto("/findings/")
    expect(site.get_by_role("region", name="Answer")).to_contain_text("certainly")
    site.keyboard.press("j")
    site.keyboard.press("x")
    expect(site.get_by_role("checkbox").first).to_be_checked()
    site.get_by_role("button", name="Suppress the marked findings…").press("Enter")
    site.get_by_label("Why it is suppressed").fill("a test")
    site.get_by_label("Why it is suppressed").press("Enter")
    expect(site.get_by_role("status")).to_contain_text("1 finding is suppressed.")
    site.get_by_role("link", name="1 suppressed").click()
    expect(site.get_by_role("row")).to_have_count(2)


def test_findings_arrive_by_themselves(site: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    live()
    monkeypatch.setattr(selectors, "SMALL", 0)
    site.goto("/findings/")
    expect(site.get_by_role("status")).to_contain_text("This estate is being checked.")
    assert Job.objects.count() == 1
    between_polls(site, jobs_run)
    expect(site.get_by_role("region", name="Answer")).to_contain_text("certainly")


def test_nothing_keeps_anybody_out(site: Page) -> None:
    live()
    for url in (
        "/routes/?select=route/hub/Sales/ToAudit&sort=-lifetime",
        "/routes/?q=colour:red",
    ):
        site.goto(url)
        assert faults_in_a_look(site) == []
