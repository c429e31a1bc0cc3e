"""A test that needs an event loop uses `played`: in its process Playwright's may run already, after a test of pages."""

from __future__ import annotations

import subprocess

from brokerui.core.home import CHECKOUT

STARTERS = {
    "tests/brokerui/messaging/endpoint/played.py",
    "tests/brokerui/messaging/endpoint/apart.py",  # a process of its own
    "tests/test_event_loops.py",
}


def test_no_test_starts_an_event_loop_by_itself() -> None:
    found = subprocess.run(
        ["git", "grep", "-lF", "asyncio.run(", "--", "tests"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(found.stdout.split()) <= STARTERS, "call `played` there"
