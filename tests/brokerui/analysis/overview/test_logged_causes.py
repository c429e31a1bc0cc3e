"""Errors of logs among the causes: by lines, span and newest moment; one that a cause has already is no second one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from brokerui.analysis.overview.causes import CauseKind, HeldCause
from brokerui.analysis.overview.logged_causes import is_recent, older_errors, ranked_causes
from brokerui.analysis.servers.logged import LoggedError
from routing.common.sentence import say

AT = datetime(2026, 11, 24, 9, tzinfo=UTC)
WORDS = say("why")
ERROR = LoggedError(
    server="S",
    at=AT,
    number=9736,
    times=5,
    first="2026-11-24 08:00:00.00",
    last="2026-11-24 08:10:00.00",
    cause=WORDS,
    next_step=WORDS,
)
HELD = HeldCause(
    outcome="delayed",
    kind=CauseKind.COLLECTED,
    instance="S",
    database="d",
    subject="To",
    number=28034,
    conversations=None,
    messages=3,
    oldest_s=600,
)


def numbers(*errors: LoggedError, held: tuple[HeldCause, ...] = (HELD,)) -> list[int]:
    return [cause.number for cause in ranked_causes(held, errors)]


def test_lines_count_as_messages_over_the_time_of_the_log() -> None:
    assert numbers(ERROR) == [9736, 28034]  # five lines in ten minutes, three messages for ten
    assert numbers(replace(ERROR, times=2)) == [28034, 9736]
    assert numbers(replace(ERROR, first="2026-11-24 08:09:00.00")) == [28034, 9736]


def test_of_errors_with_as_many_lines_the_newest_is_first() -> None:
    alike = {"first": "", "times": 1}
    older, newer = replace(ERROR, number=1, last="2026-11-24 07:00:00", **alike), replace(ERROR, number=2, **alike)
    assert numbers(older, newer, held=()) == [2, 1]


def test_dropped_messages_come_before_any_log() -> None:
    dropped = replace(HELD, outcome="dropped", messages=1, oldest_s=1)
    assert numbers(ERROR, held=(dropped,)) == [28034, 9736]


def test_an_error_that_a_cause_of_its_server_has_is_told_with_it() -> None:
    (one,) = ranked_causes([HELD], [replace(ERROR, number=28034)])
    assert (one.kind, one.messages, one.lines, one.last) == (CauseKind.COLLECTED, 3, 5, ERROR.last)
    assert len(ranked_causes([HELD], [replace(ERROR, number=28034, server="T")])) == 2
    hosted = replace(HELD, kind=CauseKind.WAITING)
    assert len(ranked_causes([hosted], [replace(ERROR, number=28034)])) == 2


@pytest.mark.parametrize(
    ("last", "recent"), [("", True), ("2026-11-22 10:00:00", True), ("2026-11-22 08:59:59", False), ("gestern", True)]
)
def test_an_error_is_a_cause_for_two_days(last: str, recent: bool) -> None:
    error = replace(ERROR, last=last)
    assert is_recent(error) == recent
    assert older_errors([error]) == ([] if recent else [error])
    assert bool(numbers(error, held=())) == recent
