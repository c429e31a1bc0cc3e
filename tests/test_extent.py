"""Tests that are for `make test-all` stay out of `make test`, and one of two databases always has its test."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.extent import is_left_out

NAME = "tests/test_shop.py::test_it_sells"
TWIN = f"{NAME}@postgresql"


def item(name: str, *marks: pytest.MarkDecorator) -> pytest.Item:
    def iter_markers(wanted: str) -> list[pytest.Mark]:
        return [mark.mark for mark in marks if mark.name == wanted]

    return cast(pytest.Item, SimpleNamespace(nodeid=name, iter_markers=iter_markers))


def thorough(**on: Any) -> pytest.MarkDecorator:
    return pytest.mark.thorough("the reason", **on)


@pytest.mark.parametrize(
    ("name", "marks", "names", "left_out"),
    [
        (NAME, (), {NAME}, False),
        (NAME, (thorough(),), {NAME}, True),
        (TWIN, (thorough(),), {NAME, TWIN}, True),
        (NAME, (thorough(on="sqlite"),), {NAME, TWIN}, True),
        (TWIN, (thorough(on="sqlite"),), {NAME, TWIN}, False),
        (NAME, (thorough(on="sqlite"),), {NAME}, False),
        (NAME, (thorough(on="postgresql"),), {NAME, TWIN}, False),
        (TWIN, (thorough(on="postgresql"),), {NAME, TWIN}, True),
        (TWIN, (thorough(on="sqlite"), thorough(on="postgresql")), {NAME, TWIN}, True),
        (TWIN, (thorough(on="sqlite"), thorough()), {NAME, TWIN}, True),
    ],
)
def test_what_is_left_out(name: str, marks: tuple[pytest.MarkDecorator, ...], names: set[str], left_out: bool) -> None:
    assert is_left_out(item(name, *marks), names) is left_out
