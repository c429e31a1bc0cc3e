"""Distinguishes texts that are known only at run time from those with literals, which `dynamic` examines."""

from __future__ import annotations

import re
from collections.abc import Callable

from routing.tsql.constant_functions import is_known
from routing.tsql.cursor import FOLLOWERS
from routing.tsql.lexer import END, QUOTED, STRING, SYMBOL, WORD, SqlToken, next_token

MAX_TOKENS = 200
"""Limit of tokens of an expression; a longer one counts as one with literals."""
_LETTER = re.compile(r"[^\W\d_]")
_ENDS = FOLLOWERS | {"from", "into", "where"}
_STATEMENT_IN_TEXT = re.compile(
    r"'\s*(?:alter|backup|begin|create|dbcc|declare|delete|deny|drop|exec|execute|grant|if|insert|kill|merge|print|restore"
    r"|revoke|select|set|truncate|update|use|with)\s",
    re.IGNORECASE,
)
_CONVERSIONS = frozenset(("CAST", "CONVERT", "TRY_CAST", "TRY_CONVERT", "IIF"))


def has_statement_in_text(text: str) -> bool:
    """True if some literal of a script begins as a statement does: a cursor may put it into a variable."""
    return _STATEMENT_IN_TEXT.search(text) is not None


def has_literal(text: str, position: int, holds_literal: Callable[[str], bool]) -> bool:
    """True if words stand in the expression that begins there, or in a variable of it.

    `holds_literal` answers for a variable by its name in lower case. Arguments of unknown functions do not count.
    """
    opened: list[bool] = []
    """For each open parenthesis: whether literals in it reach the value."""
    before: SqlToken | None = None
    for _ in range(MAX_TOKENS):
        token = next_token(text, position)
        if _ends(token, bool(opened)):
            return False
        if token.kind == SYMBOL and token.text == "(":
            opened.append(all(opened[-1:]) and _passes_on(before))
        elif token.kind == SYMBOL and token.text == ")":
            opened.pop()
        elif all(opened[-1:]) and _tells(token, holds_literal):
            return True
        position, before = token.end, token
    return True


def _ends(token: SqlToken, is_inside: bool) -> bool:
    if token.kind == END:
        return True
    if is_inside:
        return False
    return (token.kind == WORD and token.text.lower() in _ENDS) or (token.kind == SYMBOL and token.text in ",;)")


def _passes_on(before: SqlToken | None) -> bool:
    """True if what stands in a parenthesis after this token reaches the value: not in functions that are not known."""
    if before is None or before.kind not in (WORD, QUOTED):
        return True
    return is_known(before.text) or before.text.upper() in _CONVERSIONS


def _tells(token: SqlToken, holds_literal: Callable[[str], bool]) -> bool:
    if token.kind == STRING or (token.kind == QUOTED and token.raw[0] == '"'):
        return _LETTER.search(token.text) is not None
    return token.kind == WORD and token.text[0] == "@" and holds_literal(token.text.lower())
