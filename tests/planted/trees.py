"""Find where a fault belongs in a checkout, and the tests that have to find it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCES: Final = ("brokerui", "pipeline", "routing", "static", "templates")
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
    module, _, function = name.rpartition("::")
    ends = f"{module.replace('.', '/')}.py" if module else ".py"
    defined = re.compile(rf"^\s*(?:async )?def {function}\(", re.MULTILINE)
    files = [path for path in sorted((root / "tests").rglob("test_*.py")) if str(path).endswith(ends)]
    found = [path for path in files if defined.search(path.read_text(encoding="utf-8"))]
    if len(found) != 1:
        raise PlantError(f"{name} is defined in {len(found)} modules of tests, not in one")
    return f"{found[0].relative_to(root)}::{function}"
