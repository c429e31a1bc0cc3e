"""Finds where a string with statements runs: here, by `EXEC ('…') AT server`, by `EXEC db.sys.sp_executesql`."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.sentence import Sentence, say
from routing.tsql.lexer import END, NUMBER, QUOTED, STRING, SYMBOL, WORD, SqlToken, next_token
from routing.tsql.procedure_bodies import called_at, name_from
from routing.tsql.report import Place
from routing.tsql.session import ScriptSession

_RUNS_SQL = "sp_executesql"
_MOST_TOKENS = 100
"""Limit of tokens of a call; later ones are ignored."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a string runs."""

    server: str | None = None
    """The linked server, if it is not the connection's."""
    database: str | None = None
    """None: the database of the connection, unless the string says otherwise."""
    is_known: bool = True
    """False: a procedure takes the string, and its use of it is unknown."""

    def finding_text(self, title: str) -> Sentence:
        if self.server is not None:
            return say(
                "{title} stands in a string for the linked server {server}, which was not run",
                title=title,
                server=self.server,
            )
        return say(
            "{title} stands in a string, which was not run: write it as a statement of its own to have it imported",
            title=title,
        )

    def place(self, session: ScriptSession, used: str | None) -> Place | None:
        """Instance and database for a finding; `used`: the database of a USE in the string. None: those of the
        session."""
        if self.server is not None:
            return None, None
        name = self.database if used is None else used
        if not name:
            return None if name is None and self.is_known else (session.instance.name, None)
        there = session.instance.databases.find(name)
        return session.instance.name, there.name if there is not None else name


HERE = Target()
UNKNOWN = Target(is_known=False)


def is_run(text: str, verb: str, begun: int, start: int) -> bool:
    """True if the string that begins at `start` is certainly run; other arguments as for `target_of`."""
    return verb in ("exec", "execute") and target_of(text, verb, begun, start, start).is_known


def target_of(text: str, verb: str, begun: int, start: int, end: int) -> Target:
    """The target of the string from `start` to `end`, in a statement with the first word `verb`, which ends at `begun`.

    Without a verb the batch begins there, and calls a procedure by its name alone.
    """
    if verb not in ("exec", "execute", ""):
        return HERE
    first = next_token(text, begun)
    if not verb and text[first.end : first.end + 1] == "'":
        return HERE  # the end of a word before a stray quote: Don't
    if first.text == "(" and first.kind == SYMBOL and verb:
        return _at(text, end)
    return _procedure(text, called_at(text, begun), start)


def server_after(text: str, position: int) -> str | None:
    """The linked server of `EXEC (…) AT server`, from a position inside the parentheses; None: it runs here."""
    return _at(text, position).server


def _at(text: str, position: int) -> Target:
    """The server after the string in `EXEC ('…', …) AT server`."""
    depth = 1
    for _ in range(_MOST_TOKENS):
        token = next_token(text, position)
        position = token.end
        if token.kind == END:
            break
        if depth == 0:
            return _server(text, token)
        depth += (token.text == "(") - (token.text == ")") if token.kind == SYMBOL else 0
    return HERE


def _server(text: str, token: SqlToken) -> Target:
    if token.kind != WORD or token.text.upper() != "AT":
        return HERE
    name = next_token(text, token.end)
    if name.kind == WORD and name.text.upper() == "DATA_SOURCE":
        name = next_token(text, name.end)
    return Target(server=name.text)


def _procedure(text: str, token: SqlToken, start: int) -> Target:
    """The target of a call, from its first token; `start`: position of the string."""
    if token.start >= start or token.kind in (STRING, NUMBER, END):
        return HERE
    parts, last = name_from(text, token)
    return _target(parts, last.kind in (WORD, QUOTED))


def _target(parts: list[str], is_name: bool) -> Target:
    if not is_name or parts[-1].lower() != _RUNS_SQL or len(parts) > 4:
        return UNKNOWN
    server, database = ([""] * 4 + parts)[-4:-2]
    return Target(server or None, database or None)
