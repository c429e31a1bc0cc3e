"""What the tests in a real browser share: the site on a port, and an eye on everything that it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from playwright.sync_api import expect

from brokerui.accounts.levels import Role
from tests.brokerui.site import plain_files, quick_passwords, signed_in

__all__ = ["plain_files", "quick_passwords"]

WIDE, NARROW = (1440, 1010), (390, 844)
# The console's word for a page that answered 404, 422 or 500, which tests cause on purpose.
EXPECTED = "Failed to load resource: the server responded with a status of"

# The longest wait for a page: what three pages take on two slow cores. A page that is ready earlier waits no longer.
expect.set_options(timeout=20_000)


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any], live_server: Any) -> dict[str, Any]:
    """So that tests say `page.goto("/scenarios/")`."""
    return {**browser_context_args, "base_url": live_server.url}


@pytest.fixture
def site(page: Any, live_server: Any, plain_files: None, quick_passwords: None) -> Iterator[Any]:
    """The page of a browser, watched; signed in as an administrator.

    The test fails if anything was asked of another origin, if the policy had to refuse something, or if
    a script failed.
    """
    page.context.add_cookies([session_of(Role.ADMINISTRATOR, live_server.url)])
    requests: list[str] = []
    log_lines: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: log_lines.append(str(error)))
    page.on("console", lambda message: log_lines.append(message.text) if message.type == "error" else None)
    yield page
    ours = urlsplit(live_server.url).netloc
    assert [url for url in requests if urlsplit(url).netloc != ours] == []
    assert [text for text in log_lines if not text.startswith(EXPECTED)] == []


@pytest.fixture
def plain_site(browser: Any, live_server: Any, plain_files: None, quick_passwords: None) -> Iterator[Any]:
    """The page of a browser that runs no scripts; signed in as an administrator."""
    context = browser.new_context(java_script_enabled=False, base_url=live_server.url)
    context.add_cookies([session_of(Role.ADMINISTRATOR, live_server.url)])
    yield context.new_page()
    context.close()


def session_of(role: Role, url: str) -> Any:
    """The cookie of a user who has this role."""
    value = signed_in(role).cookies[settings.SESSION_COOKIE_NAME].value
    return {"name": settings.SESSION_COOKIE_NAME, "value": value, "url": url}


CONTRAST = """async () => (await axe.run({runOnly: ["color-contrast"]})).violations
    .flatMap(rule => rule.nodes).map(node => node.html.slice(0, 160))"""
"""What another theme can change; axe is in the page already."""


def faults_in_each_look(page: Any, *sizes: tuple[int, int]) -> list[str]:
    """What keeps a reader out of the page as it stands: at each size, and its colours in the dark too. Ends light."""
    found = []
    for width, height in sizes or (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        found += [f"{page.url} at {width}: {fault}" for fault in accessibility_faults(page)]
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        found += [f"{page.url} at {width} in the dark: {text}" for text in page.evaluate(CONTRAST)]
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"{page.url} at {width} scrolls sideways")
    return found


def accessibility_faults(page: Any) -> list[str]:
    """What axe finds on the page as it stands, one line for each element."""
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]
