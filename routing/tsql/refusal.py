"""Reasons why a statement was not applied, each with the code of its finding."""

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
"""BrokerUI's own code: running the script does not run the statement."""
CONDITIONAL = "conditional"
"""BrokerUI's own code: applied, but under a condition that was not evaluated."""
NO_USE = "no-use"
"""BrokerUI's own code: no USE precedes the statement, so it applies to master."""
DROPPED_AGAIN = "dropped-again"
"""BrokerUI's own code: the script makes an object and drops it before it ends."""
ROLE_UNKNOWN = "role-unknown"
"""BrokerUI's own code: the database is mirrored, and the script does not say which partner is the principal."""
PLACEHOLDER = "placeholder"
"""BrokerUI's own code: a name is a placeholder of a template, such as `{0}`, that was not filled in."""
NO_STATEMENT = "no-statement"
"""BrokerUI's own code: a file has no statement about Service Broker."""
CODE_PAGE = "code-page"
"""BrokerUI's own code: the file was read in a code page that may be another one."""
ADDRESS_UNKNOWN = "address-unknown"
"""BrokerUI's own code: no address can be derived from the instance name."""

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
    PLACEHOLDER: WARNING,
    ROLE_UNKNOWN: INFO,
    DROPPED_AGAIN: INFO,
    NO_STATEMENT: INFO,
    CODE_PAGE: INFO,
}


class NotApplied(Exception):
    """A statement changed nothing. `code` is the kind of reason, `problem` the reason."""

    def __init__(self, code: str, problem: Sentence, severity: str | None = None) -> None:
        super().__init__(code, problem)
        self.code = code
        self.problem = problem
        self.severity = severity or SEVERITY[code]


def not_understood(problem: Sentence) -> NotApplied:
    return NotApplied(NOT_UNDERSTOOD, problem)


def refused(number: int | None, problem: Sentence) -> NotApplied:
    """SQL Server would refuse the statement; with its error number if known."""
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
    """The object is in none of the scripts but may exist in the database; for a DROP only a note."""
    return NotApplied(NOT_FOUND, problem, INFO if verb == DROP else None)
