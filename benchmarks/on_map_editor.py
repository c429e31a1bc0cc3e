"""Frames a second and first paint of the map of a draft, in a browser; see `map_editor.py`."""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.test import Client
from django.test.testcases import LiveServerThread

from benchmarks.claims import claim, machine
from benchmarks.estates import furnished, large_estate
from brokerui.accounts.levels import Role
from brokerui.accounts.services import roles_ensure, user_create
from brokerui.changes.services import draft_create
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_from
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from scripts.browser import chromium

INSTANCES = 60
"""Each with two databases and two lines: 300 elements."""
FRAMES, PAINT_MS = 50, 1000
SECONDS, LOADS = 3.0, 5
SIZE = {"width": 1400, "height": 900}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")
COUNT = """() => { window.frames_seen = 0;
    const count = () => { window.frames_seen += 1; window.counting = requestAnimationFrame(count); };
    window.counting = requestAnimationFrame(count); window.began = performance.now(); }"""
COUNTED = """() => { cancelAnimationFrame(window.counting);
    return window.frames_seen * 1000 / (performance.now() - window.began); }"""
PAINTED = """() => new Promise((found) => new PerformanceObserver((list) => found([list.getEntries()[0].startTime,
    performance.getEntriesByType("navigation")[0].responseEnd])).observe({ type: "paint", buffered: true }))"""
PLACE = """() => document.querySelector("#canvas .sheet").style.transform
    + [...document.querySelectorAll("g.shape[transform], .overlay .drawn")].map((one) => one.outerHTML.slice(0, 300))"""


def measure() -> bool:
    """On the database of the environment, which is empty; whether every claim is kept."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - a tool of the tests

    print(machine())
    cookie, faults = _prepared(), list[str]()
    small = _draft(_mesh())
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with _served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium()), args=list(FLAGS))
        context = browser.new_context(base_url=url, viewport=SIZE)  # type: ignore[arg-type]  # a mapping of these two
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        kept = [_paint(page, "first paint of 300 elements", small), *_motion(page), _aggregated(page)]
        browser.close()
    assert not faults, faults
    print(machine())
    return all(kept)


# -- The site ----------------------------------------------------------------------------------------------
def _prepared() -> str:
    """The session of an administrator, in a database with nothing else."""
    settings.ALLOWED_HOSTS = ["localhost"]
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.CELERY_BROKER_URL = "memory://"
    call_command("migrate", interactive=False, verbosity=0)
    roles_ensure()
    user_create(name="admin", password="correct horse battery staple", role=Role.ADMINISTRATOR)
    client = Client()
    client.force_login(User.objects.get(username="admin"), backend="brokerui.accounts.backend.Backend")
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _mesh() -> Estate:
    """Instances with routes to others: 300 elements on the map."""
    instances = [_instance(number) for number in range(INSTANCES)]
    return read_estate(json.dumps({"format": "brokerui.estate/1", "hop_limit": 10, "instances": instances}))


def _instance(number: int) -> dict[str, Any]:
    ways = [(number * 7 + 3) % INSTANCES, (number * 11 + 5) % INSTANCES]
    routes = [
        {"name": f"To{way}", "remote_service_name": f"Service{way}", "address": f"tcp://s{way}:4022"} for way in ways
    ]
    local = {"name": "AutoCreatedLocal", "address": "LOCAL"}
    databases = [
        {"name": "Orders", "services": [f"Service{number}"], "routes": [local, *routes]},
        {"name": "msdb", "services": [], "routes": [local]},
    ]
    addresses = [f"tcp://s{number}:4022"]
    return {"name": f"s{number}", "addresses": addresses, "forwarding": False, "databases": databases}


def _draft(estate: Estate) -> int:
    """The number of a draft of this estate with one edit."""
    estate_import(estate=estate, author="benchmark")
    first = next(iter(estate.instances.values()))
    place = {"instance": first.name, "database": next(iter(first.databases))}
    route = {"name": "Drawn", "remote_service_name": "Drawn", "address": "LOCAL"}
    return draft_create(
        name="benchmark", author="admin", edits=edits_from([{"edit": "put_route", **place, "route": route}])
    ).id


@contextmanager
def _served() -> Iterator[str]:
    thread = LiveServerThread("localhost", StaticFilesHandler)
    thread.daemon = True
    thread.start()
    thread.is_ready.wait()
    assert thread.error is None, thread.error
    try:
        yield f"http://localhost:{thread.port}"
    finally:
        thread.terminate()


# -- Measuring ---------------------------------------------------------------------------------------------
def _paint(page: Any, what: str, draft: int) -> bool:
    """The median of several loads; the first one fills the caches of server and browser."""
    loads = []
    for _ in range(LOADS + 1):
        page.goto(f"/map/?draft={draft}")
        loads.append(page.evaluate(PAINTED))
    paints, answers = zip(*loads, strict=True)
    answer = statistics.median(answers[1:])
    peer = f"{answer:,.0f} ms of it until the answer was there; the first one {paints[0]:,.0f} ms"
    return claim(what, statistics.median(paints[1:]), PAINT_MS, "ms", peer)


def _frames(page: Any, what: str, act: Callable[[float], None]) -> bool:
    """Frames a second while `act` is called with the seconds since the beginning."""
    before = page.evaluate(PLACE)
    page.evaluate(COUNT)
    now = "() => (performance.now() - window.began) / 1000"
    while (since := page.evaluate(now)) < SECONDS:
        act(since)
    rate = page.evaluate(COUNTED)
    assert page.evaluate(PLACE) != before, f"{what}: nothing has moved"
    return claim(what, rate, FRAMES, "frames/s", at_least=True)


def _motion(page: Any) -> Iterator[bool]:
    """Pan, zoom, a moved box and a route that is drawn, with all 300 elements in view."""
    page.keyboard.press("f")
    page.wait_for_timeout(500)  # drawn sharply, once the picture rests
    yield claim("elements in view", page.locator("a.box, a.cell, path.line").count(), 300, "elements", at_least=True)
    pane = page.locator("#canvas").bounding_box()
    x, y = pane["x"] + 5, pane["y"] + pane["height"] / 2

    def circle(since: float) -> None:
        page.mouse.move(x + 200 + 120 * math.cos(3 * since), y + 120 * math.sin(3 * since))

    page.mouse.move(x, y)
    page.mouse.down()
    yield _frames(page, "pan", circle)
    page.mouse.up()
    page.keyboard.press("f")
    page.mouse.move(x + 400, y)
    yield _frames(page, "zoom by wheel", lambda since: page.mouse.wheel(0, 40 if since % 1 < 0.5 else -40))
    page.keyboard.press("f")
    page.wait_for_timeout(500)  # as above
    _press(page, 'g.shape[data-box="instance/s30"] a.box > rect.area', 3)
    yield _frames(page, "a box is moved", circle)
    page.keyboard.press("Escape")
    page.mouse.up()
    _press(page, 'g.handle[data-of="database/s31/Orders"] .ring')
    yield _frames(page, "a route is drawn", circle)
    page.keyboard.press("Escape")
    page.mouse.up()


def _press(page: Any, selector: str, down: float | None = None) -> None:
    """Press the mouse in the middle of something, or this many pixels below its top."""
    area = page.locator(selector).bounding_box()
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + (area["height"] / 2 if down is None else down))
    page.mouse.down()


def _aggregated(page: Any) -> bool:
    """A large estate opens added up, and the change of its draft is one link away."""
    draft = _draft(read_estate(json.dumps(furnished(large_estate()))))
    kept = _paint(page, "first paint of 50,000 routes, added up", draft)
    page.locator(".map-changed summary").click()
    page.locator(".map-changed a").first.click()
    page.locator("a.row.added").first.wait_for()
    return kept
