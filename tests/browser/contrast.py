"""Texts of a picture that are too pale to read. Axe measures the texts of pages, and none of a picture."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

LEAST: Final = 4.5
"""The least contrast of a small text with what it stands on (WCAG 1.4.3)."""
PALE: Final = """(least) => {
    if (document.querySelector("dialog:modal")) return null;
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const numbers = (colour) => (colour.match(/^rgba?\\((.*)\\)$/)?.[1] ?? "").split(/[ ,/]+/).map(Number);
    const light = (colour) => numbers(colour).slice(0, 3).map(part).reduce((sum, one, at) =>
        sum + one * [0.2126, 0.7152, 0.0722][at], 0);
    const opaque = (colour) => numbers(colour).length === 3;
    const ground = (one) => {
        const style = getComputedStyle(one);
        return one instanceof SVGElement ? (one.tagName === "rect" ? style.fill : "none") : style.backgroundColor;
    };
    const found = [];
    let seen = 0;
    for (const text of document.querySelectorAll("#canvas .sheet text")) {
        const { x, y, width, height } = text.getBoundingClientRect();
        if (!text.checkVisibility() || !width) continue;
        const under = document.elementsFromPoint(x + width / 2, y + height / 2);
        if (!under[0]?.closest("#canvas .sheet")) continue;
        const behind = under.map(ground).find(opaque), colour = getComputedStyle(text).fill;
        const [dark, bright] = [light(behind), light(colour)].sort((one, other) => one - other);
        const contrast = (bright + 0.05) / (dark + 0.05);
        seen += 1;
        if (contrast < least) found.push(`${text.textContent}: ${colour} on ${behind}, ${contrast.toFixed(2)}`);
    }
    return [seen, found];
}"""
"""How many texts are seen, and those whose contrast is less; null where a dialog is in front of all of them."""


def pale_texts(page: Page) -> list[str]:
    """Return the texts of the map that are too pale, as it stands and in the theme that it has now."""
    measured = page.evaluate(PALE, LEAST)
    if measured is None:
        return []
    seen, found = measured
    assert seen > 5, "the picture has texts"
    return list(found)
