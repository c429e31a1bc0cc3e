"""The lexer of T-SQL.

Two readers share its rules. `EVENT` skips quickly over everything that cannot concern Service Broker; `next_token`
gives each token of a statement that does. Both know strings, delimited names, nested comments, and `GO` on a line of
its own.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from routing.common.sentence import Sentence, say

WORD, QUOTED, STRING, NUMBER, SYMBOL, TEMPLATE, END = (
    "word", "quoted", "string", "number", "symbol", "template", "end",
)  # fmt: skip

_STRING = r"'[^']*+(?:''[^']*+)*+'"
_BRACKETS = r"\[[^\]]*+(?:\]\][^\]]*+)*+\]"
_DOUBLE = r'"[^"]*+(?:""[^"]*+)*+"'
_WORD = r"(?:[\w@#]|\$(?:\([\w-]++\))?+)++"
"""A regular identifier, a variable, a keyword, a number; may contain `$(x)` of sqlcmd."""
_BLANK = r"[\s\ufeff\u200b]"
"""White space, including a byte order mark, which concatenated files contain anywhere."""
_IN_TEMPLATE = r"[^<>,'\n]++,[^<>,'\n]*+,[^<>\n]*+>"
_TEMPLATE = f"<{_IN_TEMPLATE}"
"""`<name, type, default>`: a template parameter of SSMS."""

_TOKEN = re.compile(
    rf"""{_BLANK}*+(?:
      (?P<string>[Nn]?{_STRING})
    | (?P<quoted>{_BRACKETS}|{_DOUBLE})
    | (?P<number>[0-9]++(?![\w@#$]))
    | (?P<word>{_WORD})
    | (?P<comment>--[^\n]*+)
    | (?P<block>/\*)
    | (?P<template>{_TEMPLATE})
    | (?P<open>['"\[])
    | (?P<symbol>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
EVENT = re.compile(
    rf"""(?:{_BLANK}|[,.=+*>%&|^~?\\{{}}])*+(?:
      ({_WORD})
    | ({_STRING})
    | ({_DOUBLE})
    | (?:{_BRACKETS})
    | ([();])
    | (--[^\n]*+)
    | (/\*)
    | (['"\[])
    | ([:!])
    | (<(?={_IN_TEMPLATE}))
    | [^\w@#$]
    )""",
    re.VERBOSE | re.DOTALL,
)
"""Tokens that may matter, with everything that may precede each. The groups, by number:"""
AT_WORD, AT_STRING, AT_DOUBLE, AT_MARK, AT_COMMENT, AT_BLOCK, AT_OPEN, AT_COMMAND, AT_TEMPLATE = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
)

_END_OF_GO = r"[^\S\n]*+;?[^\S\n]*+(?:--[^\n]*+|/\*[^\n]*?\*/[^\S\n]*+)?(?=\n|\Z)"
_GO = re.compile(rf"go[^\S\n]*+([0-9]*+){_END_OF_GO}", re.IGNORECASE)
_MORE_GO = re.compile(rf"(?:[^\S\n]*+\n)+[^\S\n]*+go[^\S\n]*+[0-9]*+{_END_OF_GO}", re.IGNORECASE)
_COMMAND = re.compile(r":[A-Za-z]|!!")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_CONTINUATION = re.compile(r"\\\r?\n")
SQLCMD_VARIABLE = re.compile(r"\$\(([\w-]+)\)")
TEMPLATE_IN_TEXT = re.compile(r"<[^<>,]+,[^<>,]*,[^<>]*>")
_STATEMENT_VARIABLE = re.compile(
    rf"(\$\([\w-]+\)|{_TEMPLATE})[^\S\n]*+(?:;|(?=--|\n|\Z)"
    r"|(?:route|service|queue|contract|message\s+type|broker\s+priority|remote\s+service|database|endpoint)\b)",
    re.IGNORECASE,
)
_ENDING = frozenset((":", "!", "go", "GO", "Go", "gO"))
"""Beginnings of a line that may end the batch before it."""
_ENDS_WITH_TEMPLATE = re.compile(rf"{_TEMPLATE}\s*\Z")
_REST_IS_BLANK = re.compile(r"[^\S\n]*+(?:--[^\n]*+)?(?=\n|\Z)")
_LOOK_BACK = 150
_DIGITS = 9
"""Digits of a number that are read; more make no difference."""


def words(text: str) -> frozenset[str]:
    """A set of keywords, from a text with blanks between them."""
    return frozenset(text.split())


_GOING_ON = words(
    """
    add and apply as between by case column declare delete distinct exec execute from function having if in index insert
    into is join like login not on or print proc procedure return role schema select set table then to top trigger union
    all update use user database values view when where while with
    """
)
"""At the end of a line: the first word of the next line belongs to the same statement."""


class Unclosed(Exception):
    """A string, a delimited name or a comment without an end in the script."""

    def __init__(self, start: int, problem: Sentence) -> None:
        super().__init__(start, problem)
        self.start = start
        self.problem = problem


class SqlToken(NamedTuple):
    """A token of a statement."""

    kind: str
    text: str
    """The content: a name without its brackets, a string without its quotes."""
    start: int
    end: int
    raw: str
    """The token as written."""


_token = tuple.__new__
"""Creates a token in half the time of the constructor."""
_KINDS = {index: kind for kind, index in _TOKEN.groupindex.items()}
_WORD_AT, _SYMBOL_AT = _TOKEN.groupindex[WORD], _TOKEN.groupindex[SYMBOL]


def next_token(text: str, position: int) -> SqlToken:
    """The token at or after a position, after comments; `END` at the end of the batch.

    Raises `Unclosed`.
    """
    while True:
        match = _TOKEN.match(text, position)
        if match is None:
            return SqlToken(END, "", len(text), len(text), "")
        index = match.lastindex or 0
        start, end = match.span(index)
        if index in (_WORD_AT, _SYMBOL_AT):
            raw = text[start:end]
            if raw in _ENDING and (separator(text, start) or is_command(text, start)):
                return SqlToken(END, "", start, start, "")
            return _token(SqlToken, (WORD if index == _WORD_AT else SYMBOL, raw, start, end, raw))
        kind = _KINDS[index]
        if kind == "comment":
            position = end
        elif kind == "block":
            position = end_of_comment(text, start)
        elif kind == "open":
            raise unclosed(text, start)
        else:
            raw = text[start:end]
            return SqlToken(kind, _unquoted(kind, raw), start, end, raw)


def _unquoted(kind: str, raw: str) -> str:
    if kind == STRING:
        inner = continued(raw[raw.index("'") + 1 : -1])
        return inner.replace("''", "'") if "'" in inner else inner
    if kind == QUOTED:
        return raw[1:-1].replace("]]", "]") if raw[0] == "[" else raw[1:-1].replace('""', '"')
    return raw


def continued(text: str) -> str:
    """A literal with lines joined at a trailing backslash: SQL Server removes both characters."""
    return _CONTINUATION.sub("", text) if "\\" in text else text


def end_of_comment(text: str, start: int) -> int:
    """The end of the block comment that begins at `start`; comments nest. Raises `Unclosed`."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    raise Unclosed(start, say("the comment that begins here never ends"))


def unclosed(text: str, start: int) -> Unclosed:
    """The error for an opening quote or bracket without its partner."""
    if text[start] == "'":
        return Unclosed(start, say("the string that begins here never ends"))
    return Unclosed(start, say("the delimited name that begins here never ends"))


class Separator(NamedTuple):
    """A `GO` on a line of its own."""

    end: int
    """The end of its line, and of further GO lines directly after it."""
    times: int
    """How many times the batch before it runs."""


def separator(text: str, start: int) -> Separator | None:
    """The `GO [n]` at `start`; None for any other word."""
    match = _GO.match(text, start)
    if match is None or not begins_line(text, start):
        return None
    end = match.end()
    while more := _MORE_GO.match(text, end):
        end = more.end()
    return Separator(end, int(match[1][:_DIGITS] or 1))


def is_command(text: str, start: int) -> bool:
    """True if a sqlcmd command begins at `start`, such as `:setvar` or `!!`."""
    return _COMMAND.match(text, start) is not None and begins_line(text, start)


def begins_line(text: str, position: int) -> bool:
    """True if only blanks precede the position on its line."""
    before = position - 1
    while before >= 0 and text[before] != "\n":
        if text[before] not in " \t\r\f\v\ufeff\xa0":
            return False
        before -= 1
    return True


def statement_in_place_of(text: str, start: int) -> str | None:
    """The `$(x)` or template parameter there, if it is the first word of a statement, or all of it."""
    match = _STATEMENT_VARIABLE.match(text, start)
    if match is None or not begins_line(text, start):
        return None
    return None if goes_on(text, start) else match[1]


def goes_on(text: str, position: int) -> bool:
    """True if the statement before a position is incomplete, so that no other one begins there."""
    before = last_word(text, position)
    if before == ">" and _ENDS_WITH_TEMPLATE.search(text, max(0, position - _LOOK_BACK), position):
        return False
    return before in ",.=+*/<>(%&|-" or before.lower() in _GOING_ON


def stands_alone(text: str, start: int, end: int) -> bool:
    """True if nothing else is on the line, and the line before it is complete."""
    return begins_line(text, start) and _REST_IS_BLANK.match(text, end) is not None and not goes_on(text, start)


def last_word(text: str, end: int) -> str:
    """The word or symbol before a position; only the end of a very long one, and empty after very many blanks."""
    before = text[max(0, end - _LOOK_BACK) : end].rstrip()
    start = len(before)
    while start and (before[start - 1].isalnum() or before[start - 1] in "_@#$"):
        start -= 1
    return before[start:] or before[-1:] or "\n"


class VariableValues(Protocol):
    """Values by the name of a sqlcmd variable in lower case."""

    def get(self, name: str, default: str, /) -> str: ...


def substituted(text: str, variables: VariableValues) -> str:
    """The text with the values of all known sqlcmd variables; their names compare without case."""
    if "$(" not in text:
        return text
    return SQLCMD_VARIABLE.sub(lambda match: variables.get(match[1].lower(), match[0]), text)


def sqlcmd_variable(text: str) -> str | None:
    """The first `$(x)` that is left in a text."""
    match = SQLCMD_VARIABLE.search(text) if "$(" in text else None
    return match[0] if match else None


def placeholder(text: str) -> str | None:
    """The first template parameter in a text."""
    match = TEMPLATE_IN_TEXT.search(text) if "<" in text else None
    return match[0] if match else None
