"""The words of T-SQL: what a character means depends on nothing but what stands before it.

Two readers share these rules. `EVENT` passes over whatever cannot concern Service Broker, fast; `next_token` gives
each token of a statement that does. Both know strings, delimited names, nested comments, and `GO` on a line of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from routing.common.sentence import Sentence, say

WORD, QUOTED, STRING, NUMBER, SYMBOL, TEMPLATE, END = (
    "word", "quoted", "string", "number", "symbol", "template", "end",
)  # fmt: skip

_STRING = r"'[^']*+(?:''[^']*+)*+'"
_BRACKETS = r"\[[^\]]*+(?:\]\][^\]]*+)*+\]"
_DOUBLE = r'"[^"]*+(?:""[^"]*+)*+"'
_WORD = r"(?:[\w@#]|\$(?:\([\w-]++\))?+)++"
"""A regular identifier, a variable, a keyword, a number; `$(x)` of sqlcmd may be a part of it."""
_BLANK = r"[\s\ufeff\u200b]"
"""A byte order mark may stand anywhere: files get concatenated."""
_IN_TEMPLATE = r"[^<>,'\n]++,[^<>,'\n]*+,[^<>\n]*+>"
_TEMPLATE = f"<{_IN_TEMPLATE}"
"""`<name, type, default>`: SSMS asks for these before a template can run."""

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
"""What may matter, and all that may stand before it. The groups, by number:"""
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
"""What may begin a line that ends the batch before it."""
_ENDS_WITH_TEMPLATE = re.compile(rf"{_TEMPLATE}\s*\Z")
_REST_IS_BLANK = re.compile(r"[^\S\n]*+(?:--[^\n]*+)?(?=\n|\Z)")
_LOOK_BACK = 150
_DIGITS = 9
"""Of a number that is looked at; a larger one means as much."""


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
"""Before the end of a line: the first word of the next one belongs to it."""


class Unclosed(Exception):
    """A string, a delimited name or a comment runs to the end of the script."""

    def __init__(self, start: int, problem: Sentence) -> None:
        super().__init__(start, problem)
        self.start = start
        self.problem = problem


class SqlToken(NamedTuple):
    """A piece of a statement."""

    kind: str
    text: str
    """What it says: a name without its brackets, a string without its quotes."""
    start: int
    end: int
    raw: str
    """As it was written."""


_token = tuple.__new__
"""Makes one in half the time."""
_KINDS = {index: kind for kind, index in _TOKEN.groupindex.items()}
_WORD_AT, _SYMBOL_AT = _TOKEN.groupindex[WORD], _TOKEN.groupindex[SYMBOL]


def next_token(text: str, position: int) -> SqlToken:
    """The token at or after a position, comments passed over; `END` where the batch ends.

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
    """A literal with its lines joined where a backslash ends them: the product drops both characters."""
    return _CONTINUATION.sub("", text) if "\\" in text else text


def end_of_comment(text: str, start: int) -> int:
    """Where a block comment ends that begins at `start`; they nest. Raises `Unclosed`."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    raise Unclosed(start, say("the comment that begins here never ends"))


def unclosed(text: str, start: int) -> Unclosed:
    """What to raise for an opening quote or bracket without its partner."""
    if text[start] == "'":
        return Unclosed(start, say("the string that begins here never ends"))
    return Unclosed(start, say("the delimited name that begins here never ends"))


class Separator(NamedTuple):
    """A `GO` on a line of its own."""

    end: int
    """Where its line ends, and those of all that follow it at once."""
    times: int
    """How often the batch before it is run."""


def separator(text: str, start: int) -> Separator | None:
    """The `GO [n]` that stands at `start`; None where it is another word."""
    match = _GO.match(text, start)
    if match is None or not begins_line(text, start):
        return None
    end = match.end()
    while more := _MORE_GO.match(text, end):
        end = more.end()
    return Separator(end, int(match[1][:_DIGITS] or 1))


def is_command(text: str, start: int) -> bool:
    """Whether a command of sqlcmd stands at `start`, as `:setvar` or `!!`."""
    return _COMMAND.match(text, start) is not None and begins_line(text, start)


def begins_line(text: str, position: int) -> bool:
    """Whether nothing but blanks stands before it on its line."""
    before = position - 1
    while before >= 0 and text[before] != "\n":
        if text[before] not in " \t\r\f\v\ufeff\xa0":
            return False
        before -= 1
    return True


def statement_in_place_of(text: str, start: int) -> str | None:
    """The `$(x)` or the template there, if it is the first word of a statement, or all of it."""
    match = _STATEMENT_VARIABLE.match(text, start)
    if match is None or not begins_line(text, start):
        return None
    return None if goes_on(text, start) else match[1]


def goes_on(text: str, position: int) -> bool:
    """Whether the statement before a position needs more, so that no other one begins there."""
    before = last_word(text, position)
    if before == ">" and _ENDS_WITH_TEMPLATE.search(text, max(0, position - _LOOK_BACK), position):
        return False
    return before in ",.=+*/<>(%&|-" or before.lower() in _GOING_ON


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing else is on the line, and the one before it needs no more."""
    return begins_line(text, start) and _REST_IS_BLANK.match(text, end) is not None and not goes_on(text, start)


def last_word(text: str, end: int) -> str:
    """The word or the symbol before a position; of a very long one the end, and nothing of very many blanks."""
    before = text[max(0, end - _LOOK_BACK) : end].rstrip()
    start = len(before)
    while start and (before[start - 1].isalnum() or before[start - 1] in "_@#$"):
        start -= 1
    return before[start:] or before[-1:] or "\n"


def substituted(text: str, variables: Mapping[str, str]) -> str:
    """With the value of each sqlcmd variable that is set; their names compare without case."""
    return SQLCMD_VARIABLE.sub(lambda match: variables.get(match[1].lower(), match[0]), text)


def sqlcmd_variable(text: str) -> str | None:
    """The first `$(x)` that is left in a text."""
    match = SQLCMD_VARIABLE.search(text) if "$(" in text else None
    return match[0] if match else None


def placeholder(text: str) -> str | None:
    """The first template placeholder in a text."""
    match = TEMPLATE_IN_TEXT.search(text) if "<" in text else None
    return match[0] if match else None
