"""Recognizes the statement at a CREATE, ALTER, DROP or USE, and reads it if it concerns Service Broker."""

from __future__ import annotations

from routing.common.sentence import say
from routing.tsql.clauses import READERS
from routing.tsql.cursor import TokenCursor
from routing.tsql.refusal import NotApplied, not_understood
from routing.tsql.servers import PAYLOAD, read_database, read_endpoint, read_use
from routing.tsql.statement import (
    ALTER,
    BINDING,
    CONTRACT,
    DATABASE,
    DROP,
    ENDPOINT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
    USE,
    Statement,
)

_KINDS = {
    "ROUTE": ROUTE,
    "SERVICE": SERVICE,
    "QUEUE": QUEUE,
    "CONTRACT": CONTRACT,
    "MESSAGE": MESSAGE_TYPE,
    "BROKER": PRIORITY,
    "REMOTE": BINDING,
    "DATABASE": DATABASE,
    "ENDPOINT": ENDPOINT,
}
"""By first word after the verb."""
_OTHER_DATABASE = frozenset(("AUDIT", "ENCRYPTION", "SCOPED"))
"""DATABASE AUDIT SPECIFICATION, DATABASE ENCRYPTION KEY, DATABASE SCOPED CONFIGURATION | CREDENTIAL."""
_AFTER_OTHER_DATABASE = frozenset(("SPECIFICATION", "KEY", "CONFIGURATION", "CREDENTIAL"))


def kind_at(cursor: TokenCursor) -> str | None:
    """Take the kind of object after CREATE, ALTER or DROP; None for another kind."""
    if cursor.ahead.kind != "word":
        return None
    kind = _KINDS.get(cursor.ahead.text.upper())
    if kind is None:
        return None
    cursor.take()
    if " " in kind:
        for word in kind.split()[1:]:
            if not cursor.accept(word):
                return None
    return kind


def is_permission(cursor: TokenCursor) -> bool:
    """True if the kind was only named, as in GRANT CREATE ROUTE TO somebody."""
    token = cursor.ahead
    return token.text == "," or any(cursor.is_word(word) for word in ("TO", "FROM", "ON"))


def read_statement(verb: str, kind: str, cursor: TokenCursor) -> Statement | None:
    """Read from after the kind to the end of the statement; None if it does not concern Service Broker.

    Raises `NotApplied` for a statement that cannot be read, and `Unclosed`.
    """
    try:
        statement = _read_statement(verb, kind, cursor)
        is_other = statement is None or (kind == ENDPOINT and statement.clauses.get(PAYLOAD, ...) is None)
        if not is_other:
            cursor.end()
    except NotApplied:
        if cursor.unknown:
            raise cursor.with_unknown() from None
        raise
    if not cursor.unknown or is_other:
        return statement
    if (verb, kind) == (ALTER, DATABASE) and statement is not None and not statement.clauses:
        return None  # options of another concern, in whichever database
    raise cursor.with_unknown()


def _read_statement(verb: str, kind: str, cursor: TokenCursor) -> Statement | None:
    if kind == DATABASE:
        return None if _is_other_database(cursor) else read_database(verb, cursor)
    if kind == ENDPOINT:
        if verb == DROP:
            _refuse_if_exists(cursor)
        return read_endpoint(verb, cursor)
    return None if kind == SERVICE and _is_master_key(cursor) else _read_object(verb, kind, cursor)


def read_use_statement(cursor: TokenCursor) -> Statement | None:
    """`USE name`; None for the query hint that begins with the same word."""
    if cursor.is_word("HINT") or cursor.is_word("PLAN"):
        word = cursor.take()
        if cursor.ahead.text == "(" or cursor.ahead.kind == "string":
            return None
        statement = Statement(USE, DATABASE, (word.text,))
    else:
        statement = read_use(cursor)
    if cursor.unknown:
        raise cursor.with_unknown()
    cursor.end()
    return statement


def _read_object(verb: str, kind: str, cursor: TokenCursor) -> Statement:
    if verb == DROP:
        _refuse_if_exists(cursor)
    name = cursor.name(3 if kind == QUEUE else 1)
    return Statement(verb, kind, name, READERS[verb, kind](cursor))


def _refuse_if_exists(cursor: TokenCursor) -> None:
    if cursor.accept("IF", "EXISTS"):
        cursor.name(3)
        raise not_understood(say("the product has no IF EXISTS here"))


def _is_other_database(cursor: TokenCursor) -> bool:
    if not any(cursor.is_word(word) for word in _OTHER_DATABASE):
        return False
    ahead = cursor.second
    return ahead.kind == "word" and ahead.text.upper() in _AFTER_OTHER_DATABASE


def _is_master_key(cursor: TokenCursor) -> bool:
    """True for ALTER SERVICE MASTER KEY, which concerns encryption."""
    return cursor.is_word("MASTER") and cursor.second.kind == "word" and cursor.second.text.upper() == "KEY"
