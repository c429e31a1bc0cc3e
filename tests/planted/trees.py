"""Find where a fault belongs in a checkout, and the tests that have to find it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

SOURCES: Final = ("brokerui", "pipeline", "routing", "static", "templates")
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
KINDS: Final = (".css", ".html", ".js", ".py")
DEFINED: Final = re.compile(r"^[ \t]*(?:async )?def (\w+)\(", re.MULTILINE)


class PlantError(Exception):
    """A text or a test that does not stand exactly once in the checkout."""


def source_of(root: Path, text: str) -> Path:
    """The one file in which the text stands, once."""
    found = [path for path, source in _sources(root).items() for _ in range(source.count(text))]
    if len(found) != 1:
        raise PlantError(f"{text!r} stands {len(found)} times in the source, not once")
    return found[0]


@cache
def _sources(root: Path) -> dict[Path, str]:
    """The sources of a checkout, as they are before a fault is planted."""
    files = [path for folder in SOURCES for path in (root / folder).rglob("*") if path.suffix in KINDS]
    return {path: path.read_text(encoding="utf-8") for path in files if path.is_file()}


@cache
def _modules(root: Path) -> dict[str, list[Path]]:
    """The modules of tests by the functions that they define."""
    found: dict[str, list[Path]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for name in dict.fromkeys(DEFINED.findall(path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(path)
    return found


@cache
def _marks_of(path: Path) -> tuple[tuple[str, ast.expr], ...]:
    """The marks in a module of tests, each with a function that it is for; of the module itself they are for ''."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [(name, mark) for node in ast.walk(tree) for mark in _decorators(node) for name in _functions_in(node)]
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks = node.value.elts if isinstance(node.value, ast.List) else [node.value]
            found += [("", mark) for mark in marks]
    return tuple(found)


def _decorators(node: ast.AST) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, (ast.ClassDef, *FUNCTIONS)) else []


def _functions_in(node: ast.AST) -> Iterator[str]:
    """The function, or those of the class."""
    yield from (each.name for each in ast.walk(node) if isinstance(each, FUNCTIONS))


def address_of(root: Path, name: str) -> str:
    """The test as pytest takes it: `name` is a function, or the end of its module's name, `::` and the function."""
    return f"{_module_of(root, name).relative_to(root)}::{name.rpartition('::')[2]}"


def is_thorough(root: Path, name: str) -> bool:
    """Whether the test, its class or its module is marked for `make test-all` alone, on every database."""
    function = name.rpartition("::")[2]
    marks = [mark for owner, mark in _marks_of(_module_of(root, name)) if owner in ("", function)]
    return any(map(_keeps_all, marks))


def _keeps_all(mark: ast.expr) -> bool:
    """Whether a mark keeps the whole test for `make test-all`."""
    is_thorough = isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.thorough"
    return is_thorough and not any(each.arg == "on" for each in mark.keywords)


def _module_of(root: Path, name: str) -> Path:
    module, _, function = name.rpartition("::")
    ends = f"{module.replace('.', '/')}.py" if module else ".py"
    found = [path for path in _modules(root).get(function, ()) if str(path).endswith(ends)]
    if len(found) != 1:
        raise PlantError(f"{name} is defined in {len(found)} modules of tests, not in one")
    return found[0]
