"""The words of T-SQL, one by one."""

from __future__ import annotations

import pytest

from routing.tsql.lexer import (
    END,
    Unclosed,
    begins_line,
    next_token,
    placeholder,
    separator,
    sqlcmd_variable,
    substituted,
)


def tokens(text: str) -> list[tuple[str, str]]:
    found, position = [], 0
    while (token := next_token(text, position)).kind != END:
        found.append((token.kind, token.text))
        position = token.end
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("N'it''s'", [("string", "it's")]),
        ("n'x' Nx", [("string", "x"), ("word", "Nx")]),
        ('[a]]b]."c""d"', [("quoted", "a]b"), ("symbol", "."), ("quoted", 'c"d')]),
        ("@x #t $y a$(b)c", [("word", "@x"), ("word", "#t"), ("word", "$y"), ("word", "a$(b)c")]),
        ("60 0x1F 6a", [("number", "60"), ("word", "0x1F"), ("word", "6a")]),
        ("a--b\nc/*d/*e*/f*/g", [("word", "a"), ("word", "c"), ("word", "g")]),
        ("<a, b, c> a<b", [("template", "<a, b, c>"), ("word", "a"), ("symbol", "<"), ("word", "b")]),
        ("\ufeffa\u200bb", [("word", "a"), ("word", "b")]),
        ("a\nGO\nb", [("word", "a")]),
        ("a\n:r x", [("word", "a")]),
        ("a\n::b", [("word", "a"), ("symbol", ":"), ("symbol", ":"), ("word", "b")]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[tuple[str, str]]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize("text", ["'a", "'a''", "[a", "[a]]", '"a', "/* a /* b */"])
def test_what_never_ends_is_told_with_its_place(text: str) -> None:
    with pytest.raises(Unclosed) as caught:
        next_token(f"  {text}", 0)
    assert caught.value.start in (2, 3)


@pytest.mark.parametrize("line", ["GO", "go 5", "Go;", "GO -- x", "GO /* x */ ", "GO\r"])
def test_a_line_that_ends_a_batch(line: str) -> None:
    assert separator(f"a\n \t{line}\nb", 4) is not None


@pytest.mark.parametrize("line", ["GOTO", "GO x", "GO 5 6", "a GO"])
def test_a_line_that_does_not(line: str) -> None:
    assert separator(line, line.index("GO")) is None


def test_the_beginning_of_a_line() -> None:
    assert begins_line("  x", 2)
    assert begins_line("a\n\tx", 3)
    assert not begins_line("a x", 2)


def test_variables_of_sqlcmd_compare_without_case() -> None:
    assert substituted("$(A)-$(b)", {"a": "1"}) == "1-$(b)"
    assert (sqlcmd_variable("x$(y)"), sqlcmd_variable("$(")) == ("$(y)", None)


def test_placeholders() -> None:
    assert placeholder("N'<a, b,>'") == "<a, b,>"
    assert placeholder("<a> <b,c>") is None
