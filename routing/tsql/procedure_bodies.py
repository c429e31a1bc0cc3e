"""Procedures, functions, triggers and views: the rest of the batch belongs to them and does not run now."""

from __future__ import annotations

from typing import NamedTuple

from routing.tsql.lexer import SYMBOL, WORD, SqlToken, next_token

_KINDS = {
    "PROC": "PROCEDURE",
    "PROCEDURE": "PROCEDURE",
    "FUNCTION": "FUNCTION",
    "TRIGGER": "TRIGGER",
    "VIEW": "VIEW",
}
_AFTER_PERMISSION = frozenset((",", "TO", "FROM", "ON"))
"""Words that follow if the kind is only named, as in GRANT CREATE VIEW TO somebody."""
_MOST_PARTS = 100


class ProcedureBody(NamedTuple):
    """The statement that creates or alters one."""

    start: int
    """Position of its verb."""
    verb: str
    kind: str
    name: str
    """The name without its schema."""

    @property
    def title(self) -> str:
        return f"{self.verb} {self.kind}"


def body_at(text: str, verb: str, start: int, end: int) -> ProcedureBody | None:
    """Read a body after the verb CREATE or ALTER between `start` and `end`; None for another statement.

    Any word may follow OR: SQL Server refuses OR REPLACE, but what follows is still a body.
    """
    token = next_token(text, end)
    if token.kind == WORD and token.text.upper() == "OR":
        token = next_token(text, next_token(text, token.end).end)
    kind = _KINDS.get(token.text.upper()) if token.kind == WORD else None
    name = next_token(text, token.end)
    if kind is None or name.text.upper() in _AFTER_PERMISSION:
        return None
    return ProcedureBody(start, verb.upper(), kind, name_from(text, name)[0][-1])


def called_at(text: str, position: int) -> SqlToken:
    """The first token of what EXEC calls, after an optional `@result =`."""
    token = next_token(text, position)
    if token.text[:1] == "@" and (after := next_token(text, token.end)).text == "=":
        return next_token(text, after.end)
    return token


def name_from(text: str, token: SqlToken) -> tuple[list[str], SqlToken]:
    """The parts of the name that begins with a token, and its last token; omitted parts are empty."""
    parts, after = [token.text], next_token(text, token.end)
    while _is_dot(after) and len(parts) < _MOST_PARTS:
        token = next_token(text, after.end)
        parts.append("" if _is_dot(token) else token.text)
        after = token if _is_dot(token) else next_token(text, token.end)
    return parts, token


def _is_dot(token: SqlToken) -> bool:
    return token.kind == SYMBOL and token.text == "."
