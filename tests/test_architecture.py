"""`routing` is the law: standard library only, and nothing in it that could answer differently tomorrow.

Imports among our own packages are checked by import-linter (pyproject.toml).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROUTING = Path(__file__).resolve().parent.parent / "routing"
# Time, choices and bytes come in as arguments; threads and sockets belong to the callers.
IMPURE = {
    "_thread", "asyncio", "concurrent", "multiprocessing", "random", "secrets", "select", "selectors",
    "signal", "socket", "socketserver", "ssl", "subprocess", "threading", "time",
}  # fmt: skip
CLOCKS = {"now", "today", "utcnow"}
CHANCES = {"uuid1", "uuid4", "urandom", "getrandom"}
ITS_OWN_CALLER = {"simulation/chance.py": "imports random"}
"""A simulated world is the caller of the engine: what it draws for it comes from the seed, and from there alone."""
SOURCES = sorted(ROUTING.rglob("*.py"))


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""


def faults(source: str) -> list[str]:
    """What `source` does that no module of routing may, as `line: what`."""
    tree = ast.parse(source)
    found = []
    for line, module in imports(tree):
        top = module.partition(".")[0]
        if top in IMPURE:
            found.append(f"{line}: imports {module}")
        elif top != "routing" and top not in sys.stdlib_module_names:
            found.append(f"{line}: imports {module}, which is not in the standard library")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.lineno}: imports {a.name}" for a in node.names if a.name in CHANCES]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            # A method of our own may be called `now`; those that read the clock hang on a datetime or date.
            if name in CLOCKS and ast.unparse(node.func.value).rpartition(".")[2] in {"date", "datetime"}:
                found.append(f"{node.lineno}: reads the clock, {ast.unparse(node.func)}")
            elif name in CHANCES:
                found.append(f"{node.lineno}: draws at random, {ast.unparse(node.func)}")
    return found


def test_routing_needs_only_the_standard_library_and_its_arguments() -> None:
    assert SOURCES
    found = [
        f"{place}:{fault}"
        for path in SOURCES
        for place in (path.relative_to(ROUTING).as_posix(),)
        for fault in faults(path.read_text(encoding="utf-8"))
        if fault.partition(": ")[2] != ITS_OWN_CALLER.get(place)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("import django.db", "1: imports django.db, which is not in the standard library"),
        ("from brokerui import urls", "1: imports brokerui, which is not in the standard library"),
        ("import time", "1: imports time"),
        ("from concurrent.futures import Future", "1: imports concurrent.futures"),
        ("def f():\n    import random", "2: imports random"),
        ("import datetime as d\nd.datetime.now()", "2: reads the clock, d.datetime.now"),
        ("from datetime import date\ndate.today()", "2: reads the clock, date.today"),
        ("import uuid\nuuid.uuid4()", "2: draws at random, uuid.uuid4"),
        ("from uuid import uuid4", "1: imports uuid4"),
    ],
)
def test_what_is_forbidden_is_seen(source: str, fault: str) -> None:
    assert faults(source) == [fault]


@pytest.mark.parametrize(
    "source",
    [
        "import json\nfrom datetime import datetime",
        "from . import estate\nfrom routing.dialog import states",
        "def expired(route, now):\n    return route.expires <= now",
        "simulation.now()",
    ],
)
def test_what_is_allowed_is_left_alone(source: str) -> None:
    assert faults(source) == []
