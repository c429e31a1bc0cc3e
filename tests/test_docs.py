"""The documents hang together: every link leads somewhere, and every page is reached from the first one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "distributions/client/README.md")
PAGES = sorted([*(ROOT / name for name in TOP), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The file and the heading of each link that stays here."""
    for path, heading in LINK.findall(page.read_text(encoding="utf-8")):
        yield (page.parent / path).resolve() if path else page, heading


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, heading in links(page):
        assert target.exists(), target
        assert not heading or heading in anchors(target), (target, heading)


def test_every_page_is_reached_from_the_first() -> None:
    seen: set[Path] = set()
    todo = [DOCS / "README.md"]
    while todo:
        page = todo.pop()
        if page not in seen:
            seen.add(page)
            todo += [target for target, _ in links(page) if target.suffix == ".md" and target.exists()]
    assert set(DOCS.rglob("*.md")) - seen == set()
