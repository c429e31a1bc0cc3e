"""Figures for cards that stand side by side: strips one below the other, each with its title and its last value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any, Final, NamedTuple

from brokerui.drawing.charts.lines import Values
from brokerui.drawing.charts.look import LINE, MOST_POINTS, MUTED, SURFACE, TEXT, Figure, layout, plain, short
from brokerui.drawing.charts.time_axis import TITLE, TimeAxis

STRIP, GAP, AROUND = 44, 28, 46 + TITLE
"""Pixels of a strip, above each one, and around all."""
ROOM: Final = 1.15
NAME: Final = 24
NEAR_END: Final = 0.15
"""Part of an axis within which words would stand out of the figure."""
NAMED_EVERY: Final = 18
"""Pixels from one name to the next."""
BESIDE: Final = 116
"""Pixels for names to the right of a panel."""


class StripLine(NamedTuple):
    """A line with its name."""

    name: str
    values: Values
    stroke: str
    fill: str = ""
    """Below the line; empty: nothing."""


class Strip(NamedTuple):
    """One measure."""

    title: str
    lines: Sequence[StripLine]
    last: str = ""
    """The last value in words; empty: each line has its name at its end."""
    unit: str = ""
    ticks: Mapping[float, str] | None = None
    """Values with a grid line; None: there is no axis."""
    is_log: bool = False
    height: int = STRIP
    """Pixels."""


class VersionMark(NamedTuple):
    """A dotted line at a moment."""

    at: int
    text: str


def card_figure(moments: Sequence[int], strips: Sequence[Strip], mark: VersionMark | None = None) -> Figure:
    """The figure; every line has a value for each moment."""
    axis_of_time = TimeAxis(moments[0], moments[-1])
    x = [axis_of_time.at(at) for at in moments]
    height = sum(strip.height for strip in strips) + GAP * len(strips)
    traces: list[Figure] = []
    notes: list[Figure] = []
    axes: dict[str, Any] = {}
    top = height
    for number, strip in enumerate(strips):
        top -= GAP
        high, low = top / height, (top - strip.height) / height
        axis = f"y{number + 1 if number else ''}"
        most = _most(strip)
        axes[f"yaxis{number + 1 if number else ''}"] = _y_axis(strip, most, low, high)
        traces += [_line(line, x, axis, strip.unit) for line in strip.lines]
        notes += [*_heads(strip, high), *(_names(strip, high) if not strip.last else ())]
        top -= strip.height
    marks = (
        [_mark(axis_of_time.at(mark.at)), _mark_text(mark, axis_of_time, moments[0], moments[-1])]
        if mark is not None and moments[0] <= mark.at <= moments[-1]
        else []
    )
    return {
        "data": traces,
        "layout": layout(
            height=height + AROUND,
            margin={"l": 48 if any(strip.ticks for strip in strips) else 8, "r": 8, "t": 6, "b": 26 + TITLE},
            hovermode="x unified",
            dragmode="zoom",
            xaxis=axis_of_time.figure(f"y{len(strips) if len(strips) > 1 else ''}", nticks=4, zeroline=False),
            annotations=[*notes, *marks[1:]],
            shapes=marks[:1],
            **axes,
        ),
    }


def named_lines_figure(
    moments: Sequence[int], lines: Sequence[StripLine], ticks: Mapping[float, str], height: int
) -> Figure:
    """Lines over time in one panel of this many pixels, each with its name to the right of its end."""
    shown = moments[-MOST_POINTS:]
    axis_of_time = TimeAxis(shown[0], shown[-1])
    x = [axis_of_time.at(at) for at in shown]
    strip = Strip("", lines, ticks=ticks, height=height)
    return {
        "data": [_line(line, x, "y", "") for line in lines],
        "layout": layout(
            height=height + AROUND,
            margin={"l": 48, "r": BESIDE, "t": 10, "b": 28 + TITLE},
            hovermode="x unified",
            dragmode="zoom",
            xaxis=axis_of_time.figure("y", nticks=4, zeroline=False),
            yaxis=_y_axis(strip, _most(strip), 0, 1),
            annotations=_names_beside(strip),
        ),
    }


def _names_beside(strip: Strip) -> list[Figure]:
    """The name of each line at the height of its end, no two of them upon each other."""
    notes, least, most = [], 0.0, _most(strip) * ROOM
    for line in sorted(strip.lines, key=lambda line: _end(line.values)):
        y = max(_end(line.values) / most, least)
        least = y + NAMED_EVERY / strip.height
        where = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 8, "y": y, "yref": "paper", "yanchor": "middle"}
        font = {"size": 12, "color": line.stroke}
        notes.append({**where, "text": plain(short(line.name, NAME)), "font": font, "showarrow": False})
    return notes


def _most(strip: Strip) -> float:
    return max((value for line in strip.lines for value in line.values if value is not None), default=0) or 1


def _line(line: StripLine, x: Sequence[str], axis: str, unit: str) -> Figure:
    # Plotly fills across a gap: a figure would stand where nothing was measured.
    is_filled = line.fill and not _has_gap(line.values[-MOST_POINTS:])
    fill = {"fill": "tozeroy", "fillcolor": line.fill} if is_filled else {}
    return {
        "type": "scatter",
        "mode": "lines" if sum(value is not None for value in line.values) > 1 else "markers",
        "name": plain(short(line.name)),
        "x": list(x[-MOST_POINTS:]),
        "y": list(line.values[-MOST_POINTS:]),
        "yaxis": axis,
        "line": {"color": line.stroke, "width": 2},
        "marker": {"color": line.stroke, "size": 6},
        "hovertemplate": f"%{{y:,}}{unit}",
        **fill,
    }


def _has_gap(values: Values) -> bool:
    """Whether a value is missing between two others."""
    known = [place for place, value in enumerate(values) if value is not None]
    return bool(known) and len(known) <= known[-1] - known[0]


def _y_axis(strip: Strip, most: float, low: float, high: float) -> Figure:
    axis = {"domain": [max(low, 0), min(high, 1)], "fixedrange": True, "zeroline": False, "linecolor": LINE}
    if strip.ticks is None:
        return {**axis, "visible": False, "range": [0, most * ROOM]}
    ticks = {"tickvals": list(strip.ticks), "ticktext": list(strip.ticks.values()), "tickfont": {"color": MUTED}}
    grid = {"showgrid": True, "gridcolor": LINE, "type": "log" if strip.is_log else "linear"}
    return {**axis, **ticks, **grid, "range": _decades(strip) if strip.is_log else [0, most * ROOM]}


def _decades(strip: Strip) -> list[int]:
    """The whole decades that have all values; an axis of one decade at the least."""
    values = [value for line in strip.lines for value in line.values if value]
    low = floor(log10(min(values, default=1)))
    return [low, max(low + 1, ceil(log10(max(values, default=1) * ROOM)))]


def _heads(strip: Strip, high: float) -> list[Figure]:
    where = {"y": high, "yshift": 2, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    # The dotted line of a version does not cross the title.
    title = {**where, "text": plain(strip.title), "x": 0, "xanchor": "left", "font": {"size": 12, "color": MUTED}}
    title["bgcolor"] = SURFACE
    if not strip.last:
        return [title]
    stroke = strip.lines[0].stroke if strip.lines else TEXT
    last = {**where, "text": plain(strip.last), "x": 1, "xanchor": "right", "font": {"size": 13, "color": stroke}}
    return [title, last]


def _names(strip: Strip, high: float) -> list[Figure]:
    """The names of several lines, with their last values, at the top right: the line that ends highest comes first."""
    where = {"x": 1, "xref": "paper", "xanchor": "right", "y": high, "yref": "paper", "yanchor": "top"}
    lines = sorted(strip.lines, key=lambda line: -_end(line.values))
    return [
        {
            **where,
            "yshift": -NAMED_EVERY * number,
            "text": plain(short(line.name, NAME)),
            "font": {"size": 12, "color": line.stroke},
            "showarrow": False,
        }
        for number, line in enumerate(lines)
    ]


def _end(values: Values) -> float:
    return next((value for value in reversed(values) if value is not None), 0.0)


def _mark(at: str) -> Figure:
    line = {"color": MUTED, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "xref": "x", "yref": "paper", "line": line}


def _mark_text(mark: VersionMark, axis: TimeAxis, first: int, last: int) -> Figure:
    """The words above the line; near an end of the axis they stand on its inner side."""
    part = (mark.at - first) / max(1, last - first)
    anchor = "left" if part < NEAR_END else "right" if part > 1 - NEAR_END else "center"
    where = {"x": axis.at(mark.at), "xref": "x", "xanchor": anchor}
    place = {"y": 1, "yref": "paper", "yanchor": "bottom", "yshift": -14}
    return {**where, **place, "text": plain(mark.text), "showarrow": False, "font": {"size": 11, "color": MUTED}}
