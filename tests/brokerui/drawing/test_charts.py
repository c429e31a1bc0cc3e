"""Figures as pure functions, checked by the library whose JSON they are; and the file that draws them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from django.contrib.staticfiles import finders

from brokerui.drawing.charts.cards import Strip, StripLine, VersionMark, card_figure
from brokerui.drawing.charts.look import LONGEST, SIGNS, SYMBOLS, plain, short
from brokerui.drawing.charts.matrix import Field, matrix_figure
from brokerui.drawing.charts.plotly_file import PlotlyFinder
from brokerui.drawing.charts.sankey import Node, Stream, sankey_figure

COLOUR = "var(--"
WORDS = {"must_deliver": "Always", "dropped": "Never"}


def resolved(value: Any) -> Any:
    """As the browser does it: names of tokens become colours."""
    if isinstance(value, dict):
        return {key: resolved(one) for key, one in value.items()}
    if isinstance(value, list):
        return [resolved(one) for one in value]
    return "#123456" if isinstance(value, str) and value.startswith(COLOUR) else value


def fields() -> list[Field]:
    return [
        Field(0, 0, "must_deliver", "tells", "f0-0"),
        Field(0, 1, "dropped", "tells", "f0-1"),
        Field(1, 0, "must_deliver", "tells", "f1-0"),
    ]


def test_a_matrix_is_a_figure() -> None:
    figure = matrix_figure(["a", "b"], ["x", "y"], fields(), WORDS, "//company/…")
    go.Figure(resolved(figure))
    grounds = [trace for trace in figure["data"] if trace["type"] == "bar"]
    assert {trace["name"]: trace["customdata"] for trace in grounds} == {"Always": ["f0-0", "f1-0"], "Never": ["f0-1"]}
    shapes = {trace["marker"]["symbol"] for trace in figure["data"] if trace["type"] == "scatter"}
    assert shapes == {"circle", "x"}


@pytest.mark.parametrize(("weight", "height"), [(1, 92), (2, 136), (50, 320)])
def test_a_single_stream_is_a_line_and_no_wall(weight: int, height: int) -> None:
    figure = sankey_figure(["from", "to"], [Node(0, "a", ""), Node(1, "b", "")], [Stream(0, 1, weight, "exits", "")])
    assert figure["layout"]["height"] == height


def test_a_sankey_is_a_figure() -> None:
    nodes = [Node(0, "a", "a"), Node(1, "b", "b"), Node(2, "c", "c", outcome="delivered"), Node(2, "d", "d")]
    streams = [
        Stream(0, 1, 3, "delivered", "", "s0"),
        Stream(1, 2, 3, "delivered", ""),
        Stream(0, 3, 1.5, "dropped", ""),
    ]
    figure = sankey_figure(["from", "by", "to"], nodes, streams)
    figure["data"][0]["link"]["color"] = figure["data"][0]["link"]["hovercolor"] = "#123456"  # token/opacity is ours
    go.Figure(resolved(figure))
    node = figure["data"][0]["node"]
    assert [round(x, 1) for x in node["x"]] == [0, 0.5, 1, 1]
    assert node["y"][2] < node["y"][3]
    assert figure["data"][0]["link"]["value"] == [3, 3, 1.5]


def test_colours_are_tokens_only() -> None:
    figure = [
        matrix_figure(["a"], ["x"], fields()[:1], WORDS),
        sankey_figure(["from", "to"], [Node(0, "a", ""), Node(1, "b", "")], [Stream(0, 1, 1, "exits", "")]),
    ]

    def colours(value: Any, key: str = "") -> list[str]:
        if isinstance(value, dict):
            return [found for name, one in value.items() for found in colours(one, name)]
        if isinstance(value, list):
            return [found for one in value for found in colours(one, key)]
        return [value] if isinstance(value, str) and "color" in key else []

    found = colours(figure)
    assert found
    assert [one for one in found if not one.startswith(COLOUR) and one != "rgba(0,0,0,0)"] == []


def test_no_two_verdicts_look_alike() -> None:
    assert len(set(SYMBOLS.values())) == len(SYMBOLS)
    verdicts = [SIGNS[verdict] for verdict in SYMBOLS]
    assert len(set(verdicts)) == len(verdicts)


@pytest.mark.parametrize("text", ["a", "x" * LONGEST, "x" * 500, "//company.example/" + "y" * 90 + "/End"])
def test_labels_leave_room(text: str) -> None:
    assert len(short(text)) <= LONGEST
    assert short(text)[:5] == text[:5]
    assert short(text)[-3:] == text[-3:]


def test_names_are_no_markup() -> None:
    assert plain("<b>&amp;</b>") == "&lt;b&gt;&amp;amp;&lt;/b&gt;"


def test_the_one_file_is_found_and_nothing_beside_it() -> None:
    found = finders.find("plotly/plotly.min.js")
    assert found is not None
    assert Path(found).stat().st_size > 1_000_000
    assert [path for path, _ in PlotlyFinder().list(None)] == ["plotly.min.js"]
    for other in ("plotly/widgetbundle.js", "plotly/../plotly.min.js", "plotly.min.js"):
        assert not finders.find(other)


def test_a_card_names_its_lines_and_marks_the_version_in_at_most_two_thousand_points() -> None:
    moments = [number * 60_000 for number in range(5_000)]
    values = [float(number % 7) for number in range(5_000)]
    strips = [
        Strip("delivered", [StripLine("delivered", values, "var(--delivered)")], "412"),
        Strip("latency", [StripLine("half: 18 ms", values, "var(--accent)")], ticks={10: "10 ms"}, is_log=True),
    ]
    figure = card_figure(moments, strips, VersionMark(moments[-2], "version 42"))
    assert [len(trace["x"]) for trace in figure["data"]] == [2_000, 2_000]
    texts = [note["text"] for note in figure["layout"]["annotations"]]
    assert texts == ["delivered", "412", "latency", "half: 18 ms", "version 42"]
    assert figure["layout"]["annotations"][-1]["xanchor"] == "right", "near the end it stands before the line"
    (line,) = figure["layout"]["shapes"]
    assert line["line"]["dash"] == "dot"
    assert figure["layout"]["yaxis2"]["range"] == [0, 1]
    assert not card_figure(moments[:10], [], VersionMark(moments[-2], "version 42"))["layout"]["shapes"]
