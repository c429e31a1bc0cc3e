"""Findings about what servers showed when they were asked: messages that waited, and conversations that are left over.

These are observations of a moment, so none is an error: what held the messages may be mended since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from routing.common.duration import in_words
from routing.common.finding import INFO, WARNING, Finding
from routing.common.moment import format_second
from routing.common.sentence import Sentence, say, say_counted
from routing.dialog.status_catalogue import CATALOGUE
from routing.dialog.status_kind import MESSAGES_WAIT, NOT_ACKNOWLEDGED
from routing.dialog.status_texts import status_kind
from routing.lint.acknowledging import BLANK, way_back
from routing.lint.context import LintContext
from routing.lint.left_over import LEAK, left_over
from routing.lint.linted_objects import HostedDatabase
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.estate import Estate

OF_COLLECTED = frozenset((*(kind.code for kind in CATALOGUE), NOT_ACKNOWLEDGED, MESSAGES_WAIT, LEAK))
"""Codes whose findings about a database may name a service of the collected rows; none of them is about a route."""
FRESH = timedelta(minutes=10)
"""A message is acknowledged, or its first attempts have failed, long before that."""
UNKNOWN = say("This text is not in the catalogue.")
LOOK_UP = say(
    "Its number tells the cause: SELECT message_id FROM sys.messages WHERE text LIKE N'…', with words of the text that"
    " are no values; a text in another language stands there, too."
)


def in_catalogue(code: str) -> Callable[[LintContext], Iterator[Finding]]:
    """The check of all collected messages whose status has this code."""

    def waiting(scene: LintContext) -> Iterator[Finding]:
        """Messages that waited with a status of this kind when their server was asked."""
        for held in scene.databases:
            queue = held.database.transmission_queue
            for row in queue.rows if queue is not None else ():
                if code_of(row) == code:
                    yield _finding(scene.estate, held, queue or CollectedTransmissions(), row, scene.at)

    return waiting


def also_collected(
    code: str, find: Callable[[LintContext], Iterator[Finding]]
) -> Callable[[LintContext], Iterator[Finding]]:
    """The check, and after its findings those about collected messages that tell the same."""
    waiting = in_catalogue(code)

    def both(scene: LintContext) -> Iterator[Finding]:
        yield from find(scene)
        yield from waiting(scene)

    both.__doc__ = find.__doc__
    return both


def collected_findings(estate: Estate, instance: str, database: str, at: datetime) -> Iterator[Finding]:
    """Return all findings about the collected rows of one database."""
    scene = LintContext(estate, at, instance, database)
    for held in scene.databases:
        queue = held.database.transmission_queue
        for row in queue.rows if queue is not None else ():
            yield _finding(estate, held, queue or CollectedTransmissions(), row, at)
    yield from left_over(scene)


def code_of(row: TransmissionSum) -> str:
    """The code of the finding about these messages."""
    if not row.status:
        return NOT_ACKNOWLEDGED
    kind = status_kind(row.status)
    return kind.code if kind is not None else MESSAGES_WAIT


@dataclass(frozen=True, slots=True)
class StatusMeaning:
    """Code, severity and texts of the finding about messages that waited with one status."""

    code: str
    severity: str
    number: int | None
    """In sys.messages; None: a blank status, or a text that is not in the catalogue."""
    cause: Sentence
    next_step: Sentence


def status_meaning(
    estate: Estate, held: HostedDatabase, queue: CollectedTransmissions, row: TransmissionSum, at: datetime
) -> StatusMeaning:
    """The cause and the next step for these messages; for a blank status, the engine is asked for the way back."""
    kind = status_kind(row.status) if row.status else None
    if kind is not None:
        severity = INFO if kind.passes else WARNING
        return StatusMeaning(kind.code, severity, kind.number, kind.cause, kind.next_step)
    if row.status:
        return StatusMeaning(MESSAGES_WAIT, WARNING, None, UNKNOWN, LOOK_UP)
    age = age_of(row, queue, at)
    severity = INFO if age is not None and age < FRESH else WARNING
    return StatusMeaning(NOT_ACKNOWLEDGED, severity, None, BLANK, way_back(estate, *held, row, at))


def waits(row: TransmissionSum, queue: CollectedTransmissions, at: datetime) -> Sentence:
    """How many messages wait for which service, with which status, and since when."""
    return say_counted(
        row.messages,
        "{count} message {between}: {status} {age}",
        "{count} messages {between}: {status} {age}",
        between=_between(row),
        status=f'"{row.status}"' if row.status else say("no status."),
        age=_age(row, queue, at),
    )


def age_of(row: TransmissionSum, queue: CollectedTransmissions, at: datetime) -> timedelta | None:
    """How long the oldest message had waited when its server was asked; None: not known."""
    return None if row.oldest is None else (queue.collected_at or at) - row.oldest


def _finding(
    estate: Estate, held: HostedDatabase, queue: CollectedTransmissions, row: TransmissionSum, at: datetime
) -> Finding:
    status = status_meaning(estate, held, queue, row, at)
    reason = say("{waits} {cause} {step}", waits=waits(row, queue, at), cause=status.cause, step=status.next_step)
    return Finding(status.code, status.severity, held.instance.name, held.database.name, row.to_service, reason)


def _between(row: TransmissionSum) -> Sentence:
    if row.to_service is None:
        return say("to a service that was not collected")
    if row.from_service is None:
        return say("to {service}", service=row.to_service)
    return say("to {service} from {sender}", service=row.to_service, sender=row.from_service)


def _age(row: TransmissionSum, queue: CollectedTransmissions, at: datetime) -> Sentence:
    age = age_of(row, queue, at)
    collected = format_second(queue.collected_at) if queue.collected_at else None
    if row.oldest is None or age is None:
        if collected is None:
            return say("Since when they wait was not collected.")
        return say("They waited at {collected}; since when was not collected.", collected=collected)
    values = {"oldest": format_second(row.oldest), "age": in_words(age)}
    if collected is None:
        return say("The oldest waits since {oldest}, for {age}.", **values)
    return say("The oldest waits since {oldest}, for {age} at {collected}.", collected=collected, **values)
