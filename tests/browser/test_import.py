"""Importing in a real browser: from three scripts to a version, with the mouse, with keys, and without scripts."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import Page, expect

from brokerui.analysis.imports.import_job import run_do
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.analysis.imports.services import run_apply
from brokerui.core.jobs.models import Job, JobState
from brokerui.estate.models import Instance
from brokerui.estate.selectors import live_version
from tests.brokerui.analysis.imports.helpers import SHOP, THREE, previewed, uploaded
from tests.browser.conftest import faults_in_a_look

URL = "/imports/"
WRONG = SHOP.replace("tcp://depot:4022", "tcp://nobody:4022") + "CREATE ROUTE Bad WITH ADDRESS = @x;\n"


POLL_MS = 2_000
"""How often a page that waits for a worker looks again; the test lets its clock go on."""


def files(contents: dict[str, str]) -> Any:
    return [{"name": n, "mimeType": "text/plain", "buffer": text.encode()} for n, text in contents.items()]


def applied() -> None:
    run = previewed()
    run_apply(run=run, author="dba")
    run_do(run.pk)


def test_from_three_scripts_to_a_version(site: Page) -> None:
    site.goto(URL)
    site.get_by_label("Scripts, catalogs, documents").set_input_files(files(THREE))
    expect(site.locator("[data-files-list] li")).to_have_text(["shop.sql", "depot.sql", "office.sql"])
    site.get_by_role("button", name="Upload the files").click()
    expect(site.get_by_label("Instance of depot.sql", exact=True)).to_have_value("depot")
    site.get_by_role("button", name="Preview 3 files").click()
    expect(site.get_by_text("Into the empty estate: 3 instances")).to_be_visible()
    site.get_by_role("button", name=re.compile("Apply .* as version 1")).click()
    expect(site.get_by_text("Applied as version 1 by administrator.")).to_be_visible()
    site.locator(".fresh a").click()
    expect(site.get_by_role("rowheader", name="depot", exact=True)).to_be_visible()


def test_by_keys_alone(site: Page) -> None:
    applied()
    run = uploaded({"shop.sql": WRONG})
    site.goto(f"/imports/{run.pk}/")
    site.get_by_label("Instance of shop.sql", exact=True).focus()
    for _ in range(8):
        site.keyboard.press("Tab")
        if site.evaluate("document.activeElement.type") == "submit":
            break
    site.keyboard.press("Enter")
    button = site.get_by_role("button", name=re.compile("Apply .* as version 2"))
    expect(button).to_be_visible()
    expect(site.locator(".save-preview")).to_contain_text("1 worse")
    site.get_by_role("link", name=re.compile("Why before")).first.press("Enter")
    expect(site).to_have_url(re.compile("/where/.*as_of=1"))
    site.go_back()
    site.get_by_role("button", name=re.compile("Why after")).first.press("Enter")
    expect(site).to_have_url(re.compile("/where/.*scenario=import"))
    site.go_back()
    site.locator("#consent").press("Space")
    button.press("Enter")
    expect(site.get_by_text("Applied as version 2")).to_be_visible()
    assert live_version() == 2


def test_what_waits_for_a_worker_shows_when_it_is_done(site: Page, clock: Any) -> None:
    run = previewed()
    ImportRun.objects.update(state=ImportState.READING)
    Job.objects.update(state=JobState.RUNNING, stage="outcomes", done=10, total=20)
    clock.install()
    site.goto(f"/imports/{run.pk}/")
    expect(site.get_by_text("10 of 20 services")).to_be_visible()
    Job.objects.update(done=15)
    clock.fast_forward(POLL_MS)
    expect(site.get_by_text("15 of 20 services")).to_be_visible()
    ImportRun.objects.update(state=ImportState.PREVIEWED)
    clock.fast_forward(POLL_MS)
    expect(site.get_by_role("heading", name="What this import would change")).to_be_visible()


def test_too_many_files_are_told_at_once(site: Page, settings: Any) -> None:
    settings.IMPORT_MAX_FILES = 2
    site.goto(URL)
    site.get_by_label("Scripts, catalogs, documents").set_input_files(files(THREE))
    expect(site.get_by_role("alert")).to_contain_text("At most 2 files at a time")


def test_axe_finds_nothing_and_the_pages_never_scroll_sideways(site: Page) -> None:
    applied()
    Instance.objects.filter(name="shop").update(imported_at=timezone.now() - timedelta(days=99))
    run, other = previewed({"shop.sql": WRONG}), uploaded()
    for path in (URL, f"/imports/{run.pk}/", f"/imports/{other.pk}/"):
        site.goto(path)
        assert faults_in_a_look(site) == []
    ImportRun.objects.filter(pk=run.pk).update(state=ImportState.READING)
    Job.objects.filter(pk=run.job_id).update(state=JobState.RUNNING, stage="reading", done=1, total=2)
    site.goto(f"/imports/{run.pk}/")
    assert faults_in_a_look(site) == []
