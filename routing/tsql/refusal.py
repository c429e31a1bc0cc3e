"""Why a statement was not applied: each way has the code of its finding."""

from __future__ import annotations

from routing.common.finding import ERROR, INFO, WARNING
from routing.common.sentence import Sentence, say
from routing.tsql.statement import DROP

NOT_UNDERSTOOD = "not-understood"
REFUSED = "refused"
DYNAMIC_SQL = "dynamic-sql"
VALUE_NOT_LITERAL = "value-not-literal"
ALREADY_EXISTS = "already-exists"
NOT_FOUND = "not-found"
NOT_EXECUTED = "not-executed"
"""Ours: a statement that running the script does not run."""
CONDITIONAL = "conditional"
"""Ours: applied, but it stands under a condition that was not evaluated."""
NO_USE = "no-use"
"""Ours: no USE stands before it, so it is about master, for all that anybody can tell."""
ROLE_UNKNOWN = "role-unknown"
"""Ours: the database is mirrored, and the script does not say which partner is principal."""
ADDRESS_UNKNOWN = "address-unknown"
"""Ours: no address could be made of the name of an instance."""

SEVERITY = {
    NOT_UNDERSTOOD: ERROR,
    REFUSED: ERROR,
    VALUE_NOT_LITERAL: ERROR,
    DYNAMIC_SQL: WARNING,
    ALREADY_EXISTS: WARNING,
    NOT_FOUND: WARNING,
    ADDRESS_UNKNOWN: WARNING,
    NOT_EXECUTED: INFO,
    CONDITIONAL: INFO,
    NO_USE: WARNING,
    ROLE_UNKNOWN: INFO,
}


class NotApplied(Exception):
    """A statement changed nothing. `code` says in which way, `problem` why."""

    def __init__(self, code: str, problem: Sentence, severity: str | None = None) -> None:
        super().__init__(code, problem)
        self.code = code
        self.problem = problem
        self.severity = severity or SEVERITY[code]


def not_understood(problem: Sentence) -> NotApplied:
    return NotApplied(NOT_UNDERSTOOD, problem)


def refused(number: int | None, problem: Sentence) -> NotApplied:
    """The product would not do it; with the number of its error where that is known."""
    if number is None:
        return NotApplied(REFUSED, problem)
    return NotApplied(REFUSED, say("error {number}: {problem}", number=number, problem=problem))


def already_exists(kind: str, name: str) -> NotApplied:
    return NotApplied(ALREADY_EXISTS, say('the {kind} "{name}" is there already', kind=kind.lower(), name=name))


def not_made(kind: str, name: str) -> Sentence:
    return say('no script before it makes the {kind} "{name}"', kind=kind.lower(), name=name)


def not_found(kind: str, name: str, problem: Sentence | None = None) -> NotApplied:
    return NotApplied(NOT_FOUND, problem or not_made(kind, name))


def unseen(verb: str, problem: Sentence) -> NotApplied:
    """An object that is in none of the scripts, but may be in the database; one that is to go loses nothing by it."""
    return NotApplied(NOT_FOUND, problem, INFO if verb == DROP else None)
