"""Streams from node to node, as wide as what they carry (Sankey)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from brokerui.drawing.charts.look import COLOURS, LINE, MUTED, Figure, layout, plain, short

NODE, PAD, LEAST = 30, 16, 320
"""Pixels for a node of the column with the most, between two of them, and of the whole."""
ONE, AROUND = 44, 48
"""Where little flows: pixels for a stream of one, and for what stands above and below all streams."""
WIDE = 720
LABEL = 46
"""Letters of a label."""


class Node(NamedTuple):
    """A place in one of the columns."""

    column: int
    label: str
    tells: str
    link: str = ""
    """The element with the link that a click on it follows."""
    outcome: str = ""
    """Where something ends: how."""


class Stream(NamedTuple):
    """A stream from one node to another, by their numbers, that ends the same way."""

    source: int
    target: int
    weight: float
    outcome: str
    tells: str
    link: str = ""


def sankey_figure(heads: Sequence[str], nodes: Sequence[Node], streams: Sequence[Stream]) -> Figure:
    """The figure, with a head above each column; columns stand where they are told to, also where streams skip one."""
    columns = len(heads) - 1
    height = _height(nodes, streams, columns)
    return {
        "data": [
            {
                "type": "sankey",
                "arrangement": "fixed",
                "node": {
                    "label": [plain(short(node.label, LABEL)) for node in nodes],
                    "color": [COLOURS[node.outcome][0] if node.outcome else "var(--muted)" for node in nodes],
                    "line": {"color": LINE, "width": 0},
                    "pad": PAD,
                    "thickness": 12,
                    "customdata": [[node.tells, node.link] for node in nodes],
                    "hovertemplate": "%{customdata[0]}<extra></extra>",
                    **_places(nodes, streams, columns, height),
                },
                "link": {
                    "source": [stream.source for stream in streams],
                    "target": [stream.target for stream in streams],
                    "value": [stream.weight for stream in streams],
                    "color": [f"{COLOURS[stream.outcome][0]}/0.30" for stream in streams],
                    "hovercolor": [f"{COLOURS[stream.outcome][0]}/0.60" for stream in streams],
                    "customdata": [[stream.tells, stream.link] for stream in streams],
                    "hovertemplate": "%{customdata[0]}<extra></extra>",
                },
            }
        ],
        "layout": layout(
            height=height,
            margin={"l": 8, "r": 8, "t": 34, "b": 14},
            annotations=[_head(text, column, columns) for column, text in enumerate(heads)],
            meta={"minWidth": WIDE},
        ),
    }


def _height(nodes: Sequence[Node], streams: Sequence[Stream], columns: int) -> int:
    """Room for every node; a single stream is a line, not a wall."""
    most = NODE * max(_in_column(nodes, column) for column in range(columns + 1))
    flows = sum(stream.weight for stream in streams if nodes[stream.source].column == 0)
    return max(most, min(LEAST, AROUND + round(ONE * flows)))


def _head(text: str, column: int, columns: int) -> Figure:
    place = column / max(1, columns)
    anchor = "left" if column == 0 else "right" if column == columns else "center"
    font = {"size": 11, "color": MUTED}
    where = {"x": place, "y": 1, "yshift": 22, "xref": "paper", "yref": "paper", "xanchor": anchor, "yanchor": "top"}
    return {"text": plain(text), "showarrow": False, "font": font, **where}


def _in_column(nodes: Sequence[Node], column: int) -> int:
    return sum(node.column == column for node in nodes)


def _places(nodes: Sequence[Node], streams: Sequence[Stream], columns: int, height: int) -> Figure:
    """Each column from top to bottom in the order of the nodes, each node in the middle of its share."""
    weights = [_weight(number, streams) for number in range(len(nodes))]
    x, y = [0.0] * len(nodes), [0.0] * len(nodes)
    for column in range(columns + 1):
        those = [number for number, node in enumerate(nodes) if node.column == column]
        whole, gap, above = sum(weights[number] for number in those) or 1, PAD / height, 0.0
        for number in those:
            share = weights[number] / whole * (1 - gap * len(those))
            x[number] = round(0.001 + 0.998 * column / max(1, columns), 4)
            y[number] = round(min(0.999, max(0.001, above + (share + gap) / 2)), 4)
            above += share + gap
    return {"x": x, "y": y}


def _weight(number: int, streams: Sequence[Stream]) -> float:
    comes = sum(stream.weight for stream in streams if stream.target == number)
    goes = sum(stream.weight for stream in streams if stream.source == number)
    return max(comes, goes)
