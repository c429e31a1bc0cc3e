"""Errors in the logs of real servers among the causes that need a person: those of the last days, by what they tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from brokerui.analysis.overview.causes import CauseKind, HeldCause, worst_first
from brokerui.analysis.servers.logged import LoggedError
from routing.common.sentence import Sentence, say, say_counted
from routing.rules.decision import DELAYED

RECENT: Final = timedelta(days=2)
"""Before a log was given: an error whose newest line is older may be over. Clocks of servers are hours off UTC."""
SECOND_CHARS: Final = len("2026-11-24 08:11:00")


def is_recent(error: LoggedError) -> bool:
    """Whether the error was logged shortly before the log was given, or the log has no moments."""
    last = _moment(error.last)
    return last is None or error.at - last < RECENT


def ranked_causes(causes: Iterable[HeldCause], logged: Iterable[LoggedError]) -> list[HeldCause]:
    """The causes with the errors of logs, the worst first. An error that a cause of its server has already is told
    with it, and is none of its own."""
    errors = {(one.server, one.number): one for one in logged if is_recent(one)}
    known = []
    for cause in causes:
        error = errors.get((cause.instance, cause.number)) if cause.kind is CauseKind.COLLECTED else None
        known.append(cause if error is None else replace(cause, lines=error.times, last=error.last))
    seen = {(cause.instance, cause.number) for cause in known if cause.lines}
    return worst_first([*known, *(_cause(one) for place, one in errors.items() if place not in seen)])


def older_errors(logged: Iterable[LoggedError]) -> list[LoggedError]:
    """The errors that are no causes: their newest lines are days older than their logs."""
    return [one for one in logged if not is_recent(one)]


def _cause(error: LoggedError) -> HeldCause:
    first, last = _moment(error.first), _moment(error.last)
    return HeldCause(
        outcome=DELAYED,
        kind=CauseKind.LOGGED,
        instance=error.server,
        database="",
        subject="",
        number=error.number,
        conversations=None,
        messages=0,
        oldest_s=None if first is None or last is None else max(0, int((last - first).total_seconds())),
        collected_at=error.at,
        lines=error.times,
        last=error.last,
    )


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text[:SECOND_CHARS].replace(" ", "T")).replace(tzinfo=UTC)
    except ValueError:
        return None


def logged_title(error: LoggedError) -> Sentence:
    """Name the error and how often the log has it."""
    facts = {"server": error.server, "number": str(error.number)}
    return say_counted(
        error.times, "{server} logged error {number} once", "{server} logged error {number} {count} times", **facts
    )


def logged_effect(error: LoggedError) -> Sentence:
    """The cause of the error, its newest line, and the next step."""
    words = {"cause": error.cause, "next_step": error.next_step}
    if not error.last:
        return say("{cause} {next_step}", **words)
    return say("{cause} Last at {last} by its own clock. {next_step}", last=error.last[:SECOND_CHARS], **words)


def logged_too(cause: HeldCause) -> Sentence:
    """Say that the log of a server tells of a cause, too."""
    if not cause.last:
        return say_counted(cause.lines, "Its log has {count} line of it.", "Its log has {count} lines of it.")
    return say_counted(
        cause.lines,
        "Its log has {count} line of it, at {last} by its own clock.",
        "Its log has {count} lines of it, the last at {last} by its own clock.",
        last=cause.last[:SECOND_CHARS],
    )


def error_of(cause: HeldCause, logged: Sequence[LoggedError]) -> LoggedError | None:
    """The error of a cause; None: its log is gone by now."""
    return next((one for one in logged if (one.server, one.number) == (cause.instance, cause.number)), None)
