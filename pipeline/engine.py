"""The rules, asked once for each distinct question of a traffic: never once for each row.

Questions and answers pass through this process in batches, from file to file: however many there are, few are held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.epochs import Epochs, Key
from pipeline.estates import Timeline
from pipeline.schemas import ANSWERS, KEYS, SETS
from routing.comparison import kind_of_change, verdict_of_change
from routing.conversation import Conversation
from routing.decision import Outcome
from routing.errors import Invalid
from routing.estate import Estate
from routing.journey import Journeys
from routing.verdict import verdict

Outcomes = tuple[Outcome, ...]
UNCHANGED = "unchanged"
_BATCH = 200_000
"""Questions at a time."""


class Asker:
    """The answers of one timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._moment: datetime | None = None
        self._estate: Estate | None = None
        self._journeys: Journeys | None = None

    def outcomes(self, key: Key, moment: datetime) -> Outcomes | None:
        """Every outcome; None where the entry point is unknown to the estate of that time.

        What was decided is kept until another moment is asked about.
        """
        if moment != self._moment:
            self._moment, self._estate = moment, self._timeline.at(moment)
            self._journeys = Journeys(self._estate, moment) if self._estate else None
        if self._estate is None or self._journeys is None:
            return None
        conversation = Conversation(*key)
        try:
            conversation.check(self._estate)
        except Invalid:
            return None
        return self._journeys.outcomes(conversation)


@dataclass(slots=True)
class Weight:
    """How much traffic there is of something."""

    questions: int = 0
    rows: int = 0
    messages: int = 0
    bytes: int = 0

    def add(self, question: Question) -> None:
        self.questions += 1
        self.rows += question.rows
        self.messages += question.messages
        self.bytes += question.bytes


class Question(NamedTuple):
    """A class in a validity interval, and how much traffic it had then."""

    from_instance: str
    from_database: str | None
    to_service: str
    to_broker_instance: str | None
    is_reply: bool
    number: int
    interval: int
    rows: int
    messages: int
    bytes: int

    @property
    def key(self) -> Key:
        return Key(self.from_instance, self.from_database, self.to_service, self.to_broker_instance, self.is_reply)


@dataclass(slots=True)
class Answered:
    """What the answering of all questions found."""

    sets: dict[Outcomes, int] = field(default_factory=dict)
    """Every set of outcomes that occurs, with its number."""
    unknown: Weight = field(default_factory=Weight)
    changes: dict[str, Weight] = field(default_factory=dict)
    """By what becomes of a question; with one timeline all are unchanged."""

    def number(self, outcomes: Outcomes) -> int:
        return self.sets.setdefault(outcomes, len(self.sets))


def answer(questions: Path, before: Asker, after: Asker, epochs: Epochs, answers: Path) -> Answered:
    """Answers all questions of a folder under both, into a file of the folder `answers`."""
    found = Answered()
    answers.mkdir(parents=True)
    with pq.ParquetWriter(answers / "answers.parquet", ANSWERS) as writer:
        for batch in _batches(questions):
            timed = [(epochs.begin(question.key, question.interval), question) for question in batch]
            # In the order of their time, so that few estates are asked at a time.
            timed.sort(key=itemgetter(0))
            rows = [_answered(question, moment, before, after, found) for moment, question in timed]
            writer.write_table(pa.Table.from_arrays(_columns(rows), schema=ANSWERS))
    return found


def write_sets(found: Answered, folder: Path) -> None:
    """What the numbers of the answers stand for."""
    folder.mkdir(parents=True)
    rows = [
        {"number": number, "outcomes": [one.as_json() for one in outcomes], "verdict": _verdict(outcomes)}
        for outcomes, number in found.sets.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=SETS), folder / "sets.parquet")


def _batches(folder: Path) -> Iterator[list[Question]]:
    found: list[Question] = []
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(columns=[*KEYS, "class", *Question._fields[6:]]):
            columns = (batch.column(number).to_pylist() for number in range(batch.num_columns))
            found += map(Question._make, zip(*columns, strict=True))
            if len(found) >= _BATCH:
                yield found
                found = []
    yield found


def _answered(question: Question, moment: datetime, before: Asker, after: Asker, found: Answered) -> tuple[object, ...]:
    old = before.outcomes(question.key, moment)
    new = old if after is before else after.outcomes(question.key, moment)
    if old is None and new is None:
        found.unknown.add(question)
        return (*question, None, None, None, None)
    # An entry point that one side does not have ends nowhere there.
    ends, now = old or (), new or ()
    change, kind = _change(ends, now)
    found.changes.setdefault(change, Weight()).add(question)
    return (*question, found.number(ends), found.number(now), change, kind)


def _change(before: Outcomes, after: Outcomes) -> tuple[str, str]:
    if before == after:
        return UNCHANGED, UNCHANGED
    old, new = frozenset(before), frozenset(after)
    return verdict_of_change(old, new), kind_of_change(old, new)


def _verdict(outcomes: Outcomes) -> str | None:
    return verdict(outcomes) if outcomes else None


def _columns(rows: Iterable[tuple[object, ...]]) -> list[pa.Array]:
    columns = list(zip(*rows, strict=True)) or [()] * len(ANSWERS)
    return [pa.array(column, type=field.type) for column, field in zip(columns, ANSWERS, strict=True)]
