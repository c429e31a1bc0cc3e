"""Every name of the code in the glossary and in the first lines of packages is there; no word of the glossary stands in
it twice, and no class name in the code."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT

TEXT = (CHECKOUT / "docs" / "reference" / "words.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`((?:brokerui|routing|pipeline)(?:\.\w+)+)`", TEXT)))
PACKAGES = ("brokerui", "routing", "pipeline")
AT_THE_TOP = re.compile(r"^class (\w+)", re.MULTILINE)
TABLES = "models"
"""Modules of Django's models: a row of the estate has the name of the engine's value."""
SAME_NAME = {"Message", "Queue"}
"""The message of `brokerui.client`, which imports nothing of the rest; and the queue that runs beside that of the
estate, both as tables."""
BEGINNING = "Begin with "
"""How a package says in which order its modules are read."""
WORDS = [word.strip() for row in re.findall(r"^\| ([^|]+) \|", TEXT, re.MULTILINE) for word in row.split(",")]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_code_is_there(name: str) -> None:
    module, _, last = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        assert hasattr(importlib.import_module(module), last)


def _missing_names(package: Path) -> list[str]:
    """Return the names that a package gives in its reading order, and that are no module, folder or function of it."""
    text = (package / "__init__.py").read_text(encoding="utf-8").partition(BEGINNING)[2]
    there = {path.stem for path in package.iterdir()}
    missing = {name for name in re.findall(r"`([a-z_]+)/?`", text) if name not in there}
    if missing:
        sources = [path.read_text(encoding="utf-8") for path in package.glob("*.py")]
        missing = {name for name in missing if not any(f"def {name}(" in source for source in sources)}
    return [f"{package.name}: {name}" for name in sorted(missing)]


def test_a_package_names_modules_that_it_has() -> None:
    packages = [path.parent for name in PACKAGES for path in sorted((CHECKOUT / name).rglob("__init__.py"))]
    assert [name for package in packages for name in _missing_names(package)] == []
    assert sum(BEGINNING in (package / "__init__.py").read_text(encoding="utf-8") for package in packages) > 20


def test_no_word_is_explained_twice() -> None:
    counted = Counter(word for word in WORDS if word not in {"Word", "---"})
    assert {word for word, number in counted.items() if number > 1} == set()
    assert len(counted) > 40


def _is_table(path: Path) -> bool:
    return TABLES in (path.stem, *path.parent.parts)


def _class_names(*, are_tables: bool) -> list[str]:
    """Return the public names of the classes at the top of modules, except Django's migrations."""
    paths = [path for package in PACKAGES for path in sorted((CHECKOUT / package).rglob("*.py"))]
    texts = [path.read_text(encoding="utf-8") for path in paths if _is_table(path) == are_tables]
    names = [name for text in texts for name in AT_THE_TOP.findall(text)]
    return [name for name in names if not name.startswith("_") and name not in {"Migration", *SAME_NAME}]


@pytest.mark.parametrize("are_tables", [False, True])
def test_a_class_name_occurs_once(are_tables: bool) -> None:
    counted = Counter(_class_names(are_tables=are_tables))
    assert {name for name, number in counted.items() if number > 1} == set()
    assert len(counted) > 40
