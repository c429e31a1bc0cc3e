"""The page of a run in a real browser: the flows are drawn, the table is a key away, both sides are readable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from brokerui.analysis.traffic.models import (
    Disagreement,
    Episode,
    Hop,
    Round,
    RoundState,
    Run,
    UnusedRoute,
    Waiting,
)
from brokerui.analysis.traffic.services import gold_load
from brokerui.core.jobs.models import Job, JobState
from tests.brokerui.analysis.traffic.golds import replayed
from tests.browser.conftest import NARROW, accessibility_faults, faults_in_each_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_replay_is_drawn_and_read(site: Page, tmp_path: Path) -> None:
    gold_load(str(replayed(tmp_path / "gold")))
    site.goto("/traffic/")
    site.locator("th a[id^=run-]").press("Enter")
    expect(site.locator("[data-drawn]")).to_be_visible()
    site.get_by_role("link", name="After").press("Enter")
    expect(site.get_by_role("link", name="After")).to_have_attribute("aria-current", "true")
    site.keyboard.press("Tab")
    expect(site.get_by_role("button", name="Table")).to_be_focused()
    expect(site.locator("[data-drawn]")).to_be_visible()
    site.keyboard.press("t")
    expect(site.locator("#flow-twin")).to_have_attribute("open", "")
    for scheme in ("light", "dark"):
        site.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type] - playwright names the schemes
        assert accessibility_faults(site) == []
    assert scrolled_tables(site) == []


SCROLLED = """() => [...document.querySelectorAll(".scroll:has(> table.lined)")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute("aria-label"))"""


def scrolled_tables(site: Page) -> list[str]:
    """The tables with a card of their own that are wider than a phone."""
    site.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    assert site.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    assert site.locator(".scroll > table.lined").count() > 1
    return list(site.evaluate(SCROLLED))


def test_the_rows_of_telemetry_fit_a_phone_and_its_menu_sorts_them(site: Page) -> None:
    run = a_run_of_telemetry()
    of, far = {"run": run, "instance": "host1"}, {"next_hop": "tcp://host2.example:4022", "expected": "host2"}
    for cause in (9792, 8459):
        times = {"began_at": BEGIN, "began_before": False, "milliseconds": cause}
        Episode.objects.create(**of, **times, conversation_handle="h", cause=cause, causes=[cause])
    UnusedRoute.objects.create(**of, database="Orders", route="ToParts", to_service="Stock", address=far["next_hop"])
    Hop.objects.create(**of, **far, span="hour", since=BEGIN, verdict="disagrees", predictions=1_500)
    message = {"conversation_id": f"{'5fb8' * 8}/i0", "number": 0, "told": ["host3"]}
    Disagreement.objects.create(**of, **far, **message, at=BEGIN)
    site.goto(f"/traffic/{run.pk}/")
    assert faults_in_each_look(site) == []
    assert scrolled_tables(site) == []
    causes = site.get_by_role("region", name="Table: Delays by cause").locator("tbody tr")
    expect(causes.first).to_contain_text("8459")
    card = site.locator("section[aria-labelledby=causes-title]")
    card.locator("summary").press("Enter")
    card.get_by_label("Sort by").select_option("-longest")
    card.get_by_role("button", name="Show").press("Enter")
    expect(causes.first).to_contain_text("9792")
    site.keyboard.press("Tab")  # the page begins at the table again
    expect(card.get_by_role("link", name="CSV")).to_be_focused()


LOOKS = ((1280, 900, "light"), (390, 844, "dark"))
"""Width, height and theme."""

MARK_STOP = """() => {
  const stop = document.activeElement, box = stop.getBoundingClientRect(), look = getComputedStyle(stop);
  if (stop === document.body || stop.dataset.stop) return null;
  stop.dataset.stop = "1";
  const isSeen = look.outlineStyle !== "none" && box.height > 1 && box.right > 0 && box.left < innerWidth
    && box.bottom > 0 && box.top < innerHeight;
  return `${isSeen ? "" : "unseen "}${stop.outerHTML.slice(0, 120)}`;
}"""
"""Marks the control that has the focus; None once Tab has left the page, or has come round."""

NOT_REACHED = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((one) => one.tabIndex >= 0 && !one.disabled && !one.dataset.stop)
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => one.outerHTML.slice(0, 120))"""


def keyboard_faults(site: Page) -> list[str]:
    """Go through the page by Tab: the stops that a user does not see, and the controls at which it never stops."""
    stops: list[str] = []
    for _ in range(150):
        site.keyboard.press("Tab")
        stop = site.evaluate(MARK_STOP)
        if stop is None:
            break
        stops.append(stop)
    assert len(stops) > 30
    return [stop for stop in stops if stop.startswith("unseen ")] + list(site.evaluate(NOT_REACHED))


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_control_of_traffic_is_reached_by_tab_and_seen(
    site: Page, tmp_path: Path, look: tuple[int, int, str]
) -> None:
    width, height, scheme = look
    site.set_viewport_size({"width": width, "height": height})
    site.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type] - playwright names the schemes
    run = gold_load(str(replayed(tmp_path / "gold"))).run
    for path in ("/traffic/", f"/traffic/{run.pk}/", f"/traffic/rounds/{failed_round().pk}/"):
        site.goto(path)
        assert keyboard_faults(site) == [], path
        assert site.evaluate("document.documentElement.scrollWidth") <= width


def test_a_menu_closes_when_tab_leaves_it(site: Page) -> None:
    """It would lie over the heads of the table, which come next."""
    a_run_of_telemetry()
    site.goto("/traffic/")
    menu = site.locator("details.columns")
    menu.locator("summary").press("Enter")
    menu.get_by_role("checkbox", name="Rows in").focus()
    menu.locator("form").click(position={"x": 2, "y": 2})
    expect(menu).to_have_attribute("open", "")
    menu.get_by_role("button", name="Show").focus()
    site.keyboard.press("Tab")
    expect(site.get_by_role("region", name="Table: Results")).to_be_focused()
    expect(menu).not_to_have_attribute("open", "")


BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def a_run_of_telemetry() -> Run:
    rest = {"seconds": 1, "rows_in": 1, "rows_out": 1, "quarantined": 0, "record": {}, "load_seconds": 1}
    return Run.objects.create(job="telemetry", folder="/x", digest="d", started_at=BEGIN, loaded_at=BEGIN, **rest)


def test_no_tick_of_three_days_stands_twice(site: Page) -> None:
    run = a_run_of_telemetry()
    of = {"run": run, "span": "hour", "instance": "host1", "error": 9793, "conversations": 1}
    for hour in range(72):
        Waiting.objects.create(**of, since=BEGIN + timedelta(hours=hour), conversations_max=hour % 7)
    site.goto(f"/traffic/{run.pk}/")
    expect(site.locator("[data-drawn]")).to_be_visible()
    ticks = site.locator(".xtick text").all_text_contents()
    assert len(ticks) > 2
    assert len(set(ticks)) == len(ticks), ticks


INGESTED = {"name": "ingest", "stage": "", "in": 1_351_473, "out": 1_351_466, "quarantined": 7, "seconds": 48.2}
ERROR = "/srv/brokerui/var/pipeline/history/version-000000012.json: route ToParts: address: must be tcp://HOST:PORT"
LINES = ["26/03/01 12:00:01 WARN TaskSetManager: Lost task 3.0 in stage 14.0", f"error: {ERROR}"]


def a_round(state: str, steps: list[dict[str, object]], error: str = "") -> Round:
    """A round with these jobs, as a worker writes it."""
    now = timezone.now()
    is_over = state == RoundState.FAILED
    about = {"kind": "round", "key": "pipeline", "requested_at": now, "due_at": now}
    claim = {"state": JobState.RUNNING, "claim": "a worker", "lapses_at": now + timedelta(hours=1)}
    job = Job.objects.create(**about, **({"state": JobState.FAILED} if is_over else claim))
    began = {"asked_at": now, "asked_by": "ann", "began_at": now, "ended_at": now if is_over else None}
    return Round.objects.create(state=state, job=job, steps=steps, error=error, log="\n".join(LINES), **began)


def failed_round() -> Round:
    """One whose second job failed, after which the third was done."""
    done = {"name": "telemetry", "stage": "", "in": 4_318, "out": 4_318, "quarantined": 0, "seconds": 31.0}
    broken = {"name": "route", "stage": "estates", "rows": 0, "seconds": 2.4, "error": ERROR}
    steps = [{**INGESTED, "is_done": True}, broken, {**done, "is_done": True}]
    return a_round(RoundState.FAILED, steps, ERROR)


def working_round() -> Round:
    """One whose third job is at work, after the second failed."""
    broken = {"name": "route", "stage": "estates", "rows": 0, "seconds": 2.4, "error": ERROR}
    working = {"name": "telemetry", "stage": "latencies", "rows": 20_117, "seconds": 12.5}
    return a_round(RoundState.RUNNING, [{**INGESTED, "is_done": True}, broken, working])


def test_a_round_says_once_beside_its_job_why_it_failed(site: Page) -> None:
    site.goto(f"/traffic/rounds/{failed_round().pk}/")
    fault = site.get_by_role("alert")
    expect(fault).to_have_text(ERROR)
    expect(site.locator(".phases .broken")).to_contain_text(ERROR)
    assert faults_in_each_look(site) == []
    site.get_by_role("region", name="Log").focus()
    assert site.evaluate("document.activeElement.className") == "log"


def test_a_round_at_work_shows_the_job_that_failed_and_the_one_that_runs(site: Page) -> None:
    site.goto(f"/traffic/rounds/{working_round().pk}/")
    expect(site.locator(".phases .broken .fault")).to_have_text(ERROR)
    expect(site.locator("[aria-current=step] progress")).to_be_visible()
    assert faults_in_each_look(site) == []
    site.get_by_role("button", name="Cancel round").press("Enter")
    expect(site.get_by_role("status").filter(has_text="cancelled")).to_be_visible()


@pytest.mark.parametrize("control", ["h2 a", "button", "a.button", ".log"])
def test_the_focus_stays_on_its_control_while_a_round_goes_on(site: Page, control: str) -> None:
    """The page asks every two seconds, and replaces the whole round."""
    a_run_of_telemetry()
    done = {**INGESTED, "is_done": True, "run": Run.objects.get().pk}
    site.goto(f"/traffic/rounds/{a_round(RoundState.RUNNING, [done]).pk}/")
    site.locator(f".round {control}").last.focus()
    site.evaluate("document.querySelector('.round').dataset.former = ''")
    expect(site.locator(".round:not([data-former])")).to_be_visible()
    expect(site.locator(f".round {control}").last).to_be_focused()
