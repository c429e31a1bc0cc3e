"""Names and their limits."""

from __future__ import annotations

import pytest

from routing.common.errors import Invalid
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS, check_name, check_unique


@pytest.mark.parametrize(
    "name", ["x", "//Adventure-Works.com/Orders", " ", "a\nb", "\u00e9", "\U0001f600", "n" * SYSNAME_CHARS]
)
def test_a_name_may_be_almost_any_text(name: str) -> None:
    check_name(name, "name")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "name: must not be empty"),
        ("n" * (SYSNAME_CHARS + 1), "name: is longer than 128 characters"),
        ("a\0b", "name: holds a NUL or half a surrogate pair"),
        ("\ud800", "name: holds a NUL or half a surrogate pair"),
        ("a\udfff", "name: holds a NUL or half a surrogate pair"),
    ],
)
def test_a_name_that_no_column_could_hold_is_refused(name: str, problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_name(name, "name")
    assert str(caught.value) == problem


def test_a_service_name_may_be_longer() -> None:
    check_name("n" * SERVICE_NAME_CHARS, "name", SERVICE_NAME_CHARS)
    with pytest.raises(Invalid, match="is longer than 256 characters"):
        check_name("n" * (SERVICE_NAME_CHARS + 1), "name", SERVICE_NAME_CHARS)


def test_names_that_differ_in_case_only_are_different() -> None:
    check_unique(["a", "A", "a "], "services")


def test_the_second_of_two_equal_names_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        check_unique(iter(["a", "b", "a", "b"]), "services")
    assert str(caught.value) == 'services[2].name: stands twice: "a"'
