"""The pictures of docs/architecture.md are those of the code, and the modules that it names are there."""

from __future__ import annotations

import re

import pytest

from brokerui.core.home import CHECKOUT
from scripts import architecture

TEXT = architecture.DOCUMENT.read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:brokerui|routing|pipeline|scripts|templates|static)/[\w/.]*)`", TEXT)))


def test_each_picture_is_as_the_code_has_it() -> None:
    assert architecture.redrawn(TEXT) == TEXT, "run scripts/architecture.py"


def test_another_storey_would_change_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = architecture.layers_of("brokerui")
    monkeypatch.setattr(architecture, "layers_of", lambda package: [*layers, ["cellar"]])
    assert architecture.redrawn(TEXT) != TEXT


@pytest.mark.parametrize("path", PATHS)
def test_it_names_only_files_that_are_there(path: str) -> None:
    assert (CHECKOUT / path).exists()


def test_it_names_every_storey() -> None:
    members = {member for layer in architecture.layers_of("brokerui")[1:-1] for member in layer}
    assert {member for member in members if f"| `{member}` |" not in TEXT} == set()
