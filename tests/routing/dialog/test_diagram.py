"""The documentation shows the table that the engine runs."""

from __future__ import annotations

from routing.dialog.diagram import diagram, legend, matrix, redrawn
from routing.dialog.states import INITIATOR_STATES, INPUTS, TARGET_STATES
from tests.routing.dialog.redraw import PAGE


def test_the_documentation_is_drawn_from_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert redrawn(text) == text, "run: python -m tests.routing.dialog.redraw"


def test_the_documentation_has_every_drawing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for drawing in (diagram(True), diagram(False), matrix(True), matrix(False), legend()):
        assert drawing in text


def test_a_diagram_has_the_states_of_its_role_and_the_ways_between_them() -> None:
    lines = diagram(is_initiator=False).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert sum(line.strip().startswith("state ") for line in lines) == len(TARGET_STATES) - 1
    assert "    [*] --> CO: message arrives" in lines
    assert "    CO --> DO: END<br/>END WITH ERROR" in lines
    assert "    CD --> [*]: END WITH CLEANUP<br/>replay impossible" in lines
    assert not any("CO --> CO" in line for line in lines)


def test_the_table_of_a_role_has_a_row_for_every_input() -> None:
    lines = matrix(is_initiator=True).splitlines()
    assert len(lines) == 2 + len(INPUTS)
    assert {line.count("|") for line in lines} == {len(INITIATOR_STATES) + 2}
    assert "| SEND | 8426 | **CO** | · | 8429 | 8429 | 8429 |" in lines


def test_a_text_without_places_stays_as_it_is() -> None:
    assert redrawn("# A page") == "# A page"
