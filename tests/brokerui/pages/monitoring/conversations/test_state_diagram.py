"""The picture of states, against the engine's table."""

from __future__ import annotations

import pytest

from brokerui.pages.conversations.state_diagram import HEIGHT, WIDTH, next_states, state_diagram
from routing.dialog.states import AS_INITIATOR, AS_TARGET, INITIATOR_STATES, NONE, TARGET_STATES


def test_every_state_has_a_box_of_its_own_within_the_picture() -> None:
    boxes = state_diagram(None, None).boxes
    assert {box.code for box in boxes} == {*INITIATOR_STATES, *TARGET_STATES} - {NONE}
    for number, box in enumerate(boxes):
        assert not any(box.area.overlaps(other.area) for other in boxes[number + 1 :])
        assert 0 <= box.area.x <= WIDTH - box.area.w
        assert 0 <= box.area.y <= HEIGHT - box.area.h


def test_every_transition_of_the_table_is_a_line_and_no_other() -> None:
    tables = (*AS_INITIATOR.items(), *AS_TARGET.items())
    ways = {(one, to) for (one, _given), to in tables if isinstance(to, str) and NONE not in (one, to) and one != to}
    assert len(state_diagram(None, None).edges) == len(ways)


def test_present_states_are_marked_with_the_side_and_what_follows_is_drawn_on_top() -> None:
    diagram = state_diagram("CO", "CO")
    assert [box.code for box in diagram.boxes if box.whose == "both"] == ["CO"]
    assert {box.code: box.whose for box in state_diagram("DO", "SI").boxes if box.whose} == {
        "DO": "initiator",
        "SI": "target",
    }
    assert [edge.is_next for edge in diagram.edges] == sorted(edge.is_next for edge in diagram.edges)
    assert any(edge.is_next for edge in diagram.edges)
    assert not any(edge.is_next for edge in state_diagram(None, None).edges)


@pytest.mark.parametrize("is_initiator", [True, False])
def test_what_follows_is_what_the_table_says(is_initiator: bool) -> None:
    table = AS_INITIATOR if is_initiator else AS_TARGET
    for state in {one for one, _given in table} - {NONE}:
        found = {one.code: len(one.inputs) for one in next_states(state, is_initiator=is_initiator)}
        wanted = [to for (one, _), to in table.items() if one == state and isinstance(to, str) and to != state]
        assert found == {to: wanted.count(to) for to in wanted}
