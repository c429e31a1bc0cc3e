"""Streams from node to node, as wide as what they carry (Sankey)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from brokerui.charts.look import COLOURS, LINE, Figure, layout, plain, short

NODE, LEAST = 24, 320
"""Pixels for a node of the column with the most, and of the whole."""
WIDE = 720


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
    """What goes from one node to another, by their numbers, and ends the same way."""

    source: int
    target: int
    weight: float
    outcome: str
    tells: str
    link: str = ""


def sankey_figure(nodes: Sequence[Node], streams: Sequence[Stream]) -> Figure:
    """The figure; the columns stand where they are told to, whether or not a stream leads into them."""
    columns = max((node.column for node in nodes), default=0)
    height = max(LEAST, NODE * max((_in_column(nodes, c) for c in range(columns + 1)), default=0))
    return {
        "data": [
            {
                "type": "sankey",
                "arrangement": "fixed",
                "node": {
                    "label": [plain(short(node.label)) for node in nodes],
                    "color": [COLOURS[node.outcome][0] if node.outcome else "var(--muted)" for node in nodes],
                    "line": {"color": LINE, "width": 0},
                    "pad": 10,
                    "thickness": 12,
                    "customdata": [[node.tells, node.link] for node in nodes],
                    "hovertemplate": "%{customdata[0]}<extra></extra>",
                    **_places(nodes, streams, columns),
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
        "layout": layout(height=height, margin={"l": 8, "r": 8, "t": 14, "b": 14}, meta={"minWidth": WIDE}),
    }


def _in_column(nodes: Sequence[Node], column: int) -> int:
    return sum(node.column == column for node in nodes)


def _places(nodes: Sequence[Node], streams: Sequence[Stream], columns: int) -> Figure:
    """Each column from top to bottom in the order of the nodes, each node in the middle of its share."""
    weights = [_weight(number, streams) for number in range(len(nodes))]
    x, y = [], []
    for number, node in enumerate(nodes):
        column = [n for n, other in enumerate(nodes) if other.column == node.column]
        gap = 0.35 / max(1, len(column))
        whole = sum(weights[n] for n in column) or 1
        above = sum(weights[n] for n in column if n < number)
        place = column.index(number)
        x.append(round(0.001 + 0.998 * node.column / max(1, columns), 4))
        y.append(round(min(0.999, max(0.001, 0.65 * (above + weights[number] / 2) / whole + gap * (place + 0.5))), 4))
    return {"x": x, "y": y}


def _weight(number: int, streams: Sequence[Stream]) -> float:
    comes = sum(stream.weight for stream in streams if stream.target == number)
    goes = sum(stream.weight for stream in streams if stream.source == number)
    return max(comes, goes)
