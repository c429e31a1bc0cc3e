"""Statements of Service Broker inside strings: found and reported, never applied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from routing.tsql.lexer import END, NUMBER, STRING, SYMBOL, WORD, Token, next_token

VERB = re.compile(r"\b(?:create|alter|drop)\b", re.IGNORECASE)
"""What a string must hold to be looked at."""
_HOLE = "\0"
"""In the place of what only running the script can tell."""
_SCHEMA = r"(?:\[[^\]]*(?:\]\][^\]]*)*\]\.|\w+\.(?=[\[\"])){0,3}"
_NAME = _SCHEMA + r"(?P<name>\[[^\]]*+(?:\]\][^\]]*+)*+\]|\"[^\"]++\"|[\w@#$./:-]++)?"
_STATEMENT = re.compile(
    rf"""\buse\s++(?P<used>\[[^\]]*+(?:\]\][^\]]*+)*+\]|\w++|{_HOLE}) | \b(?P<verb>create|alter|drop)\s++(?:
      (?P<kind>route|service(?!\s++master\s++key\b)|queue|contract|message\s++type|broker\s++priority
        |remote\s++service\s++binding)\b(?!\s*+[,'])
    | (?P<database>database)\b[^;]{{0,400}}?\b(?:(?:enable|disable|new)_broker|error_broker_conversations)\b
    | (?P<endpoint>endpoint)\b[^;]{{0,1000}}?\bservice_broker\b
    )\s*+{_NAME}""",
    re.IGNORECASE | re.VERBOSE,
)
MOST_ARGUMENTS = 100
"""Tokens of a call within a string that is put together; what comes after so many is not looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """A statement in a string."""

    start: int
    """Where the piece of the string begins in which its verb stands, and how many lines below that."""
    lines: int
    title: str
    name: str | None
    database: str | None
    """That of the last USE before it in the string; empty where only running it can tell which."""


def statements_in(text: str, start: int) -> tuple[list[Found], int]:
    """What is found in the string that begins at `start` and in all that is joined to it with `+`; where they end."""
    pieces, end = _pieces(text, start)
    places = _Places(pieces)
    found: list[Found] = []
    database = None
    for match in _STATEMENT.finditer("".join(value for _, value in pieces)):
        if match["used"]:
            database = _bare(match["used"]) or ""
        else:
            found.append(_found(match, *places.of(match.start()), database))
    return found, end


def _found(match: re.Match[str], start: int, lines: int, database: str | None) -> Found:
    kind = match["kind"] or match["database"] or match["endpoint"]
    name = match["name"] if match["kind"] else None
    if kind.lower() == "queue" and name and name[0] not in '["':
        name = name.rpartition(".")[2]
    return Found(start, lines, f"{match['verb']} {' '.join(kind.split())}".upper(), _bare(name), database)


class _Places:
    """Where positions of the whole lie in its pieces; they are asked for in rising order."""

    def __init__(self, pieces: list[tuple[int, str]]) -> None:
        self._pieces = pieces
        self._index = 0
        self._passed = 0
        """The length of the pieces before this one."""
        self._counted = 0
        self._lines = 0

    def of(self, position: int) -> tuple[int, int]:
        """The beginning of the piece, and the number of line ends in it before the position."""
        while position - self._passed >= len(self._pieces[self._index][1]):
            self._passed += len(self._pieces[self._index][1])
            self._index += 1
            self._counted = self._lines = 0
        start, value = self._pieces[self._index]
        self._lines += value.count("\n", self._counted, position - self._passed)
        self._counted = position - self._passed
        return start, self._lines


def _bare(name: str | None) -> str | None:
    if not name or _HOLE in name or "?" in name or name.startswith("@"):
        return None
    return name[1:-1].replace("]]", "]") if name[0] in '["' else name


def _pieces(text: str, start: int) -> tuple[list[tuple[int, str]], int]:
    """Where each operand of a concatenation stands, and its value."""
    token = next_token(text, start)
    pieces = [(start, token.text)]
    while (plus := next_token(text, token.end)).kind == SYMBOL and plus.text == "+":
        pieces_end = _operand(text, plus.end)
        if pieces_end is None:
            break
        value, first, token = pieces_end
        pieces.append((first, value))
    return pieces, token.end


def _operand(text: str, position: int) -> tuple[str, int, Token] | None:
    """The value of what stands after a `+`, where it begins, and its last token."""
    if (token := next_token(text, position)).kind == SYMBOL and token.text == "=":
        token = next_token(text, token.end)  # SET @x += …
    if token.kind == STRING:
        return token.text, token.start, token
    if token.kind not in (WORD, NUMBER):
        return None
    opening = next_token(text, token.end)
    if token.kind == NUMBER or opening.text != "(" or opening.kind != SYMBOL:
        return _HOLE, token.start, token
    inner = list(_arguments(text, opening.end))
    if token.text.upper() in ("CHAR", "NCHAR") and len(inner) == 2 and inner[0].kind == NUMBER:
        return _character(inner[0].text), token.start, inner[-1]
    return (_HOLE, token.start, inner[-1]) if inner else None


def _arguments(text: str, position: int) -> Iterator[Token]:
    """The tokens of a call, up to the parenthesis that closes it."""
    depth = 1
    for _ in range(MOST_ARGUMENTS):
        if not depth or (token := next_token(text, position)).kind == END:
            return
        depth += (token.text == "(") - (token.text == ")") if token.kind == SYMBOL else 0
        position = token.end
        yield token


def _character(digits: str) -> str:
    code = int(digits) if len(digits) < 6 else 0
    return chr(code) if 0 < code < 0xD800 else _HOLE
