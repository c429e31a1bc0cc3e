"""A matrix of verdicts: a coloured field with a shape for each pair of a row and a column.

It is made of bars and markers. Plotly's own heat map is a picture in a `data:` address, which the policy of the
site refuses, and it has no shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from brokerui.drawing.charts.look import (
    ACCENT,
    CHANGED,
    COLOURS,
    LINE,
    MOST_POINTS,
    MUTED,
    SYMBOLS,
    Figure,
    layout,
    plain,
    short,
)

WIDE, HIGH = 0.96, 0.92
"""Width and height of a field, as a part of its cell; the rest is the gap to the next one."""
ROW_LEAST, ROW_MOST, HEIGHT = 15, 30, 560
"""Height of a row in pixels, and the maximum of all rows together."""
AROUND = 190
"""Pixels for the labels above the columns."""
FEW = 20
"""Columns whose labels have room to lie down."""
MARK_AT = 0.28
"""Distance of a mark from the middle of its field, as a part of its cell."""
COLUMN_LEAST, BESIDE = 15, 250
"""Pixels of a column at the least, and of the labels of the rows."""


class Field(NamedTuple):
    """One pair of a row and a column."""

    row: int
    column: int
    verdict: str
    tells: str
    """Text of the tooltip."""
    link: str
    """The element with the link that a click on it follows."""
    is_changed: bool = False
    """Whether the draft that the page shows changes the pair."""


def matrix_figure(
    rows: Sequence[str], columns: Sequence[str], fields: Sequence[Field], words: Mapping[str, str], above: str = ""
) -> Figure:
    """The figure. `words` has the word of each verdict, in the reader's language; `above` stands over all columns."""
    by_verdict: dict[str, list[Field]] = {}
    for field in fields:
        by_verdict.setdefault(field.verdict, []).append(field)
    row = max(ROW_LEAST, min(ROW_MOST, HEIGHT // max(1, len(rows))))
    traces: list[Figure] = []
    for verdict, those in by_verdict.items():
        for part in _parts(those):
            traces += [_grounds(verdict, part, words[verdict]), _shapes(verdict, part, row)]
    for part in _parts([field for field in fields if field.is_changed]):
        traces += _marks(part)
    return {
        "data": traces,
        "layout": layout(
            barmode="overlay",
            height=AROUND + row * len(rows),
            margin={"l": 8, "r": 24, "t": 8, "b": 8},
            xaxis=_axis(
                columns,
                side="top",
                tickangle=-40 if len(columns) <= FEW else -75,
                range=[-0.5, len(columns) - 0.5],
                title={"text": plain(above), "font": {"size": 11, "color": MUTED}, "standoff": 8},
            ),
            yaxis=_axis(rows, range=[len(rows) - 0.5, -0.5]),
            meta={"minWidth": BESIDE + COLUMN_LEAST * len(columns)},
        ),
    }


def _parts(fields: Sequence[Field]) -> Iterator[Sequence[Field]]:
    """As many fields as a trace has points at the most."""
    return (fields[first : first + MOST_POINTS] for first in range(0, len(fields), MOST_POINTS))


def _axis(labels: Sequence[str], **more: Any) -> Figure:
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [plain(short(label)) for label in labels],
        "tickfont": {"size": 11, "color": MUTED},
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "linecolor": LINE,
        **more,
    }


def _grounds(verdict: str, fields: Sequence[Field], word: str) -> Figure:
    return {
        "type": "bar",
        "name": word,
        "x": [field.column for field in fields],
        "base": [field.row - HIGH / 2 for field in fields],
        "y": [HIGH] * len(fields),
        "width": WIDE,
        "marker": {"color": COLOURS[verdict][1], "line": {"width": 0}},
        "customdata": [field.link for field in fields],
        "hovertext": [field.tells for field in fields],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _marks(fields: Sequence[Field]) -> list[Figure]:
    """Return the marks of what a draft changes, each in the upper right corner of its field."""
    if not fields:
        return []
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": [field.column + MARK_AT for field in fields],
            "y": [field.row - MARK_AT for field in fields],
            "text": [CHANGED] * len(fields),
            "textfont": {"size": 11, "color": ACCENT},
            "hoverinfo": "skip",
        }
    ]


def _shapes(verdict: str, fields: Sequence[Field], row: int) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [field.column for field in fields],
        "y": [field.row for field in fields],
        "marker": {"symbol": SYMBOLS[verdict], "size": min(11, row // 2), "color": COLOURS[verdict][0]},
        "hoverinfo": "skip",
    }
