"""What the tests in a real browser share: the site on a port, and an eye on everything that it asks for."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit
from zlib import crc32

import pytest
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, expect
from pytest_django.live_server_helper import LiveServer

from brokerui.accounts.levels import Role
from tests.brokerui.site import plain_and_quick, signed_in
from tests.browser.server import AXE_PATH, RestingThread
from tests.extent import IS_ALL

WIDE, NARROW, MIDDLE = (1440, 1010), (390, 844), (1024, 768)
# The console's word for a page that answered 404, 422 or 500, which tests cause on purpose.
EXPECTED = "Failed to load resource: the server responded with a status of"

# What the first page of the shared window shows: a file that asks for no others.
KEPT_PAGE = "/static/css/tokens.css"

# The longest wait for a page: what three pages take on two slow cores. A page that is ready earlier waits no longer.
expect.set_options(timeout=20_000)
POLLED_WITHIN_S = 60
"""Seconds within which a live page polls, on a slow machine too."""


@pytest.fixture(scope="package", autouse=True)
def quick_site() -> Iterator[None]:
    """Every test here may sign in, and gets files that are not collected."""
    with plain_and_quick():
        yield


@pytest.fixture(scope="session")
def live_server(request: pytest.FixtureRequest) -> Iterator[LiveServer]:
    """Serve the site for all tests of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.test.testcases.LiveServerThread", RestingThread)
        server = LiveServer(request.config.getoption("liveserver") or "localhost")
    yield server
    server.stop()


@pytest.fixture(scope="package", autouse=True)
def reading_locks_nothing() -> Iterator[None]:
    """Let the server write while a page reads the same table: beside a reader with a connection of its own, SQLite in
    memory refuses the writer at once, where a file keeps both."""

    def let_write(connection: BaseDatabaseWrapper, **_: object) -> None:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA read_uncommitted = 1")

    connection_created.connect(let_write)
    yield
    connection_created.disconnect(let_write)


@pytest.fixture
def answered(live_server: LiveServer, transactional_db: None) -> Iterator[None]:
    """The tables are emptied only once the server has answered what the pages of the test had asked for."""
    yield
    live_server.thread.httpd.rest()


@pytest.fixture
def browser_context_args(
    browser_context_args: dict[str, Any], live_server: LiveServer, answered: None
) -> dict[str, Any]:
    """So that tests say `page.goto("/scenarios/")`."""
    return {**browser_context_args, "base_url": live_server.url}


@pytest.fixture(scope="session")
def shared_context(browser: Browser, live_server: LiveServer) -> BrowserContext:
    """One window for all tests of this process: it keeps the static files, and its first page the process of pages."""
    context = browser.new_context(base_url=live_server.url)
    context.new_page().goto(KEPT_PAGE)
    return context


RECORDED = ("--screenshot", "--tracing", "--video")


@pytest.fixture
def context(request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """The window of a test: one of its own where it sets the clock, or where something is recorded."""
    is_recorded = any(request.config.getoption(option) != "off" for option in RECORDED)
    if is_recorded or "clock" in request.fixturenames:
        yield request.getfixturevalue("new_context")()
        return
    request.getfixturevalue("answered")
    shared = request.getfixturevalue("shared_context")
    yield shared
    _as_new(shared)


def _as_new(context: BrowserContext) -> None:
    """Leave nothing of a test in the window but the static files."""
    first, *others = context.pages
    for page in others:
        with suppress(Error):  # it may be between two documents
            page.evaluate("window.stop()")  # Chromium may never close a page that is still loading
        page.close()
    context.clear_cookies()
    context.clear_permissions()
    first.evaluate("localStorage.clear()")


@pytest.fixture
def clock(page: Page) -> Any:
    """The clock of the page, which a test sets: no other test could have its window, where it is set for good."""
    return page.clock


@pytest.fixture
def site(page: Any, live_server: Any) -> Iterator[Any]:
    """The page of a browser, watched; signed in as an administrator.

    The test fails if anything was asked of another origin, if the policy had to refuse something, or if
    a script failed.
    """
    page.context.add_cookies([session_of(Role.ADMINISTRATOR, live_server.url)])
    requests: list[str] = []
    log_lines: list[str] = []

    def note(request: Request) -> None:
        requests.append(request.url)

    page.context.on("request", note)
    page.on("pageerror", lambda error: log_lines.append(str(error)))
    page.on("console", lambda message: log_lines.append(message.text) if message.type == "error" else None)
    yield page
    page.context.remove_listener("request", note)
    ours = urlsplit(live_server.url).netloc
    assert [url for url in requests if urlsplit(url).netloc != ours] == []
    assert [text for text in log_lines if not text.startswith(EXPECTED)] == []


@pytest.fixture
def plain_site(new_context: Any, live_server: Any, answered: None) -> Any:
    """The page of a browser that runs no scripts; signed in as an administrator."""
    context = new_context(java_script_enabled=False)
    context.add_cookies([session_of(Role.ADMINISTRATOR, live_server.url)])
    return context.new_page()


def between_polls(page: Any, work: Callable[[], object]) -> None:
    """Work on the database while the page waits for an answer: SQLite in memory refuses a writer beside another one."""
    held: list[Any] = []

    def hold(request: Any) -> None:
        held.append(request)

    page.route("**/*", hold)
    end = time.monotonic() + POLLED_WITHIN_S
    while not held:
        assert time.monotonic() < end, f"no poll within {POLLED_WITHIN_S} s: {page.url}"
        page.wait_for_timeout(20)  # lets Playwright call `hold`
    work()
    page.unroute("**/*", hold)


def session_of(role: Role, url: str) -> Any:
    """The cookie of a user who has this role."""
    value = signed_in(role).cookies[settings.SESSION_COOKIE_NAME].value
    return {"name": settings.SESSION_COOKIE_NAME, "value": value, "url": url}


FAULTS = """async ([path, rules, without]) => (await import(path), await axe.run({
    ...(rules && {runOnly: rules}), rules: Object.fromEntries(without.map((rule) => [rule, {enabled: false}])),
    resultTypes: ["violations"], selectors: false, preload: false,
})).violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`))"""
"""What axe finds on the page as it stands. It asks for no style sheets again: no rule that is on needs their text.

The page imports axe from its own site once. The browser keeps the file; to send it to each page took as long as to look
by all rules but one."""

CONTRAST: Final = ("color-contrast",)
MEASURED: Final = 1 if IS_ALL else 1 / 3
"""Share of the looks by all rules that measure contrast, others in each run: it takes two thirds of axe's time, and a
colour is that of its theme in many states."""
Size = tuple[int, int]
THEMES = ("light", "dark")


def faults_in_each_look(page: Any, *sizes: Size) -> list[str]:
    """What keeps a reader out of the page as it stands, at each size and in both themes. Ends light.

    `make test` looks once at each size, in the themes by turns, and at half of the pages the other way round. It
    measures contrast at the first size alone, and not in every look (`MEASURED`).
    """
    found = []
    for number, size in enumerate(sizes or (NARROW, WIDE), turn_of(page)):
        if IS_ALL:
            found += faults_in_look(page, size, "light") + faults_in_look(page, size, "dark", CONTRAST)
        else:
            is_first = size == (sizes or (NARROW, WIDE))[0]
            found += faults_in_look(page, size, THEMES[number % 2], without=() if is_first else CONTRAST)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return found


def faults_in_a_look(page: Any) -> list[str]:
    """The same in one of the four looks, another one for the next page; `make test-all` looks at all four.

    It is for pages that are many and alike.
    """
    if IS_ALL:
        return faults_in_each_look(page)
    turn = turn_of(page)
    first, last = (NARROW, WIDE)[:: 1 if turn % 4 < 2 else -1]
    found = (
        scrolled_sideways(page, first) + scrolled_sideways(page, MIDDLE) + faults_in_look(page, last, THEMES[turn % 2])
    )
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return found


def turn_of(page: Any) -> int:
    """A number that differs page by page, and is the same in each run, whatever identifiers stand in the address."""
    words = re.split(r"\W", f"{page.url} {page.title()}")
    return crc32(" ".join(filter(str.isalpha, words)).encode())


def faults_in_look(
    page: Any, size: Size, theme: Any, rules: Sequence[str] | None = None, without: Sequence[str] = ()
) -> list[str]:
    """What axe finds at this size in this theme; a page that scrolls sideways is one more fault."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    sideways = scrolled_sideways(page, size)
    faults = accessibility_faults(page, rules, without)
    return sideways + [f"{page.url} at {size[0]}, {theme}: {fault}" for fault in faults]


OUT_OF_REACH = """() => [...document.querySelectorAll(
  "main :is(button, summary, a.button, td a, th a, li a)",
)].filter((act) => {
  const box = act.getBoundingClientRect();
  if (!act.checkVisibility({visibilityProperty: true}) || !box.width || act.closest(".picture, .unseen")) return false;
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  for (let one = act.parentElement; one; one = one.parentElement) if (scrolls(one)) return false;
  return box.right > document.documentElement.clientWidth + 1 || box.left < -1;
}).map((act) => act.outerHTML.slice(0, 120))"""
"""Acts beside the viewport that no scroll region of the page leads to. The map is moved, and is none."""


def scrolled_sideways(page: Any, size: Size) -> list[str]:
    """Return a fault where the page scrolls sideways at this width, and one for each act that is out of reach."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    is_wider = page.evaluate("document.documentElement.scrollWidth") > size[0]
    hidden = [f"{page.url} at {size[0]}, out of reach: {act}" for act in page.evaluate(OUT_OF_REACH)]
    return [*hidden, *([f"{page.url} at {size[0]} scrolls sideways"] if is_wider else [])]


def accessibility_faults(page: Any, rules: Sequence[str] | None = None, without: Sequence[str] = ()) -> list[str]:
    """What axe finds on the page as it stands by all its rules, by these, or without some; a line for each element."""
    if rules is None and random.random() >= MEASURED:
        without = (*without, *CONTRAST)
    return list(page.evaluate(FAULTS, [AXE_PATH, rules and list(rules), list(without)]))
