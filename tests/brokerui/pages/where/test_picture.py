"""The picture of a path: nothing covers anything, everything that is named is drawn."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given

from brokerui.drawing.area import Area
from brokerui.pages.where.drawing import picture_of
from brokerui.pages.where.graph import MORE, BoxKey
from brokerui.pages.where.graph_builder import MAX_BOXES, graph_of
from brokerui.pages.where.picture import PathPicture
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import Explanation, explain
from tests.brokerui.estates import CIRCLE, EVERY_KIND, LOCAL, database, document, fan, instance, to
from tests.strategies import AT, Case, cases, random_case


def drawn(text: str, conversation: Conversation) -> tuple[Explanation, PathPicture]:
    return drawn_of(read_estate(text), conversation)


def drawn_of(estate: Estate, conversation: Conversation) -> tuple[Explanation, PathPicture]:
    explanation = explain(estate, conversation, AT)
    return explanation, picture_of(graph_of(explanation, estate), "the way")


def texts(picture: PathPicture) -> list[str]:
    return [label.full for label in picture.labels()]


def assert_sound(picture: PathPicture) -> None:
    """No text meets another, no box another; cells are in their boxes, texts in their cells, all in the picture."""
    whole = Area(0, 0, picture.width, picture.height)
    labels = [label.area for label in picture.labels()]
    assert [(a, b) for a, b in combinations(labels, 2) if a.overlaps(b)] == []
    assert [(a, b) for a, b in combinations([f.area for f in picture.frames], 2) if a.overlaps(b)] == []
    assert [area for area in [*labels, *(f.area for f in picture.frames)] if not whole.holds(area)] == []
    for frame in picture.frames:
        assert all(frame.area.holds(cell.area) for cell in frame.cells)
        assert [(a, b) for a, b in combinations([c.area for c in frame.cells], 2) if a.overlaps(b)] == []
        assert all(frame.area.holds(label.area) for label in frame.labels)
        assert all(cell.area.holds(label.area) for cell in frame.cells for label in cell.labels)
    for line in picture.lines:
        for label in line.labels:
            assert not any(cell.area.overlaps(label.area) for frame in picture.frames for cell in frame.cells)

    strokes = [stroke for line in picture.lines for stroke in strokes_of(line.path)]
    assert [(label, stroke) for label in labels for stroke in strokes if label.overlaps(stroke)] == []


def strokes_of(path: str) -> Iterator[Area]:
    """The parts of a path of M, H and V, as thin rectangles."""
    first, *rest = re.findall(r"[MHV][^MHV]+", path)
    x, y = map(float, first[1:].split())
    for part in rest:
        to_x, to_y = (float(part[1:]), y) if part[0] == "H" else (x, float(part[1:]))
        yield Area(min(x, to_x) - 1, min(y, to_y) - 1, abs(to_x - x) + 2, abs(to_y - y) + 2)
        x, y = to_x, to_y


def assert_complete(explanation: Explanation, picture: PathPicture) -> None:
    """Every instance, table, end and route of the way forth is drawn, and every way back ends somewhere."""
    shown_texts = set(texts(picture))
    kinds = [cell.kind for frame in picture.frames for cell in frame.cells]
    for hop in explanation.forward.hops:
        assert {hop.instance, hop.table} <= shown_texts
    for outcome in explanation.forward.outcomes:
        assert outcome.kind in kinds or (outcome.kind == "exits" and outcome.detail in shown_texts)
        assert outcome.kind != "delivered" or outcome.detail in shown_texts
    ends = {line.ends for line in picture.lines if line.kind == "back"}
    assert bool(ends) == bool(explanation.returns)


@given(case=cases())
def test_nothing_covers_anything(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_covers_anything_in_bulk(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        check(random_case(rng, 6))


def check(case: Any) -> None:
    estate = read_estate(json.dumps(case.estate))
    for conversation in case.conversations:
        explanation, picture = drawn_of(estate, conversation_from(conversation))
        assert_sound(picture)
        assert_complete(explanation, picture)


def test_an_instance_is_drawn_once_however_often_it_is_visited() -> None:
    _, picture = drawn(CIRCLE, Conversation("north", "Orders", "Somewhere"))
    assert_sound(picture)
    assert [frame.labels[0].full for frame in picture.frames] == ["north", "east", "west"]
    assert "hop limit" in texts(picture)


def test_every_kind_of_end_is_drawn_with_its_word() -> None:
    _, picture = drawn(EVERY_KIND, Conversation("hub", "Sales", "Ship"))
    assert_sound(picture)
    assert {"Depot", "Dropped", "forwarding is off", "tcp://gone.example:4022", "no return route"} <= set(
        texts(picture)
    )
    assert [line.ends for line in picture.lines if line.kind == "back"] == ["delayed"]


def test_a_message_from_outside_comes_from_the_left() -> None:
    _, picture = drawn(EVERY_KIND, Conversation("a", None, "Ship"))
    assert_sound(picture)
    assert "from outside" in texts(picture)


def test_too_many_boxes_are_drawn_as_one_with_numbers() -> None:
    _, picture = drawn(fan(100), Conversation("center", "Main", "Price"))
    assert_sound(picture)
    assert len(picture.frames) == MAX_BOXES + 1
    more = picture.frames[-1]
    assert more.kind == MORE
    assert more.labels[0].full == "71 more instances"
    counted = {cell.labels[0].full for cell in more.cells if cell.kind != "asks"}
    assert counted == {"61 delivered", "10 dropped"}


def test_return_paths_to_too_many_boxes_are_counted() -> None:
    _, picture = drawn(fan(100), Conversation("branch3", "Shop", "Head"))
    assert_sound(picture)
    assert len(picture.frames) == 2 * MAX_BOXES
    counted = [line for line in picture.lines if line.ends == MORE]
    assert [line.labels[0].full for line in counted] == ["41 more instances"]
    assert {(line.head, line.shape_at) for line in counted} == {("", None)}


def test_too_many_databases_of_one_instance_are_counted() -> None:
    copies = [database(f"Copy{number}", services=("S",)) for number in range(20)]
    _, picture = drawn(document(instance("a", *copies, database("msdb", LOCAL))), Conversation("a", None, "S"))
    assert_sound(picture)
    assert "14 delivered" in texts(picture)


def test_ways_back_of_many_services_are_one_line() -> None:
    services = tuple(f"Own{number}" for number in range(40))
    text = document(
        instance("a", database("X", to("tcp://b", "S"), services=services)),
        instance("b", database("Y", to("tcp://a"), services=("S",)), database("msdb", LOCAL)),
    )
    explanation, picture = drawn(text, Conversation("a", "X", "S"))
    assert len(explanation.returns) == 40
    assert_sound(picture)
    assert len([line for line in picture.lines if line.kind == "back"]) == 2


def test_long_names_are_shortened_and_kept_in_full() -> None:
    name = "ADatabase" * 14
    _, picture = drawn(document(instance("a", database(name, services=("S",)))), Conversation("a", name, "S"))
    assert_sound(picture)
    label = next(label for label in picture.labels() if label.full == name)
    assert label.is_short
    assert "…" in label.text


def test_a_graph_can_be_asked_for_its_boxes() -> None:
    estate = read_estate(EVERY_KIND)
    graph = graph_of(explain(estate, Conversation("hub", "Sales", "Ship"), AT), estate)
    assert [box.column for box in graph.boxes.values()] == [0, 1, 1, 1]
    assert BoxKey("exits", "tcp://gone.example:4022") in graph.boxes
