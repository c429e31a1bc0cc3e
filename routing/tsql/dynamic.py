"""Finds Service Broker statements inside strings; they are reported, never applied."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from routing.tsql.control_flow import CONTROL, STARTERS
from routing.tsql.cursor import FOLLOWERS, NOT_NAMES
from routing.tsql.lexer import END, NUMBER, QUOTED, STRING, SYMBOL, WORD, SqlToken, next_token, words
from routing.tsql.statement import QUEUE, name_in_estate

VERB = re.compile(r"\b(?:create|alter|drop)\b", re.IGNORECASE)
"""Words that a string must contain to be examined."""
_HOLE = "\0"
"""Stands for a part of the string that is known only at run time."""
_DELIMITED = r"\[[^\]]*+(?:\]\][^\]]*+)*+\]|\"[^\"]++\""
_SCHEMA = rf"(?:(?P<schema>{_DELIMITED}(?=\.\S)|\w++(?=(?:\.\w++){{0,2}}\.[\[\"{_HOLE}]))\.){{0,3}}"
_NAME = rf"{_SCHEMA}(?P<name>{_DELIMITED}|(?:\$\([\w-]++\)|[\w@#$./:-])++)?"
_STATEMENT = re.compile(
    rf"""\buse\s++(?P<used>{_DELIMITED}|\w++|{_HOLE}) | \b(?P<verb>create|alter|drop)\s++
    (?P<kind>route|service(?!\s++master\s++key\b)|queue|contract|message\s++type|broker\s++priority
        |remote\s++service\s++binding|endpoint
        |database(?!\s++(?:audit|encryption|scoped)\s++(?:specification|key|configuration|credential)\b)
    )\b(?!\s*+[,']) \s*+ (?:if\s++exists\s++)? {_NAME}""",
    re.IGNORECASE | re.VERBOSE,
)
_NEEDED: Mapping[str, re.Pattern[str]] = {
    "ALTER DATABASE": re.compile(
        r"[^;]{0,400}?\b(?:(?:enable|disable|new)_broker|error_broker_conversations)\b", re.IGNORECASE
    ),
    "ENDPOINT": re.compile(r"[^;]{0,1000}?\bservice_broker\b", re.IGNORECASE),
}
"""The token that must follow the name, for kinds whose words have other meanings too."""
_NEXT = re.compile(r"((?:\s|--[^\n]*+|/\*[^*]{0,200}+\*/)*)(\w++|.|\Z)", re.DOTALL)
_OWN = {
    "ROUTE": words("authorization with"),
    "SERVICE": words("authorization on ("),
    "QUEUE": words("with on rebuild reorganize move"),
    "CONTRACT": words("authorization ("),
    "MESSAGE TYPE": words("authorization validation"),
    "BROKER PRIORITY": words("for"),
    "REMOTE SERVICE BINDING": words("authorization to with"),
    "DATABASE": words("on collate with for as containment set modify add remove"),
}
"""The words that may follow a name."""
_MAY_END = frozenset(("CREATE QUEUE", "CREATE MESSAGE TYPE", "CREATE DATABASE"))
"""Statements that are complete with the name; so is every DROP."""
_NO_CODE = frozenset(".,:!(")
"""Words after or in place of a name that belong to messages for people."""
_LINE = re.compile(r"(?:\A|[\n;])([^\n;]*)\Z")
_PROSE = re.compile(r"\s*([^\W\d_]++)[\w\s.,!?-]*")
_BEGINNINGS = FOLLOWERS | STARTERS | CONTROL | words("go as then")
_JOINED = re.compile(r"\+=?\s*[Nn]?\Z")
_LOOK_BACK = 200
MOST_ARGUMENTS = 100
"""Limit of tokens of a call inside a concatenated string; later ones are ignored."""


@dataclass(frozen=True, slots=True)
class DynamicStatement:
    """A statement in a string."""

    start: int
    """Position of the piece of the string with its verb, and the number of lines below that."""
    lines: int
    verb: str
    kind: str
    name: str | None
    """The name as in an estate."""
    database: str | None
    """The database of the last USE before it in the string; empty if it is known only at run time."""

    @property
    def title(self) -> str:
        return f"{self.verb} {self.kind}"


@dataclass(frozen=True, slots=True)
class _Nature:
    """How a string is used."""

    is_code: bool
    """The string is run: nothing in it is a message for people."""
    is_name: bool
    """The string may be a column name, as in AS "Create route"."""
    is_part: bool
    """Text may precede it."""


def statements_in(text: str, start: int, *, is_code: bool) -> tuple[list[DynamicStatement], int]:
    """The statements in the string that begins at `start` and in everything joined to it with `+`, and where that ends.

    `is_code`: the string is certainly run.
    """
    pieces, end = _pieces(text, start)
    is_name = text[start] == '"' and len(pieces) == 1 and not is_code
    is_part = _JOINED.search(text, max(0, start - _LOOK_BACK), start) is not None
    return list(_found(pieces, _Nature(is_code, is_name, is_part))), end


def _found(pieces: list[tuple[int, str]], nature: _Nature) -> Iterator[DynamicStatement]:
    places, whole = _Places(pieces), "".join(value for _, value in pieces)
    database, position, taken, refused = None, 0, -1, -1
    while match := _STATEMENT.search(whole, position):
        if match["used"]:
            database, position = _bare(match["used"]) or "", match.end()
            continue
        verb, kind = match["verb"].upper(), " ".join(match["kind"].split()).upper()
        is_sentence = not nature.is_code and not _may_begin(whole, match.start(), taken, refused, nature.is_part)
        is_statement = not is_sentence and _goes_on(match, verb, kind, nature.is_code)
        if is_statement and not (nature.is_name and match["name"] is None):
            yield DynamicStatement(*places.of(match.start()), verb, kind, _object(kind, match), database)
            position = taken = match.end()
        else:
            position = refused = match.end("kind")


def _may_begin(whole: str, start: int, taken: int, refused: int, is_part: bool) -> bool:
    """True if a statement may begin there; not after words of a message, as in `please drop queue q`."""
    before = _LINE.search(whole, max(0, start - _LOOK_BACK), start)
    if before is None or (is_part and before.start(1) == 0) or taken >= before.start(1):
        return True
    prose = _PROSE.fullmatch(before[1])
    if prose is None:
        return True
    first = prose[1].lower()
    return first in _BEGINNINGS and not (first in ("create", "alter", "drop") and refused > before.start(1))


def _goes_on(match: re.Match[str], verb: str, kind: str, is_code: bool) -> bool:
    """True if the name and the words after it fit the statement."""
    if (match["name"] or "").lower() in NOT_NAMES:
        return False
    needed = _NEEDED.get(f"{verb} {kind}") or _NEEDED.get(kind)
    if needed is not None:
        return needed.match(match.string, match.end()) is not None
    if is_code:
        return True
    gap, after = (_NEXT.match(match.string, match.end()) or match).groups()[:2]
    word = after.lower()
    if word in _OWN[kind]:
        return True
    if not word[:1].isalnum():
        return word not in _NO_CODE or not word
    return (verb == "DROP" or f"{verb} {kind}" in _MAY_END) and (word in _BEGINNINGS or "\n" in gap)


def _object(kind: str, match: re.Match[str]) -> str | None:
    name = _bare(match["name"])
    if kind != QUEUE or name is None:
        return name
    parts = [name] if match["name"][0] in '["' else name.split(".")
    if not parts[-1]:
        return None
    if len(parts) > 1 or match["schema"] is None:
        return name_in_estate(kind, tuple(parts))
    schema = _bare(match["schema"])
    return f"{schema}.{name}" if schema else name


class _Places:
    """Maps positions of the concatenated text to its pieces; positions must be asked in rising order."""

    def __init__(self, pieces: list[tuple[int, str]]) -> None:
        self._pieces = pieces
        self._index = 0
        self._passed = 0
        """The length of the pieces before the current one."""
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
    """The position and value of each operand of a concatenation."""
    token = next_token(text, start)
    pieces = [(start, token.text)]
    while (plus := next_token(text, token.end)).kind == SYMBOL and plus.text == "+":
        pieces_end = _operand(text, plus.end)
        if pieces_end is None:
            break
        value, first, token = pieces_end
        pieces.append((first, value))
    return pieces, token.end


def _operand(text: str, position: int) -> tuple[str, int, SqlToken] | None:
    """The value after a `+`, its beginning, and its last token."""
    token = next_token(text, position)
    if token.kind == STRING or (token.kind == QUOTED and token.raw[0] == '"' and not token.text.isidentifier()):
        return token.text, token.start, token
    if token.kind == QUOTED:
        return _HOLE, token.start, token
    if token.kind not in (WORD, NUMBER):
        return None
    opening = next_token(text, token.end)
    if token.kind == NUMBER or opening.text != "(" or opening.kind != SYMBOL:
        return _HOLE, token.start, token
    inner = list(_arguments(text, opening.end))
    if token.text.upper() in ("CHAR", "NCHAR") and len(inner) == 2 and inner[0].kind == NUMBER:
        return _character(inner[0].text), token.start, inner[-1]
    return (_HOLE, token.start, inner[-1]) if inner else None


def _arguments(text: str, position: int) -> Iterator[SqlToken]:
    """The tokens of a call, up to the closing parenthesis."""
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
