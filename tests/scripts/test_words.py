"""Every name of the code that the glossary gives is there, and no word stands in it twice."""

from __future__ import annotations

import importlib
import re
from collections import Counter

import pytest

from brokerui.core.home import CHECKOUT

TEXT = (CHECKOUT / "docs" / "reference" / "words.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`((?:brokerui|routing|pipeline)(?:\.\w+)+)`", TEXT)))
WORDS = [word.strip() for row in re.findall(r"^\| ([^|]+) \|", TEXT, re.MULTILINE) for word in row.split(",")]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_code_is_there(name: str) -> None:
    module, _, last = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        assert hasattr(importlib.import_module(module), last)


def test_no_word_is_explained_twice() -> None:
    counted = Counter(word for word in WORDS if word not in {"Word", "---"})
    assert {word for word, number in counted.items() if number > 1} == set()
    assert len(counted) > 40
