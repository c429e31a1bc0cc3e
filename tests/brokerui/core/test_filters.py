"""The language of filters: writing and reading are each other's inverse, and a mistake is reported with its place."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brokerui.core.filters import LONGEST, FilterError, Term, as_text, combined, kept, one_of, parse, whole, within

KEYS = ("service", "is", "instance")
VALUES = st.text(st.characters(codec="utf-8"), max_size=12) | st.text('-":* a', max_size=6)
TERMS = st.builds(Term, VALUES, st.sampled_from(["", *KEYS]), st.booleans())


@given(st.lists(TERMS, max_size=6))
@example([Term("-a"), Term("is:b"), Term('"c')])
def test_what_is_written_is_read_again(terms: list[Term]) -> None:
    assert parse(as_text(terms), KEYS) == tuple(terms)


@given(st.text('abis:-"* /\t', max_size=20))
def test_whatever_is_typed_is_read_or_refused_with_its_place(text: str) -> None:
    terms, error = parsed(text)
    if error is None:
        assert parse(as_text(terms), KEYS) == terms
        assert all(text[term.start : term.end].strip() == text[term.start : term.end] != "" for term in terms)
    else:
        assert 0 <= error.start < error.end <= len(text)
        assert str(error.problem)


def parsed(text: str) -> tuple[tuple[Term, ...], FilterError | None]:
    try:
        return parse(text, KEYS), None
    except FilterError as error:
        return (), error


def test_the_words_of_a_filter() -> None:
    text = 'Service:Order* service://a/b -is:expired tcp://host2 "two ""big"" words" - service:"" -"-x"'
    assert parse(text, KEYS) == (
        Term("Order*", "service"),
        Term("//a/b", "service"),
        Term("expired", "is", is_negated=True),
        Term("tcp://host2"),
        Term('two "big" words'),
        Term("-"),
        Term("", "service"),
        Term("-x", is_negated=True),
    )


@pytest.mark.parametrize(
    ("text", "part", "problem"),
    [
        ("a servce:x", "servce:x", "there is no servce: here; did you mean service:?"),
        ("colour:red", "colour:red", "there is no colour: here; put a word with a colon in quotation marks"),
        ("service: b", "service:", "needs a value after the colon"),
        ('a "b c', '"b c', "the quotation mark is not closed"),
        ('"b"c d', '"b"c', "a space must follow the closing quotation mark"),
    ],
)
def test_a_mistake_is_told_where_it_stands(text: str, part: str, problem: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text, KEYS)
    assert text[caught.value.start : caught.value.end] == part
    assert str(caught.value.problem).startswith(problem)


def test_a_filter_is_not_endless() -> None:
    with pytest.raises(FilterError, match="longer than"):
        parse("a" * (LONGEST + 1), KEYS)


def test_a_choice_is_one_of_a_few() -> None:
    assert one_of(Term("Expired", "is"), ("expired", "local")) == "expired"
    with pytest.raises(FilterError, match="is: takes expired, local"):
        one_of(Term("old", "is", start=0, end=6), ("expired", "local"))


@pytest.mark.parametrize(
    ("pattern", "text", "is_whole", "is_within"),
    [
        ("order", "Order", True, True),
        ("order", "Orders", False, True),
        ("order*", "OrderParts", True, True),
        ("*s", "Orders", True, True),
        ("o*r*s", "Orders", True, True),
        ("o*x*s", "Orders", False, False),
        ("ab*ba", "aba", False, False),
        ("*", "", True, True),
        ("", "", True, True),
        ("", "a", False, True),
        ("STRASSE", "straße", True, True),
    ],
)
def test_a_star_stands_for_anything(pattern: str, text: str, *, is_whole: bool, is_within: bool) -> None:
    assert (whole(pattern)(text), within(pattern)(text)) == (is_whole, is_within)


def test_many_stars_take_no_time() -> None:
    fits = whole("*a" * 400 + "*b")
    begun = time.process_time()
    assert not fits("a" * 5_000)
    assert time.process_time() - begun < 1  # a search that goes back at every star would take for ever


def test_all_words_must_hold() -> None:
    makers = {"": lambda term: within(term.value), "is": lambda term: lambda text: text == term.value}
    rows = ["a", "ab", "b", "xa"]
    terms = parse("a -b", ("is",))
    assert kept(rows, terms, makers) == list(filter(combined(terms, makers), rows)) == ["a", "xa"]
    assert kept(rows, (), makers) == list(filter(combined((), makers), rows)) == rows
