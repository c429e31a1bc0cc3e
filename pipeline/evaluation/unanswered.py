"""Traffic without an answer: older than the first version of an estate, or from where the estate has nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pipeline.evaluation.answer_tables import AnswerTotals
from pipeline.evaluation.timeline import BEGINNING_OF_TIME, Timeline
from pipeline.evaluation.weighting import TrafficWeight


def unanswered(totals: AnswerTotals, timelines: Sequence[Timeline]) -> dict[str, Any]:
    """Return what the record of a run says of such traffic: how many rows and messages, and since when there is an
    estate; `changes` are those of a replay whose rows are among the early ones."""
    since, early = _since(timelines), totals.early.values()
    changes = {change: weight.messages for change, weight in sorted(totals.early.items(), key=str) if change}
    rows, messages = sum(one.rows for one in early), sum(one.messages for one in early)
    before = {"rows": rows, "messages": messages, "since": since.isoformat(), "changes": changes}
    absent = {"rows": totals.absent.rows, "messages": totals.absent.messages}
    return {"before_estate": before if rows else {}, "not_in_estate": absent if absent["rows"] else {}}


def later_changes(totals: AnswerTotals) -> Iterator[tuple[str, TrafficWeight]]:
    """The traffic by verdict, without the rows that are older than an estate."""
    for change, weight in sorted(totals.changes.items()):
        early = totals.early.get(change, TrafficWeight())
        questions, rows = weight.questions - early.questions, weight.rows - early.rows
        if rows:
            yield change, TrafficWeight(questions, rows, weight.messages - early.messages, weight.bytes - early.bytes)


def remarks(totals: AnswerTotals, timelines: Sequence[Timeline]) -> Iterator[str]:
    """Sentences for the terminal about such rows, with the next step of a person."""
    found = unanswered(totals, timelines)
    if early := found["before_estate"]:
        yield (
            f"{_rows(early['rows'])} older than the first version of the estate ({early['since']}): the routes of "
            "that time are not known. Use younger traffic, or an estate document in place of a history, for all times."
        )
    if absent := found["not_in_estate"]:
        yield (
            f"{_rows(absent['rows'])} from an instance or a database that the estate of that time does not have. "
            "Import what is missing, or correct the names."
        )


def _rows(number: int) -> str:
    return "1 row is" if number == 1 else f"{number:,} rows are"


def _since(timelines: Sequence[Timeline]) -> datetime:
    return max((timeline.versions[0].since for timeline in timelines), default=BEGINNING_OF_TIME)
