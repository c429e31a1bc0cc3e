"""Draws state tables as Mermaid diagrams and Markdown tables, for the documentation and the pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

_PLACE = re.compile(r"(<!-- drawn: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def diagram(states: Iterable[tuple[str, str]], ways: Iterable[tuple[str, str, str]]) -> str:
    """Mermaid diagram of states (id, name) and transitions (from, input, to). The empty state stands for begin and end;
    transitions from a state to itself are left out."""
    named = [f'    state "{state}<br/>{name}" as {state}' for state, name in states if state]
    return "\n".join(["stateDiagram-v2", *named, *_edges(ways)])


def _edges(ways: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    given: dict[tuple[str, str], list[str]] = {}
    for state, one, to in ways:
        if to != state:
            given.setdefault((state, to), []).append(one)
    for (state, to), inputs in given.items():
        yield f"    {state or '[*]'} --> {to or '[*]'}: {'<br/>'.join(inputs)}"


def matrix(columns: Iterable[str], rows: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Markdown table: a column for each state, a row for each input with the next state in each column."""
    head = ["input", *columns]
    lines = [head, ["---"] * len(head), *([given, *cells] for given, cells in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def legend(named: Iterable[tuple[str, str]]) -> str:
    """Markdown table of the names of states and inputs with their meaning."""
    rows = (f"| {name} | {meaning} |" for name, meaning in named)
    return "\n".join(["| state or input | |", "|---|---|", *rows])


def mermaid(drawn: str) -> str:
    """Wrap a diagram in a Markdown code block."""
    return f"```mermaid\n{drawn}\n```"


def redrawn(text: str, drawings: Mapping[str, Callable[[], str]]) -> str:
    """Fill every place `<!-- drawn: NAME -->` … `<!-- end -->` of a Markdown text."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{drawings[place[2]]()}\n\n{place[3]}", text)
