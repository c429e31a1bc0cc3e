"""The browser that the other tests in this folder stand on: it opens pages and draws text."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_a_page_opens_and_runs_its_script(page: Page) -> None:
    page.set_content("<p id=p>before</p><script>p.textContent = 'after ' + (6 * 7)</script>")
    assert page.inner_text("p") == "after 42"


@pytest.mark.parametrize("family", ["sans-serif", "serif", "monospace"])
def test_letters_are_drawn_with_a_real_font(page: Page, family: str) -> None:
    """Without any font each letter would be the same empty box, and a screenshot would show nothing."""
    page.set_content(f"<p style='font: 40px {family}'><span>W</span></p>")
    letter = page.locator("span")
    wide = letter.screenshot()
    letter.evaluate("element => element.textContent = 'M'")
    assert letter.screenshot() != wide
