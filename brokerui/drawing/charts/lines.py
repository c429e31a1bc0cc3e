"""Figures over time: lines one below the other with the same moments, and bars that tell who had a role when.

A line is named where it ends, so that no legend is needed; besides its colour it has a pattern of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from brokerui.core.moments import moment_words
from brokerui.drawing.charts.look import LINE, MOST_POINTS, MUTED, SURFACE, TEXT, Figure, layout, plain, short
from brokerui.drawing.charts.time_axis import TITLE, TimeAxis

STROKES: Final = (
    ("var(--accent)", "solid"),
    ("var(--exits)", "solid"),
    ("var(--accent)", "dot"),
    ("var(--exits)", "dot"),
    ("var(--muted)", "solid"),
    ("var(--muted)", "dot"),
)
PANEL, GAP, AROUND = 190, 56, 62 + TITLE
"""Pixels of a panel, between two of them, and for what stands around all."""
BAR, BARS_AROUND = 46, 70 + TITLE
BESIDE, WIDE = 190, 640
"""Pixels for the names of lines, and of a figure at the least."""
LABEL = 26
APART = 0.09
"""Least distance of two names, as a part of the height of a panel."""
ROOM = 1.12
ROOM_FOR_WORDS = 9
"""A bar of so small a part of the whole has none."""

Values = Sequence[float | None]
"""At each moment; None: nothing is known."""


class Panel(NamedTuple):
    """Lines of one measure."""

    title: str
    lines: Mapping[str, Values]
    unit: str = ""
    """Behind each number."""


class ChartBar(NamedTuple):
    """The holder of a role from one moment to another."""

    row: int
    start: int
    end: int
    text: str
    stroke: str
    """Its colour: the name of a token."""


def lines_figure(moments: Sequence[int], panels: Sequence[Panel]) -> Figure:
    """The figure, of the last moments if they are many; every line of every panel has a value for each moment. A
    mouse can zoom into its time."""
    shown = moments[-MOST_POINTS:]
    axis_of_time = TimeAxis(shown[0], shown[-1])
    x = [axis_of_time.at(at) for at in shown]
    traces: list[Figure] = []
    notes: list[Figure] = []
    axes: dict[str, Any] = {}
    height = len(panels) * PANEL + (len(panels) - 1) * GAP
    for number, panel in enumerate(panels):
        low = 1 - (number * (PANEL + GAP) + PANEL) / height
        most = max((value for values in panel.lines.values() for value in values if value is not None), default=0) or 1
        axis = f"y{number + 1 if number else ''}"
        axes[f"yaxis{number + 1 if number else ''}"] = _y_axis(most, low, low + PANEL / height, panel.unit)
        traces += [
            _line(name, x, values, axis, at, panel.unit) for at, (name, values) in enumerate(panel.lines.items())
        ]
        notes += [_title(panel.title, low + PANEL / height), *_names(panel, axis, most)]
    margin = {"l": 8, "r": BESIDE, "t": 30, "b": 8}
    return {
        "data": traces,
        "layout": layout(
            height=height + AROUND,
            margin=margin,
            hovermode="x unified",
            dragmode="zoom",
            xaxis=axis_of_time.figure(f"y{len(panels) if len(panels) > 1 else ''}", automargin=True),
            annotations=notes,
            meta={"minWidth": WIDE},
            **axes,
        ),
    }


def _line(name: str, x: Sequence[str], values: Values, axis: str, number: int, unit: str) -> Figure:
    colour, dash = STROKES[number % len(STROKES)]
    return {
        "type": "scatter",
        "mode": "lines" if sum(value is not None for value in values) > 1 else "markers",
        "name": plain(short(name)),
        "x": list(x),
        "y": list(values[-MOST_POINTS:]),
        "yaxis": axis,
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"color": colour, "size": 7},
        "hovertemplate": f"%{{y:,}}{unit}",
    }


def _title(text: str, top: float) -> Figure:
    font = {"size": 12, "color": MUTED}
    where = {"x": 0, "y": top, "yshift": 20, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    return {"text": plain(text), "showarrow": False, "font": font, **where}


def _names(panel: Panel, axis: str, most: float) -> list[Figure]:
    """The name of each line at its end, no two of them upon each other; beside the panel, also while it is zoomed."""
    ends = sorted((_end(values), at, name) for at, (name, values) in enumerate(panel.lines.items()))
    notes, least = [], 0.0
    for end, at, name in ends:
        y = max(end / (most * ROOM), least)
        least = y + APART
        font = {"size": 11, "color": STROKES[at % len(STROKES)][0]}
        where = {"x": 1, "y": y * most * ROOM, "xref": "paper", "yref": axis, "xanchor": "left", "xshift": 6}
        notes.append({"text": plain(short(name, LABEL)), "showarrow": False, "font": font, **where})
    return notes


def _end(values: Values) -> float:
    return next((value for value in reversed(values) if value is not None), 0.0)


def _y_axis(most: float, low: float, high: float, unit: str) -> Figure:
    return {
        "domain": [round(max(0.0, low), 4), round(min(1.0, high), 4)],
        "range": [0, most * ROOM],
        "fixedrange": True,
        "automargin": True,
        "gridcolor": LINE,
        "zerolinecolor": LINE,
        "tickfont": {"size": 11, "color": MUTED},
        "ticksuffix": unit,
        "nticks": 5,
        "tickformat": ",d" if most >= 4 else "",
    }


def bars_figure(
    rows: Sequence[str], bars: Sequence[ChartBar], start: int, end: int, *, is_ahead: bool = False
) -> Figure:
    """Draw one row for each object, with a bar for each period of a state. `is_ahead`: the time begins now, so that
    a narrow screen shows its beginning, not its end."""
    axis = TimeAxis(start, end)
    return {
        "data": [_bar(bar, axis, end - start) for bar in bars],
        "layout": layout(
            height=BARS_AROUND + BAR * len(rows),
            margin={"l": 8, "r": 16, "t": 8, "b": 8},
            barmode="overlay",
            dragmode="zoom",
            xaxis=axis.figure("y", automargin=True),
            yaxis={
                "tickmode": "array",
                "tickvals": list(range(len(rows))),
                "ticktext": [plain(short(row)) for row in rows],
                "range": [len(rows) - 0.5, -0.5],
                "fixedrange": True,
                "automargin": True,
                "showgrid": False,
                "zeroline": False,
                "tickfont": {"size": 11, "color": TEXT},
            },
            meta={"minWidth": WIDE, "isAhead": is_ahead},
        ),
    }


def _words(at: int) -> str:
    return moment_words(datetime.fromtimestamp(at / 1000, UTC))


def _bar(bar: ChartBar, axis: TimeAxis, whole: int) -> Figure:
    """Draw a bar, with its text inside if there is room; the tooltip always has it."""
    text = plain(bar.text)
    has_room = (bar.end - bar.start) * ROOM_FOR_WORDS > whole
    return {
        "type": "bar",
        "orientation": "h",
        "y": [bar.row],
        "x": [bar.end - bar.start],
        "base": [axis.at(bar.start)],
        "width": 0.62,
        "text": [text if has_room else ""],
        "textangle": 0,
        "textposition": "inside",
        "insidetextanchor": "start",
        "textfont": {"color": SURFACE, "size": 11},
        "marker": {"color": bar.stroke, "line": {"width": 0}},
        "hovertext": [f"{text}<br>{_words(bar.start)} → {_words(bar.end)}"],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
