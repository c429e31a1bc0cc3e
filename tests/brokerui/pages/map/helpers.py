"""Maps of small estates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from brokerui.drawing.area import Area
from brokerui.pages.map.detail_level import MapCounts, counts_of, plan_of, scope_of
from brokerui.pages.map.drawing import picture_of
from brokerui.pages.map.map_query import MapQuery
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.picture import MapPicture
from brokerui.pages.map.plan import MapPlan
from routing.documents.estate_document import read_estate
from tests.strategies import AT


def network(text: str) -> RouteNetwork:
    return RouteNetwork(read_estate(text))


def planned(one: RouteNetwork, **options: object) -> tuple[MapPlan, MapCounts]:
    """The plan of the map for a query, with its numbers."""
    scope = scope_of(one, MapQuery(**options))  # type: ignore[arg-type] - the options are fields of a query
    plan = plan_of(one, scope, AT)
    return plan, counts_of(one, scope, plan)


def strokes(path: str) -> Iterator[Area]:
    """The parts of a path of M, H and V, as thin rectangles."""
    first, *rest = re.findall(r"[MHV][^MHV]+", path)
    x, y = map(float, first[1:].split())
    for part in rest:
        to = float(part[1:])
        if part[0] == "H":
            yield Area(min(x, to), y - 0.5, abs(to - x), 1)
            x = to
        else:
            yield Area(x - 0.5, min(y, to), 1, abs(to - y))
            y = to


def assert_sound(plan: MapPlan) -> MapPicture:
    """Boxes and texts are apart and in their places, lines run through no box but their own and end at theirs."""
    picture = picture_of(plan)
    assert picture == picture_of(plan)
    whole = Area(0, 0, picture.width, picture.height)
    heads = {shape.head.ref: shape.head.area for shape in picture.shapes}
    assert list(heads) != [] or not plan.boxes
    assert heads.keys() == plan.boxes.keys()
    assert [pair for pair in combinations(heads.values(), 2) if pair[0].overlaps(pair[1])] == []
    for shape in picture.shapes:
        assert whole.holds(shape.head.area)
        assert all(shape.head.area.holds(cell.area) for cell in shape.cells)
        assert [p for p in combinations([c.area for c in shape.cells], 2) if p[0].overlaps(p[1])] == []
        for mark in shape.marks():
            assert all(mark.area.holds(label.area) for label in mark.labels), mark
            assert [p for p in combinations([one.area for one in mark.labels], 2) if p[0].overlaps(p[1])] == []
        for row in shape.rows:
            for lines in (row.lines, row.was):
                paths = tuple(line.path for line in lines)
                assert_lines(paths, [heads[line.to] for line in lines], shape.head.area, list(heads.values()), whole)
    return picture


def assert_lines(paths: tuple[str, ...], ends: list[Area], own: Area, boxes: list[Area], whole: Area) -> None:
    assert len(paths) == len(ends)
    for path, end in zip(paths, ends, strict=True):
        parts = list(strokes(path))
        assert all(whole.holds(part) for part in parts)
        last = parts[-1]
        assert abs(last.x - end.x - end.w) < 0.01 or abs(last.x + last.w - end.x) < 0.01
        assert end.y <= last.y <= end.y + end.h
        crossed = [box for part in parts for box in boxes if box.overlaps(part) and box not in (own, end)]
        assert crossed == []
