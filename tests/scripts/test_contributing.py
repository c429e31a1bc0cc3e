"""CONTRIBUTING.md names only files, folders and targets that are there."""

from __future__ import annotations

import re

import pytest

from brokerui.core.home import CHECKOUT

TEXT = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOTS = "brokerui|routing|pipeline|scripts|templates|static|tests|docs|deploy|benchmarks"
PATHS = sorted(set(re.findall(rf"`((?:{ROOTS})/[\w/.]*)`", TEXT)))
TARGETS = sorted(set(re.findall(r"make ([a-z]+)", TEXT)))


@pytest.mark.parametrize("path", PATHS)
def test_a_named_file_is_there(path: str) -> None:
    assert (CHECKOUT / path).exists()


@pytest.mark.parametrize("target", TARGETS)
def test_a_named_target_is_there(target: str) -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_it_names_some_of_both() -> None:
    assert len(PATHS) > 20
    assert {"setup", "check", "test", "run"} <= set(TARGETS)
