"""Tables of states as Mermaid diagrams and Markdown tables, for the documentation and the interface."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

_PLACE = re.compile(r"(<!-- drawn: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def diagram(states: Iterable[tuple[str, str]], ways: Iterable[tuple[str, str, str]]) -> str:
    """States with their names, and ways (from, input, to) between them, in Mermaid. The empty state is where all begins
    and ends; what changes nothing is left out."""
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
    """A column for each state; a row for each input, with what comes of it in each state."""
    head = ["input", *columns]
    lines = [head, ["---"] * len(head), *([given, *cells] for given, cells in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def legend(named: Iterable[tuple[str, str]]) -> str:
    """What states and inputs are called."""
    rows = (f"| {name} | {meaning} |" for name, meaning in named)
    return "\n".join(["| state or input | |", "|---|---|", *rows])


def mermaid(drawn: str) -> str:
    """A diagram as a block of a Markdown text."""
    return f"```mermaid\n{drawn}\n```"


def redrawn(text: str, drawings: Mapping[str, Callable[[], str]]) -> str:
    """A Markdown text with every place `<!-- drawn: NAME -->` … `<!-- end -->` filled."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{drawings[place[2]]()}\n\n{place[3]}", text)
