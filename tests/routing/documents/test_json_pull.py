"""The pull reader: what the standard library reads it reads too, and what it refuses it refuses, with the place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.documents.json_pull import MAX_LEAF_CHARS, JsonPull

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def read(text: str) -> Any:
    """A whole text, every container walked."""
    reader = JsonPull(text)
    value = walk(reader, text)
    reader.end()
    return value


def walk(reader: JsonPull, text: str) -> Any:
    """Return the value at the cursor; `text` says which kind of value to expect, as a caller's format does."""
    expected = text.lstrip()[:1]
    if expected == "{":
        return {key: reader.value() for key in reader.members()}
    return [reader.value() for _ in reader.elements()] if expected == "[" else reader.value()


def problem(text: str) -> str:
    with pytest.raises(Invalid) as caught:
        read(text)
    assert caught.value.path == ""
    return str(caught.value)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_it_reads_what_the_standard_library_reads(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read(text) == read(f"\r\n {text}\t") == value


@given(st.text(alphabet='{}[]",:\\ntrue10.eE- \t\n\x00u', max_size=12))
def test_it_refuses_what_the_standard_library_refuses(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=refuse, object_pairs_hook=without_doubles)
    except ValueError:
        assert problem(text)
    else:
        assert read(text) == expected


def refuse(constant: str) -> Any:
    raise ValueError(constant)


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("double")
    return dict(pairs)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a value is missing (line 1, column 1)"),
        (" \n ", "a value is missing (line 2, column 2)"),
        ("{", "a value is missing (line 1, column 2)"),
        ('{"a"', "expected : (line 1, column 5)"),
        ('{"a":', "a value is missing (line 1, column 6)"),
        ('{"a":1', "expected } (line 1, column 7)"),
        ('{"a":1,', "a value is missing (line 1, column 8)"),
        ('{"a":1 "b"', "expected } (line 1, column 8)"),
        ("{1:2}", "a key must be a string (line 1, column 3)"),
        ("[1\n,2", "expected ] (line 2, column 3)"),
        ("[1}", "expected ] (line 1, column 3)"),
        ("[] 1", "there is more text after the document (line 1, column 4)"),
        ('{"a":1,\n"a":2}', 'has the key "a" twice'),
        ('[{"a":1,"b":2,"a":3}]', 'has the key "a" twice'),
        ("[NaN]", "has NaN, which is not JSON"),
        ("[-Infinity]", "has -Infinity, which is not JSON"),
        ("[" * 2000, "is nested too deeply (line 1, column 2)"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, says: str) -> None:
    assert problem(text) == says


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("[tru]", "a value was expected", "line 1, column 2"),
        ('["abc\n"]', "Invalid control character at", "line 1, column 6"),
        (r'["\x"]', r"Invalid \escape", "line 1, column 3"),
        (r'["\u12"]', r"Invalid \uXXXX escape", "line 1, column 4"),
        ('["abc', "Unterminated string starting at", "line 1, column 2"),
        ("[[1 2]]", "Expecting ',' delimiter", "line 1, column 5"),
    ],
)
def test_a_leaf_that_is_not_json_is_refused_with_the_reason(text: str, reason: str, place: str) -> None:
    assert problem(text) == f"is not JSON ({reason}), or one value is longer than {MAX_LEAF_CHARS} characters ({place})"


def test_a_container_is_refused_where_another_kind_stands() -> None:
    with pytest.raises(Invalid, match=r"must be an object \(line 1, column 1\)"):
        next(JsonPull("[]").members())
    with pytest.raises(Invalid, match=r"must be an array \(line 1, column 2\)"):
        next(JsonPull(" {}").elements())


# ---------------------------------------------------------------- the window


def test_a_leaf_may_be_as_long_as_the_window() -> None:
    longest = "x" * (MAX_LEAF_CHARS - 2)
    assert read(f'["{longest}"]') == [longest]
    assert "is not JSON (Unterminated string" in problem(f'["{longest}x"]')


@pytest.mark.parametrize("left", range(8))
@pytest.mark.parametrize("leaf", ["12345", '"text"', "true", "-0.5e+10", '{"a": [1, 2]}'])
def test_the_end_of_the_window_cuts_no_value(leaf: str, left: int) -> None:
    """A number that is cut short would still be one."""
    padding = json.dumps("x" * (MAX_LEAF_CHARS - len('"",') - left))
    assert read(f"[{padding},{leaf},1]")[-2:] == [json.loads(leaf), 1]


def test_values_beyond_many_windows_are_read_in_their_order() -> None:
    numbers = list(range(120_000))
    assert read(json.dumps(numbers)) == numbers


def test_a_number_may_end_with_the_text() -> None:
    assert read("12") == 12


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "9" * 5000])
def test_a_number_of_thousands_of_digits_is_refused(text: str) -> None:
    """`int` would take time that grows with the square of them."""
    assert problem(text) == "has a number that is too long (line 1, column 1)"


def test_a_number_that_is_no_finite_float_is_infinite_as_in_the_standard_library() -> None:
    assert read("[1e999]") == [float("inf")]
