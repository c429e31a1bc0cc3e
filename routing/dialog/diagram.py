"""The table of states as Mermaid diagrams and as a Markdown table, for the documentation and the interface."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from routing.dialog.states import (
    AS_INITIATOR,
    AS_TARGET,
    INITIATOR_STATES,
    INPUTS,
    NONE,
    STATES,
    TARGET_STATES,
    Input,
    State,
)


def diagram(is_initiator: bool) -> str:
    """The states of a role and what leads from one to another, in Mermaid; what changes nothing is left out."""
    table = AS_INITIATOR if is_initiator else AS_TARGET
    states = INITIATOR_STATES if is_initiator else TARGET_STATES
    named = [f'    state "{state}<br/>{STATES[state]}" as {state}' for state in states if state]
    return "\n".join(["stateDiagram-v2", *named, *_edges(table)])


def _edges(table: Mapping[tuple[State, Input], State | int]) -> Iterator[str]:
    ways: dict[tuple[State, State], list[str]] = {}
    for (state, given), to in table.items():
        if not isinstance(to, int) and to != state:
            ways.setdefault((state, to), []).append(given)
    for (state, to), inputs in ways.items():
        yield f"    {state or '[*]'} --> {to or '[*]'}: {'<br/>'.join(inputs)}"


def matrix(is_initiator: bool) -> str:
    """Every state and every input of a role: the next state, or the number of the error."""
    table = AS_INITIATOR if is_initiator else AS_TARGET
    states = INITIATOR_STATES if is_initiator else TARGET_STATES
    head = ["input", *map(_named, states)]
    rows = [[given, *(_cell(state, table[state, given]) for state in states)] for given in INPUTS]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _cell(state: State, to: State | int) -> str:
    if isinstance(to, int):
        return str(to)
    return "·" if to == state else f"**{_named(to)}**"


def _named(state: State) -> str:
    return "none" if state == NONE else state


def legend() -> str:
    """What the states and the inputs are called."""
    states = (f"| {_named(state)} | {name} |" for state, name in STATES.items())
    inputs = (f"| {given} | {meaning} |" for given, meaning in INPUTS.items())
    return "\n".join(["| state or input | |", "|---|---|", *states, *inputs])


_BLOCKS = {
    "initiator": lambda: f"```mermaid\n{diagram(is_initiator=True)}\n```",
    "target": lambda: f"```mermaid\n{diagram(is_initiator=False)}\n```",
    "initiator-table": lambda: matrix(is_initiator=True),
    "target-table": lambda: matrix(is_initiator=False),
    "legend": legend,
}
_PLACE = re.compile(r"(<!-- drawn: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def redrawn(text: str) -> str:
    """A Markdown text with every place `<!-- drawn: NAME -->` … `<!-- end -->` filled from the table."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{_BLOCKS[place[2]]()}\n\n{place[3]}", text)
