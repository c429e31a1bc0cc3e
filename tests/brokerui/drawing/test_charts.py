"""Figures as pure functions, checked by the library whose JSON they are; and the file that draws them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import plotly.graph_objects as go
import pytest
from django.contrib.staticfiles import finders

from brokerui.drawing import charts
from brokerui.drawing.charts.cards import Strip, StripLine, VersionMark, card_figure, named_lines_figure
from brokerui.drawing.charts.lines import ChartBar, Panel, bars_figure, lines_figure
from brokerui.drawing.charts.look import LONGEST, MOST_POINTS, SIGNS, SYMBOLS, plain, short
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


MANY = 5_000
MOMENTS = [number * 60_000 for number in range(MANY)]
VALUES: list[float | None] = [float(number % 7) for number in range(MANY)]
LINES = [StripLine(name, VALUES, "var(--accent)") for name in ("first", "second")]
FIGURES = {
    "card_figure": lambda: card_figure(MOMENTS, [Strip("title", LINES, ticks={1: "1"})]),
    "named_lines_figure": lambda: named_lines_figure(MOMENTS, LINES, {1: "1"}, 200),
    "lines_figure": lambda: lines_figure(MOMENTS, [Panel("title", {"first": VALUES, "second": VALUES})]),
    "bars_figure": lambda: bars_figure(
        ["first", "second"], [ChartBar(0, MOMENTS[0], MOMENTS[9], "x", "var(--accent)")], MOMENTS[0], MOMENTS[-1]
    ),
    "matrix_figure": lambda: matrix_figure(
        ["first", "second"], ["x"], [Field(0, 0, "dropped", "tells", "f0-0", is_changed=True)] * MANY, WORDS
    ),
    "sankey_figure": lambda: sankey_figure(
        ["a", "b"], [Node(0, "first", ""), Node(1, "second", "")], [Stream(0, 1, 1, "exits", "")]
    ),
}
"""Each kind of figure, with two objects named first and second."""


def test_every_kind_of_figure_is_in_the_list() -> None:
    modules = [import_module(f"brokerui.drawing.charts.{one.name}") for one in iter_modules(charts.__path__)]
    made = {name for module in modules for name in vars(module) if name.endswith("_figure")}
    assert made == set(FIGURES)


@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_has_names_not_a_legend_and_at_most_two_thousand_points_a_trace(kind: str) -> None:
    figure = FIGURES[kind]()
    assert figure == FIGURES[kind](), "the same rows make the same figure"
    go.Figure(resolved(figure))
    assert not figure["layout"]["showlegend"]
    assert max(len(trace.get("x", trace.get("link", {}).get("value", ()))) for trace in figure["data"]) <= MOST_POINTS
    layout = figure["layout"]
    if layout.get("xaxis", {}).get("type") == "date":
        assert (layout["dragmode"], layout["xaxis"]["fixedrange"]) == ("zoom", False), "charts over time zoom"
    names = {note["text"] for note in layout.get("annotations", ())} | set(layout.get("yaxis", {}).get("ticktext", ()))
    names |= {label for trace in figure["data"] for label in trace.get("node", {}).get("label", ())}
    assert {"first", "second"} <= names


def test_every_chart_of_a_page_has_a_sentence_a_table_and_a_file() -> None:
    folder = Path(__file__).parents[3] / "templates"
    drawn = {
        path: path.read_text(encoding="utf-8")
        for path in folder.rglob("*.html")
        if "data-chart=" in path.read_text(encoding="utf-8")
    }
    assert len(drawn) >= 4
    for path, text in drawn.items():
        for part in ('role="img" aria-label="', "title", 'data-keys=" t"', "csv", 'class="twin'):
            assert part in text, f"{path.relative_to(folder)} has no {part}"


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


def test_a_line_with_a_gap_is_not_filled_across_it() -> None:
    moments = [0, 60_000, 120_000]
    for values, is_filled in (([None, 1.0, 2.0], True), ([1.0, None, 2.0], False), ([None, None, None], True)):
        figure = card_figure(moments, [Strip("title", [StripLine("one", values, "var(--text)", "red")])])
        assert ("fill" in figure["data"][0]) == is_filled, values
