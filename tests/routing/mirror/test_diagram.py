"""The documentation shows the table that the engine runs."""

from __future__ import annotations

from routing.mirror.diagram import diagram, legend, matrix, redrawn
from routing.mirror.state_machine import INPUTS, PHASES
from tests.routing.mirror.redraw import PAGE


def test_the_documentation_is_drawn_from_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert redrawn(text) == text, "run: python -m tests.routing.mirror.redraw"


def test_the_documentation_has_every_drawing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for drawing in (diagram(), matrix(), legend()):
        assert drawing in text


def test_the_diagram_has_all_phases_and_the_ways_between_them() -> None:
    lines = diagram().splitlines()
    assert sum(line.strip().startswith("state ") for line in lines) == len(PHASES)
    assert "    LOST --> SENDING: confirms<br/>partner claims" in lines
    assert not any("LOST --> LOST" in line for line in lines)


def test_the_table_has_a_row_for_every_input() -> None:
    lines = matrix().splitlines()
    assert len(lines) == 2 + len(INPUTS)
    assert "| gives up | — | — | — | **LOST** | · |" in lines
