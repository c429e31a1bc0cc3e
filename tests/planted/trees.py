"""Find where a fault belongs in a checkout, and the tests that have to find it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCES: Final = ("brokerui", "pipeline", "routing", "static", "templates")
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
KINDS: Final = (".css", ".html", ".js", ".py")


class PlantError(Exception):
    """A text or a test that does not stand exactly once in the checkout."""


def source_of(root: Path, text: str) -> Path:
    """The one file in which the text stands, once."""
    found = [path for path in _sources(root) for _ in range(path.read_text(encoding="utf-8").count(text))]
    if len(found) != 1:
        raise PlantError(f"{text!r} stands {len(found)} times in the source, not once")
    return found[0]


def _sources(root: Path) -> Iterator[Path]:
    for folder in SOURCES:
        yield from (path for path in (root / folder).rglob("*") if path.suffix in KINDS and path.is_file())


def address_of(root: Path, name: str) -> str:
    """The test as pytest takes it: `name` is a function, or the end of its module's name, `::` and the function."""
    return f"{_module_of(root, name).relative_to(root)}::{name.rpartition('::')[2]}"


def is_thorough(root: Path, name: str) -> bool:
    """Whether the test, its class or its module is marked for `make test-all` alone, on every database."""
    tree = ast.parse(_module_of(root, name).read_text(encoding="utf-8"))
    function = name.rpartition("::")[2]
    marks = [each for node in ast.walk(tree) if _holds(node, function) for each in getattr(node, "decorator_list", ())]
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks += node.value.elts if isinstance(node.value, ast.List) else [node.value]
    return any(map(_keeps_all, marks))


def _holds(node: ast.AST, function: str) -> bool:
    """Whether it is the function, or the class of it."""
    return isinstance(node, (ast.ClassDef, *FUNCTIONS)) and any(
        isinstance(each, FUNCTIONS) and each.name == function for each in ast.walk(node)
    )


def _keeps_all(mark: ast.expr) -> bool:
    """Whether a mark keeps the whole test for `make test-all`."""
    is_thorough = isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.thorough"
    return is_thorough and not any(each.arg == "on" for each in mark.keywords)


def _module_of(root: Path, name: str) -> Path:
    module, _, function = name.rpartition("::")
    ends = f"{module.replace('.', '/')}.py" if module else ".py"
    defined = re.compile(rf"^\s*(?:async )?def {function}\(", re.MULTILINE)
    files = [path for path in sorted((root / "tests").rglob("test_*.py")) if str(path).endswith(ends)]
    found = [path for path in files if defined.search(path.read_text(encoding="utf-8"))]
    if len(found) != 1:
        raise PlantError(f"{name} is defined in {len(found)} modules of tests, not in one")
    return found[0]
