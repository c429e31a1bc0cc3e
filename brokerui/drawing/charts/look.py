"""How charts look. Colours are names of tokens, `var(--…)`: the browser knows what they are in which theme."""

from __future__ import annotations

from typing import Any

from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS
from routing.rules.verdict import MAY_DELIVER, MIXED, MUST_DELIVER

Figure = dict[str, Any]
TEXT, MUTED, LINE, SURFACE = "var(--text)", "var(--muted)", "var(--line)", "var(--surface)"
CLEAR = "rgba(0,0,0,0)"

UNNAMED = "unnamed"
"""In place of a verdict: nobody intends it."""

COLOURS = {
    UNNAMED: ("var(--muted)", "var(--sunken)"),
    MUST_DELIVER: ("var(--delivered)", "var(--delivered-soft)"),
    MAY_DELIVER: ("var(--delivered)", "var(--sunken)"),
    EXITS: ("var(--exits)", "var(--exits-soft)"),
    DELAYED: ("var(--delayed)", "var(--delayed-soft)"),
    MIXED: ("var(--dropped)", "var(--sunken)"),
    DROPPED: ("var(--dropped)", "var(--dropped-soft)"),
    DELIVERED: ("var(--delivered)", "var(--delivered-soft)"),
}
"""Colours of each outcome: of the shape, and of the area behind it."""
SYMBOLS = {
    UNNAMED: "line-ew-open",
    MUST_DELIVER: "circle",
    MAY_DELIVER: "circle-open",
    EXITS: "triangle-right",
    DELAYED: "triangle-up",
    MIXED: "diamond",
    DROPPED: "x",
}
"""The shape of each verdict, by Plotly's name; as far as there is one, that of the outcome everywhere else."""
SIGNS = {
    UNNAMED: "·",
    MUST_DELIVER: "●",
    MAY_DELIVER: "○",
    EXITS: "▶",
    DELAYED: "▲",
    MIXED: "◆",
    DROPPED: "✕",
    DELIVERED: "●",
}
"""The shapes as characters, for text."""
MOST_POINTS = 2_000
"""Points of one trace: more are not told apart on a screen, and slow it down."""
CHANGED = "Δ"
"""Beside what the edits of a draft change."""
ACCENT = "var(--accent)"
"""The colour of what a draft changes."""


def layout(**more: Any) -> Figure:
    """Return the layout that all charts share; fonts are those of the page."""
    font = {"family": "var(--sans)", "size": 12, "color": TEXT}
    hover = {"bgcolor": SURFACE, "bordercolor": "var(--line-strong)", "font": font, "align": "left"}
    return {
        "font": font,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "hoverlabel": hover,
        "showlegend": False,
        "dragmode": False,
        **more,
    }


def plain(text: str) -> str:
    """A name for a place where Plotly would read some HTML: nothing in it is markup there.

    We give it no markup either but `<br>`: it makes bold letters with a `style` attribute, which the policy refuses.
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


LONGEST = 34
"""Characters of a label; the tooltip and the table show the whole name."""


def short(text: str, longest: int = LONGEST) -> str:
    """A label that leaves room for the chart: names differ at their end as often as at their beginning."""
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
