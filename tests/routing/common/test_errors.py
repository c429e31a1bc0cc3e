"""Errors name field, file and expected value, on one line however long the input is."""

from __future__ import annotations

import pytest

from routing.common.errors import InputError, Invalid, must_be, shortened
from routing.common.sentence import say

PROBLEM = say("is missing")


@pytest.mark.parametrize(
    ("path", "shown"), [("", "is missing"), ("name", "name: is missing"), ("[2].name", "[2].name: is missing")]
)
def test_an_invalid_value_names_its_field(path: str, shown: str) -> None:
    assert str(Invalid(path, PROBLEM)) == shown


@pytest.mark.parametrize(
    ("path", "seen"), [("name", "routes.name"), ("[2].name", "routes[2].name"), ("", "routes"), ("[0]", "routes[0]")]
)
def test_the_path_grows_towards_the_root(path: str, seen: str) -> None:
    fault = Invalid(path, PROBLEM).below("routes")
    assert (fault.path, fault.problem) == (seen, PROBLEM)


def test_an_invalid_value_is_a_value_error() -> None:
    assert isinstance(Invalid("name", PROBLEM), ValueError)


@pytest.mark.parametrize(
    ("where", "path", "line"),
    [
        ("estate.json", "$.name", "estate.json: $.name: is missing"),
        ("estate.json", "", "estate.json: is missing"),
        ("", "$.name", "$.name: is missing"),
    ],
)
def test_a_refused_input_says_where_and_what(where: str, path: str, line: str) -> None:
    assert str(InputError(where, path, PROBLEM)) == line


def test_a_refused_input_takes_one_line() -> None:
    assert (
        str(InputError("a\nfile", "", say("must be {what}", what="this\n  or that"))) == "a file: must be this or that"
    )


def test_a_refused_input_speaks_the_language_of_its_reader() -> None:
    assert InputError("e.json", "", PROBLEM).render(lambda text: text.replace("is missing", "fehlt")) == "e.json: fehlt"


def test_what_must_be_and_what_was_given() -> None:
    assert str(must_be("a string", 3)) == "must be a string, not 3"
    assert str(must_be(say("true or false"), None)) == "must be true or false, not null"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (1, "1"),
        (2.5, "2.5"),
        ("text", '"text"'),
        ("a\nb\u00e9", '"a\\nb\\xe9"'),
        ({"a": 1}, "an object"),
        ([1], "an array"),
        ((1,), "an array"),
    ],
)
def test_a_value_is_shown_as_json_would_show_it(value: object, shown: str) -> None:
    assert str(shortened(value)) == shown


def test_a_long_text_is_cut() -> None:
    assert shortened("x" * 80) == '"' + "x" * 80 + '"'
    assert shortened("x" * 81) == '"' + "x" * 80 + '…"'
    assert len(shortened("\n" * 1000)) == 83
