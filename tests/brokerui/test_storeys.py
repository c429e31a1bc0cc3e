"""One stem for each page: package, templates, stylesheet, script, address and namespace; none stands alone."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest
from django.urls import URLResolver, get_resolver

from brokerui.core.home import CHECKOUT

PAGES = sorted(
    path.parent.name for path in (CHECKOUT / "brokerui" / "pages").glob("*/urls.py") if path.parent.name != "shell"
)
"""Packages of pages; the tables have their addresses from Django's admin."""
SHARED_TEMPLATES = {"components", "charts", "live", "admin"}
SHARED_FILES = {
    "css": {
        *("api", "charts", "components", "effect", "error", "later", "layout", "live", "review"),
        *("map-picture", "tables", "tokens"),
    },
    "js": {
        *("alerts", "api", "chart", "copy", "drop", "effect", "estate", "keys", "live", "menu", "nav"),
        *("poll", "rows", "shortcuts", "tables", "theme", "ticks"),
    },
}
"""Stylesheets and scripts of several pages, and of the two pages that have no package of their own here."""
WITHOUT_TEMPLATES = {"demo"}


def resolvers() -> dict[str, str]:
    """Prefix by namespace of everything that the site includes."""
    return {
        str(one.namespace): str(one.pattern)
        for one in get_resolver().url_patterns
        if isinstance(one, URLResolver) and one.namespace
    }


@pytest.mark.parametrize("stem", [*PAGES, "tables"])
def test_a_page_has_one_stem(stem: str) -> None:
    assert resolvers()[stem] == f"{stem}/"
    assert stem in WITHOUT_TEMPLATES or (CHECKOUT / "templates" / stem).is_dir()


def test_every_folder_of_templates_belongs_to_a_page() -> None:
    folders = {path.name for path in (CHECKOUT / "templates").iterdir() if path.is_dir()}
    assert folders - SHARED_TEMPLATES == {*PAGES, "tables", "api"} - WITHOUT_TEMPLATES


@pytest.mark.parametrize("kind", ["css", "js"])
def test_every_stylesheet_and_script_has_the_stem_of_its_page(kind: str) -> None:
    stems = {path.stem for path in (CHECKOUT / "static" / kind).iterdir()}
    assert stems - SHARED_FILES[kind] <= set(PAGES)
    assert SHARED_FILES[kind] <= stems


@pytest.mark.parametrize("stem", PAGES)
def test_a_page_renders_only_its_own_templates_and_shared_ones(stem: str) -> None:
    sources = (CHECKOUT / "brokerui" / "pages" / stem).glob("*.py")
    named = {found for path in sources for found in rendered(path)}
    assert named <= {stem, *SHARED_TEMPLATES}


def rendered(source: Path) -> set[str]:
    """The folders of the templates that a module names."""
    return set(re.findall(r'"([a-z]+)/_?[a-z_]+\.(?:html|svg)"', source.read_text(encoding="utf-8")))


ROWS_OF_VALUES = ("brokerui/estate/models/", "brokerui/messaging/models/", "brokerui/analysis/traffic/models/")
"""A table may be called as the value of the engine that its rows hold: `Route` the row and `Route` the value."""


CLIENT = "brokerui/client/"
"""A distribution of its own: its users see none of the product's classes, so that both may have their `Message`."""


def test_a_name_of_a_class_occurs_once() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for root in ("brokerui", "pipeline", "routing"):
        for path in sorted((CHECKOUT / root).rglob("*.py")):
            where = path.relative_to(CHECKOUT).as_posix()
            if "/migrations/" not in where and not where.startswith((*ROWS_OF_VALUES, CLIENT)):
                for name in classes_of(path):
                    places[name].append(where)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def classes_of(source: Path) -> list[str]:
    """The names of the classes at the top level of a module."""
    return [node.name for node in ast.parse(source.read_bytes()).body if isinstance(node, ast.ClassDef)]
