"""The grammar of statements about an instance: USE, databases and endpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import say
from routing.tsql.clauses import Clauses, skip_authorization
from routing.tsql.cursor import TokenCursor
from routing.tsql.lexer import NUMBER
from routing.tsql.refusal import REFUSED, NotApplied, not_understood
from routing.tsql.statement import CREATE, DATABASE, DROP, ENDPOINT, USE, Statement

SET, SNAPSHOT, ATTACHED, NEW_NAME = "SET", "SNAPSHOT", "ATTACHED", "MODIFY NAME"
PARTNER, WITNESS = "PARTNER", "WITNESS"
BROKER_OPTIONS = ("ENABLE_BROKER", "DISABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS")
HONORED = "HONOR_BROKER_PRIORITY"
BROKER = "BROKER"
"""The clause that holds one of these options."""
PAYLOAD, SERVICE_BROKER = "FOR", "SERVICE_BROKER"
CURRENT = "CURRENT"


def read_use(cursor: TokenCursor) -> Statement:
    return Statement(USE, DATABASE, (_possible(*cursor.name()),))


def _possible(name: str) -> str:
    """Raise `NotApplied` for a name that no database can have."""
    try:
        check_name(name, "name")
    except Invalid as fault:
        raise NotApplied(REFUSED, fault.problem) from None
    return name


# ---------------------------------------------------------------- databases


def read_database(verb: str, cursor: TokenCursor) -> Statement:
    if verb == DROP:
        return _drop_database(cursor)
    name = cursor.name()
    return Statement(verb, DATABASE, name, _created(cursor) if verb == CREATE else _altered(cursor))


def _drop_database(cursor: TokenCursor) -> Statement:
    """One DROP may name several databases; the names are a clause of their own."""
    guarded = cursor.accept("IF", "EXISTS")
    names = [cursor.identifier()]
    while cursor.accept_symbol(","):
        names.append(cursor.identifier())
    return Statement(DROP, DATABASE, (names[0],), {"NAMES": tuple(names), "IF EXISTS": guarded})


def _created(cursor: TokenCursor) -> Clauses:
    """CREATE DATABASE: ignores files, sizes and collations, but reads the broker options of an attached database."""
    found: Clauses = {}
    while not cursor.ends or cursor.is_word("WITH"):
        token = cursor.take()
        word = token.text.upper() if token.kind == "word" else ""
        if word in BROKER_OPTIONS:
            found[BROKER] = word
        elif word in ("ATTACH", "ATTACH_REBUILD_LOG"):
            found[ATTACHED] = True
        elif word == SNAPSHOT:
            found[SNAPSHOT] = True
    return found


def _altered(cursor: TokenCursor) -> Clauses:
    if cursor.accept(SET):
        return _database_options(cursor)
    if cursor.is_open:
        raise cursor.unexpected(SET)
    found: Clauses = {}
    if cursor.accept("MODIFY") and cursor.accept("NAME"):
        found[NEW_NAME] = _possible(cursor.equals(TokenCursor.identifier))
    _pass_over(cursor)
    return found


def _database_options(cursor: TokenCursor) -> Clauses:
    """`SET option, … [WITH ROLLBACK …]`: options of the broker and of mirroring, and any other."""
    found: Clauses = {}
    while True:
        word = cursor.ahead.text.upper() if cursor.ahead.kind == "word" else ""
        if not word or word.startswith(("@", "$")) or cursor.ends:
            raise cursor.unexpected(say("an option"))
        cursor.take()
        if word in BROKER_OPTIONS:
            if BROKER in found:
                raise not_understood(say("{keyword} stands beside {other}", keyword=word, other=found[BROKER]))
            found[BROKER] = word
        elif word in (PARTNER, WITNESS):
            found[word] = _mirroring(cursor)
        elif word == HONORED and cursor.accept("ON"):
            found[word] = True
        else:
            _pass_over(cursor, "WITH")
        if not cursor.accept_symbol(","):
            break
    if cursor.accept("WITH"):
        _pass_over(cursor)
    return found


def _mirroring(cursor: TokenCursor) -> str:
    """The value of PARTNER or WITNESS: `=` for an address, else the word."""
    if cursor.accept_symbol("="):
        cursor.any_name()
        return "="
    word = cursor.identifier().upper()
    _pass_over(cursor, "WITH")
    return word


def _pass_over(cursor: TokenCursor, stop: str = "") -> None:
    """Skip what routing ignores, up to a comma, the end of the statement, or `stop`."""
    while not cursor.ends or (cursor.is_word("WITH") and stop != "WITH"):
        if cursor.ahead.text == "," and stop:
            return
        if cursor.ahead.text == "(" and cursor.ahead.kind == "symbol":
            cursor.skip_parentheses()
        else:
            cursor.take()


# ---------------------------------------------------------------- endpoints


def read_endpoint(verb: str, cursor: TokenCursor) -> Statement:
    name = cursor.name()
    found: Clauses = {}
    if verb == DROP:
        return Statement(verb, ENDPOINT, name)
    skip_authorization(cursor)
    while not cursor.ends:
        cursor.accept_symbol(",")
        keyword = cursor.one_of("STATE", "AS", "FOR", "AFFINITY")
        if keyword in found:
            raise not_understood(say("{keyword} stands twice", keyword=keyword))
        found[keyword] = _ENDPOINT[keyword](cursor)
    return Statement(verb, ENDPOINT, name, found)


def _state(cursor: TokenCursor) -> Any:
    return cursor.equals(lambda c: c.one_of("STARTED", "STOPPED", "DISABLED"))


def _protocol(cursor: TokenCursor) -> Clauses:
    if cursor.identifier().upper() == "TCP":
        found: Clauses = cursor.in_parentheses(lambda c: c.clauses(_TCP))
        return found
    cursor.skip_parentheses()
    return {}


def _listener_ip(cursor: TokenCursor) -> None:
    """The local addresses to listen at: ALL, ('…') or (1.2.3.4)."""
    cursor.expect_symbol("=")
    if not cursor.accept("ALL"):
        cursor.skip_parentheses()


_TCP = {"LISTENER_PORT": lambda cursor: cursor.equals(TokenCursor.integer), "LISTENER_IP": _listener_ip}


def _payload(cursor: TokenCursor) -> Clauses | None:
    """The options of Service Broker; None for an endpoint of another kind."""
    if cursor.identifier().upper() != SERVICE_BROKER:
        cursor.skip_parentheses()
        return None
    found: Clauses = cursor.in_parentheses(lambda c: c.clauses(_BROKER))
    return found


def _authentication(cursor: TokenCursor) -> str:
    """In normal form: `WINDOWS [NTLM | KERBEROS | NEGOTIATE]` and `CERTIFICATE name`, one or both, in their order."""
    parts = []
    opened = cursor.accept_symbol("(")
    while True:
        if cursor.accept("WINDOWS"):
            parts.append("WINDOWS")
            parts += [word for word in ("NTLM", "KERBEROS", "NEGOTIATE") if cursor.accept(word)][:1]
        elif cursor.accept("CERTIFICATE"):
            parts += ["CERTIFICATE", cursor.any_name()]
        else:
            break
    if not parts:
        raise cursor.unexpected("WINDOWS | CERTIFICATE")
    if opened:
        cursor.expect_symbol(")")
    return " ".join(parts)


def _encryption(cursor: TokenCursor) -> str:
    word = cursor.one_of("DISABLED", "SUPPORTED", "REQUIRED")
    if cursor.accept("ALGORITHM"):
        cursor.one_of("AES", "RC4")
        _ = cursor.accept("AES") or cursor.accept("RC4")
    return word


def _affinity(cursor: TokenCursor) -> None:
    """AFFINITY of older versions: NONE, ADMIN, or the number of a processor."""
    if cursor.ahead.kind == NUMBER:
        cursor.take()
    else:
        cursor.any_name()


def _after_equals(convert: Callable[[TokenCursor], Any]) -> Callable[[TokenCursor], Any]:
    return lambda cursor: cursor.equals(convert)


_BROKER = {
    "AUTHENTICATION": _after_equals(_authentication),
    "ENCRYPTION": _after_equals(_encryption),
    "MESSAGE_FORWARDING": _after_equals(lambda cursor: cursor.one_of("ENABLED", "DISABLED")),
    "MESSAGE_FORWARD_SIZE": _after_equals(TokenCursor.integer),
}
_ENDPOINT: dict[str, Callable[[TokenCursor], Any]] = {
    "STATE": _state,
    "AS": _protocol,
    "FOR": _payload,
    "AFFINITY": _after_equals(_affinity),
}
