"""Marks on the map of a draft: what it adds and alters is named so, and what it drops is counted where it was."""

from __future__ import annotations

from collections.abc import Iterable

from brokerui.changes.marks import ADDED, DraftMarks
from brokerui.estate.refs import DATABASE, Ref
from brokerui.pages.map.plan import MapPlan, Text
from routing.common.sentence import say, say_counted


def put_marks(plan: MapPlan, marks: DraftMarks) -> None:
    """Mark each row, database and box that the draft touches, with a word beside its other notes."""
    plan.is_draft = True
    for box in plan.boxes.values():
        box.change = marks.of(box.about)
        box.notes += _words(box.change)
        for cell in box.cells:
            cell.change = marks.of(cell.about)
            cell.notes += _words(cell.change) + _dropped(marks, cell.about)
            for row in cell.rows:
                row.change = marks.of(row.about)
                row.notes += _words(row.change)


def _words(change: str) -> tuple[Text, ...]:
    if not change:
        return ()
    return (say("added"),) if change == ADDED else (say("altered"),)


def _dropped(marks: DraftMarks, things: Iterable[Ref]) -> tuple[Text, ...]:
    count = sum(marks.dropped_in[thing] for thing in things if thing.kind == DATABASE)
    return (say_counted(count, "one route dropped", "{count} routes dropped"),) if count else ()
