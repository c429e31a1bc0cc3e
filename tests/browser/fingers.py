"""Fingers on the screen of a page: real touch events, from which the browser makes its own pointers and clicks."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Locator, Page

Point = tuple[float, float]
DRAWN_ANEW: Final = 5
"""How often the place of a thing is read while the page draws it anew."""


def middle(found: Locator) -> Point:
    """Return the middle of a thing that the page shows, waiting for it, and for it again while it is drawn anew."""
    found.wait_for()
    area = next(filter(None, (found.bounding_box() for _ in range(DRAWN_ANEW))), None)
    assert area is not None
    return area["x"] + area["width"] / 2, area["y"] + area["height"] / 2


class Fingers:
    """What fingers do on a page whose context has touch."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)

    def send(self, kind: str, *points: Point) -> None:
        """Send one touch event, such as `touchStart`; `touchEnd` has no points."""
        fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    def pull(self, start: Point, end: Point, steps: int = 6) -> None:
        """Drag with one finger, without letting go."""
        self.send("touchStart", start)
        for step in range(1, steps + 1):
            share = step / steps
            self.send("touchMove", (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share))
