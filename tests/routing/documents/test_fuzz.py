"""Hostile documents: a correct answer or one clear error with its JSON path, whatever is done to the text."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import InputError
from routing.documents.estate_document import read_estate, write_estate
from routing.model.estate import Estate
from tests.routing.documents.test_estate_document import FULL
from tests.strategies import estates

Path = tuple[str | int, ...]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["format", "instances", "name", "x"]), inner),
    max_leaves=15,
)
JUNK = (
    *("\0", "\ufeff", "\ud800", r"\ud800", r"\u0000", "\\", '"', "'", ",", ":", "{", "}", "[", "]", "NaN", "1e999"),
    *(
        "[" * 3000,
        '{"a":' * 3000,
        "9" * 5000,
        "-",
        "0x1",
        "//",
        "/*",
        "\x0b",
        "\xa0",
        "\u2028",
        "tru",
        '"name"',
        "null",
    ),
)
OTHERS = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    "x",
    "\0",
    "\ud800",
    "x" * 300,
    [],
    {},
    [[]],
    {"name": 1},
    [{}],
    ["x", "x"],
)


def answer(source: bytes | str) -> Estate | InputError:
    """What reading gives; any other exception fails the test."""
    try:
        estate = read_estate(source, where="e.json")
    except InputError as error:
        check(error)
        return error
    assert read_estate(write_estate(estate)) == estate
    return estate


def check(error: InputError) -> None:
    """It says where, what, and on one line that any terminal can show."""
    assert error.where == "e.json"
    assert error.path.startswith("$") or "text" in str(error)
    assert len(str(error)) < 1500
    assert str(error).isprintable()


# ---------------------------------------------------------------- whatever it is


@given(JSON)
def test_any_json_is_read_or_refused(value: Any) -> None:
    answer(json.dumps(value))
    answer(json.dumps({"format": "brokerui.estate/1", "instances": value}))


@given(st.text() | st.binary())
def test_anything_at_all_is_read_or_refused(source: bytes | str) -> None:
    assert isinstance(answer(source), InputError)


# ---------------------------------------------------------------- a valid document that something happened to


@given(st.data(), estates())
def test_a_document_that_was_damaged_is_read_or_refused(data: st.DataObject, estate: dict[str, Any]) -> None:
    text = json.dumps(estate)
    for _ in range(data.draw(st.integers(1, 3))):
        text = data.draw(st.sampled_from(DAMAGES))(data.draw, text)
    answer(text)


@given(st.data(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"]))
def test_bytes_that_were_damaged_are_read_or_refused(data: st.DataObject, encoding: str) -> None:
    content = bytearray(json.dumps(FULL).encode(encoding))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=5)):
        content[place] = data.draw(st.integers(0, 255))
    answer(bytes(content[: data.draw(st.integers(0, len(content)))]))


def truncate(draw: st.DrawFn, text: str) -> str:
    return text[: place(draw, text)]


def insert(draw: st.DrawFn, text: str) -> str:
    at = place(draw, text)
    return text[:at] + draw(st.sampled_from(JUNK)) + text[at:]


def splice(draw: st.DrawFn, text: str) -> str:
    """A piece of it stands elsewhere too."""
    start, end, at = (*sorted([place(draw, text), place(draw, text)]), place(draw, text))
    return text[:at] + text[start:end] + text[at:]


def cut(draw: st.DrawFn, text: str) -> str:
    start, end = sorted([place(draw, text), place(draw, text)])
    return text[:start] + text[end:]


def place(draw: st.DrawFn, text: str) -> int:
    return draw(st.integers(0, len(text)))


DAMAGES: tuple[Callable[[Any, str], str], ...] = (truncate, insert, splice, cut)


# ---------------------------------------------------------------- something else at every place of a document


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from paths(member, (*path, key))


def with_value(document: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    return changed


def shown(path: Path) -> str:
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


@pytest.mark.parametrize("path", [*paths(FULL)], ids=shown)
def test_a_value_of_another_type_is_refused_where_it_stands(path: Path) -> None:
    for other in OTHERS:
        found = answer(json.dumps(with_value(FULL, path, other)))
        if isinstance(found, InputError):
            assert shown(path).startswith(found.path) or found.path.startswith(shown(path)), str(found)


@pytest.mark.parametrize("path", [path for path in paths(FULL) if path and isinstance(path[-1], str)], ids=shown)
def test_a_key_that_is_misspelt_or_stands_twice_is_refused(path: Path) -> None:
    text = json.dumps(with_value(FULL, path, "\1"))
    key = json.dumps(path[-1])
    for instead in (f'{key}: "\\u0001", "extra"', f'{key}: "\\u0001", {key}'):
        found = answer(text.replace(f'{key}: "\\u0001"', f'{instead}: "\\u0001"'))
        assert isinstance(found, InputError)


@given(estates(), st.data())
def test_in_any_estate_a_value_of_another_type_is_read_or_refused(estate: dict[str, Any], data: st.DataObject) -> None:
    for _ in range(5):
        path = data.draw(st.sampled_from(list(paths(estate))))
        answer(json.dumps(with_value(estate, path, data.draw(st.sampled_from(OTHERS)))))


# ---------------------------------------------------------------- nesting


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"format": [', '{"instances": [{"databases": ['])
@pytest.mark.parametrize("depth", [1, 50, 900, 1100, 100_000])
def test_nesting_of_any_depth_is_refused(opening: str, depth: int) -> None:
    found = answer(opening * depth)
    assert isinstance(found, InputError)


@pytest.mark.parametrize("depth", [10, 900, 1100, 100_000])
@pytest.mark.parametrize("key", ["name", "addresses", "forwarding", "endpoint"])
def test_nesting_inside_a_leaf_is_refused_with_the_path_of_the_leaf(key: str, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    found = answer(f'{{"format": "brokerui.estate/1", "instances": [{{"{key}": {nested}}}]}}')
    assert isinstance(found, InputError)
    assert found.path.startswith(f"$.instances[0].{key}")


# ---------------------------------------------------------------- what an error shows


@pytest.mark.parametrize(
    ("key", "shown_as"),
    [("\x1b[2J", r"\x1b[2J"), ("\ud800", r"\ud800"), ("a\u202eb", r"a\u202eb"), ("a\nb", "a b"), ("Büro", "Büro")],
)
def test_an_error_shows_what_no_terminal_shows_or_obeys_as_escapes(key: str, shown_as: str) -> None:
    found = answer(json.dumps({key: 1}))
    assert f'has the unknown key "{shown_as}"' in str(found)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"x" * 200_000: 1}),
        f'{{"{"x" * 200_000}": 1, "{"x" * 200_000}": 1}}',
        json.dumps(with_value(FULL, ("instances", 0, "endpoint", "state"), "x" * 200_000)),
        json.dumps(with_value(FULL, ("instances", 0, "name"), "x" * 200_000)),
        json.dumps(with_value(FULL, ("format",), "x" * 200_000)),
    ],
)
def test_an_error_stays_readable_however_long_the_value_is(text: str) -> None:
    assert len(str(answer(text))) < 700
