"""The table of states as Mermaid diagrams and as Markdown tables, for the documentation and the interface."""

from __future__ import annotations

from routing.common import state_drawing
from routing.dialog.states import (
    AS_INITIATOR,
    AS_TARGET,
    INITIATOR_STATES,
    INPUTS,
    NONE,
    STATES,
    TARGET_STATES,
    DialogState,
)


def diagram(is_initiator: bool) -> str:
    """Return the states of a role and their transitions in Mermaid; transitions from a state to itself are left out."""
    table = AS_INITIATOR if is_initiator else AS_TARGET
    states = INITIATOR_STATES if is_initiator else TARGET_STATES
    ways = ((state, given, to) for (state, given), to in table.items() if not isinstance(to, int))
    return state_drawing.diagram(((state, STATES[state]) for state in states), ways)


def matrix(is_initiator: bool) -> str:
    """Return a Markdown table of every state and input of a role: the next state, or the number of the error."""
    table = AS_INITIATOR if is_initiator else AS_TARGET
    states = INITIATOR_STATES if is_initiator else TARGET_STATES
    rows = ((given, [_cell(state, table[state, given]) for state in states]) for given in INPUTS)
    return state_drawing.matrix(map(_named, states), rows)


def _cell(state: DialogState, to: DialogState | int) -> str:
    if isinstance(to, int):
        return str(to)
    return "·" if to == state else f"**{_named(to)}**"


def _named(state: DialogState) -> str:
    return "none" if state == NONE else state


def legend() -> str:
    """Return Markdown tables of the names of states and inputs."""
    return state_drawing.legend([*((_named(state), name) for state, name in STATES.items()), *INPUTS.items()])


def redrawn(text: str) -> str:
    """Return a Markdown text with every place `<!-- drawn: NAME -->` … `<!-- end -->` filled from the table."""
    return state_drawing.redrawn(text, _DRAWINGS)


_DRAWINGS = {
    "initiator": lambda: state_drawing.mermaid(diagram(is_initiator=True)),
    "target": lambda: state_drawing.mermaid(diagram(is_initiator=False)),
    "initiator-table": lambda: matrix(is_initiator=True),
    "target-table": lambda: matrix(is_initiator=False),
    "legend": legend,
}
