"""The layered layout: boxes apart, lines around them, lines of different bundles never upon one another."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.drawing.area import Area
from brokerui.drawing.layered.diagram import LEFT, RIGHT, SOURCE, Diagram, DiagramEdge, DiagramNode, NestedBox
from brokerui.drawing.layered.edge_path import EdgePath, PathPoint, svg_path
from brokerui.drawing.layered.layout import LayeredLayout, lay_out
from brokerui.drawing.layered.redrawing import redrawn
from brokerui.drawing.layered.spacing import STEP
from brokerui.drawing.layered.tracks import TrackSpan, track_places

MIN_STEPS, MAX_STEPS = 4, 30


@st.composite
def grid_diagrams(draw: st.DrawFn) -> Diagram[int]:
    """Boxes and heights on the grid, lines by target, as on the map."""
    steps = draw(st.lists(st.integers(MIN_STEPS, MAX_STEPS), min_size=1, max_size=12))
    ends = st.integers(0, len(steps) - 1)
    pairs = draw(st.lists(st.tuples(ends, ends, st.integers(2, MIN_STEPS - 1)), max_size=30))
    nodes = [DiagramNode(key=key, width=100.0, height=one * STEP) for key, one in enumerate(steps)]
    edges = [
        DiagramEdge(key=index, source=a, target=b, leave_y=row * STEP, enter_y=STEP + 4, bundle=b)
        for index, (a, b, row) in enumerate(pairs)
    ]
    return Diagram(nodes, edges)


@st.composite
def column_diagrams(draw: st.DrawFn) -> Diagram[int]:
    """Boxes in columns of their own choice, lines forth by source and back by target, as in the picture of a path."""
    columns = draw(st.lists(st.integers(0, 4), min_size=1, max_size=10))
    ends = st.integers(0, len(columns) - 1)
    forth = draw(st.lists(st.tuples(ends, ends), max_size=14, unique=True))
    back = draw(st.lists(st.tuples(ends, ends), max_size=8, unique=True))
    nodes = [DiagramNode(key=key, width=100.0 + key, height=500.0, column=one) for key, one in enumerate(columns)]
    edges: list[DiagramEdge[int]] = [
        DiagramEdge(
            key=("forth", a, b),
            source=a,
            target=b,
            bundle=("forth", a),
            leave_side=RIGHT,
            enter_side=LEFT,
            leave_y=40.0,
            enter_y=80.0 + 20 * index,
            label_width=70.0,
        )
        for index, (a, b) in enumerate(forth)
    ]
    edges += [
        DiagramEdge(
            key=("back", a, b),
            source=a,
            target=b,
            bundle=("back", b),
            leave_side=LEFT,
            enter_side=RIGHT,
            leave_y=370.0 + 10 * index,
            enter_y=360.0,
            label_width=50.0,
            label_at=SOURCE,
        )
        for index, (a, b) in enumerate(back)
    ]
    return Diagram(nodes, edges, is_top_aligned=True, has_equal_widths=False)


def strokes(path: EdgePath) -> Iterator[Area]:
    """The pieces of a line as thin rectangles."""
    for (x, y), (to_x, to_y) in pairwise(path.points):
        yield Area(min(x, to_x) - 0.5, min(y, to_y) - 0.5, abs(to_x - x) + 1, abs(to_y - y) + 1)


def assert_sound(diagram: Diagram[Any]) -> LayeredLayout[Any]:
    """Boxes are apart and in the picture; each line joins its two boxes at right angles, around all others."""
    layout = lay_out(diagram)
    assert layout == lay_out(diagram)
    whole = Area(0, 0, layout.width, layout.height)
    assert layout.boxes.keys() == {node.key for node in diagram.nodes}
    assert [pair for pair in combinations(layout.boxes.values(), 2) if pair[0].overlaps(pair[1])] == []
    assert all(whole.holds(area) for area in layout.boxes.values())
    for node in diagram.nodes:
        box = layout.boxes[node.key]
        assert box.h == node.height
        assert box.w >= node.width if diagram.has_equal_widths else box.w == node.width
    assert layout.paths.keys() == {edge.key for edge in diagram.edges}
    for edge in diagram.edges:
        assert_path(layout, edge, whole)
    return layout


def assert_joins(layout: LayeredLayout[Any], edge: DiagramEdge[Any], whole: Area) -> None:
    """The line comes from one box to the other, at right angles and within the picture."""
    path, source, target = layout.paths[edge.key], layout.boxes[edge.source], layout.boxes[edge.target]
    (start_x, start_y), (end_x, end_y) = path.points[0], path.points[-1]
    assert start_y == source.y + edge.leave_y
    assert end_y == target.y + edge.enter_y
    assert start_x in sides(source, edge.leave_side)
    assert end_x in sides(target, edge.enter_side)
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(path.points))
    assert all(whole.holds(piece) for piece in strokes(path))


def assert_path(layout: LayeredLayout[Any], edge: DiagramEdge[Any], whole: Area) -> None:
    """It joins its boxes, runs through none, and has room for its label."""
    assert_joins(layout, edge, whole)
    path = layout.paths[edge.key]
    inner = [Area(box.x + 1, box.y, box.w - 2, box.h) for box in layout.boxes.values()]
    assert [(piece, box) for piece in strokes(path) for box in inner if piece.overlaps(box)] == []
    if path.label:
        label = Area(path.label[0], path.label[1] - 15, edge.label_width, 30)
        assert whole.holds(Area(label.x, path.label[1], label.w, 0))
        assert not any(label.overlaps(box) for box in layout.boxes.values())


def sides(box: Area, side: str | None) -> list[float]:
    """Where a line may come to the box."""
    return [{LEFT: box.x, RIGHT: box.x + box.w}[one] for one in ([side] if side else [LEFT, RIGHT])]


@given(grid_diagrams())
def test_boxes_on_a_grid(diagram: Diagram[int]) -> None:
    layout = assert_sound(diagram)
    for one, other in combinations(diagram.edges, 2):
        # Lines that leave one height of one box run together until they part.
        if one.bundle != other.bundle and (one.source, one.leave_y) != (other.source, other.leave_y):
            pairs = ((a, b) for a in strokes(layout.paths[one.key]) for b in strokes(layout.paths[other.key]))
            assert [pair for pair in pairs if runs_upon(*pair)] == []


def runs_upon(one: Area, other: Area) -> bool:
    """Whether two pieces lie upon one another for more than a crossing."""
    across = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    down = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    return (across > 3 and down > 0) or (down > 3 and across > 0)


@given(column_diagrams())
def test_boxes_in_columns(diagram: Diagram[int]) -> None:
    layout = assert_sound(diagram)
    columns = {node.key: node.column for node in diagram.nodes}
    joined = {(edge.source, edge.target) for edge in diagram.edges}
    for one, other in joined:
        here, there = columns[one], columns[other]
        assert here is not None
        assert there is not None
        if here < there:
            assert layout.boxes[one].x + layout.boxes[one].w < layout.boxes[other].x


def test_nothing_to_draw() -> None:
    layout: LayeredLayout[int] = lay_out(Diagram([], []))
    assert layout.boxes == {}
    assert layout.paths == {}


def test_nested_boxes_stand_in_their_box() -> None:
    nested = [
        NestedBox(key="both", top=10, height=20, left=5, right=7),
        NestedBox(key="left", top=40, height=20, left=5, width=30),
        NestedBox(key="right", top=70, height=20, right=7, width=30),
    ]
    wide = DiagramNode(key="wide", width=200.0, height=100.0, column=0)
    diagram = Diagram([DiagramNode(key="box", width=100.0, height=100.0, column=0, nested=nested), wide], [])
    layout = lay_out(diagram)
    box = layout.boxes["box"]
    assert layout.nested["box", "both"] == Area(box.x + 5, box.y + 10, box.w - 12, 20)
    assert layout.nested["box", "left"] == Area(box.x + 5, box.y + 40, 30, 20)
    assert layout.nested["box", "right"] == Area(box.x + box.w - 37, box.y + 70, 30, 20)


def test_a_line_that_passes_a_column_is_straight_where_there_is_room() -> None:
    """From column 0 past a low box in column 1 to column 2, at one height."""
    nodes = [DiagramNode(key=key, width=50.0, height=h, column=key) for key, h in enumerate((200.0, 40.0, 200.0))]
    edges: list[DiagramEdge[int]] = [
        DiagramEdge(key=(a, b), source=a, target=b, leave_y=y, enter_y=y, bundle=(a, b))
        for a, b, y in ((0, 1, 20.0), (1, 2, 20.0), (0, 2, 150.0))
    ]
    path = lay_out(Diagram(nodes, edges, is_top_aligned=True)).paths[0, 2]
    assert svg_path(path.points) == f"M{path.points[0][0]:g} {path.points[0][1]:g}H{path.points[-1][0]:g}"


def test_parts_that_no_line_joins_stand_apart() -> None:
    nodes = [DiagramNode(key=key, width=100.0, height=60.0) for key in range(20)]
    layout = assert_sound(Diagram(nodes, []))
    assert 0.4 < layout.width / layout.height < 2.5


def test_tracks_are_ordered_so_that_lines_do_not_cross() -> None:
    """One comes from above and goes below, the other the other way round within it: only one order has no crossing."""
    outer, inner = TrackSpan([10.0], [100.0]), TrackSpan([50.0], [90.0])
    assert track_places([outer, inner]) == [1, 0]
    assert track_places([inner, outer]) == [0, 1]


def test_lines_of_one_height_do_not_run_upon_one_another() -> None:
    """A line that comes from the left at 50 turns before one that goes to the right at 50."""
    first, second = TrackSpan([50.0], [90.0]), TrackSpan([10.0], [50.0])
    assert track_places([first, second]) == [0, 1]
    assert track_places([second, first]) == [1, 0]


def test_tracks_that_are_far_from_one_another_share_a_place() -> None:
    assert track_places([TrackSpan([0.0], [20.0]), TrackSpan([60.0], [80.0])]) == [0, 0]


def test_while_something_is_dragged_all_else_stays() -> None:
    nodes = [DiagramNode(key=key, width=100.0, height=60.0) for key in "abcd"]
    edges: list[DiagramEdge[str]] = [
        DiagramEdge(key=a + b, source=a, target=b, leave_y=30.0, enter_y=16.0, bundle=b) for a, b in ("ab", "bc", "cd")
    ]
    before = lay_out(Diagram(nodes, edges))
    new = DiagramEdge(key="da", source="d", target="a", leave_y=30.0, enter_y=16.0, bundle="a")
    place = before.boxes["d"].moved(500, 400)
    after = redrawn(before, Diagram(nodes, [*edges[1:], new]), {"d": place})
    assert {key for key in "abcd" if after.boxes[key] != before.boxes[key]} == {"d"}
    assert after.paths.keys() == {"bc", "cd", "da"}
    assert after.paths["bc"] == before.paths["bc"]
    for edge in (edges[2], new):
        assert_joins(after, edge, Area(0, 0, after.width, after.height))
    same = redrawn(before, Diagram(nodes, edges), {}, changed=frozenset({"ab"}))
    assert same.paths["bc"] == before.paths["bc"]
    assert (same.paths["ab"].points[0], same.paths["ab"].points[-1]) == (
        before.paths["ab"].points[0],
        before.paths["ab"].points[-1],
    )


@pytest.mark.parametrize(
    ("points", "path"),
    [
        ([(0, 0), (5, 0), (5, 0), (9, 0)], "M0 0H9"),
        ([(0, 0), (5, 0), (5, 7), (9, 7)], "M0 0H5V7H9"),
        ([(1.5, 2), (1.5, 3), (1.5, 4)], "M1.5 2V4"),
    ],
)
def test_svg_writes_only_corners(points: list[PathPoint], path: str) -> None:
    assert svg_path(points) == path


def test_three_hundred_elements_are_laid_out_at_once() -> None:
    """An editor lays out 150 boxes with 150 lines after each change."""
    rng = random.Random(1)
    nodes = [DiagramNode(key=key, width=150.0, height=84.0) for key in range(150)]
    edges = [
        DiagramEdge(key=key, source=key, target=to, leave_y=60.0, enter_y=16.0, bundle=to)
        for key, to in ((key, rng.randrange(150)) for key in range(150))
    ]
    begun = time.process_time()
    layout = lay_out(Diagram(nodes, edges))
    assert time.process_time() - begun < 0.5
    assert len(layout.boxes) == 150
