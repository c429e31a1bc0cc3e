"""The rules, asked about a class of traffic at a moment, and until when their answer holds."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pipeline.estates import NEVER, Timeline, Version
from routing.common.errors import Invalid
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.journey import Journeys, in_order

Outcomes = tuple[Outcome, ...]


class Key(NamedTuple):
    """What a class stands for, as the columns have it."""

    from_instance: str
    from_database: str | None
    to_service: str
    to_broker_instance: str | None
    is_reply: bool


class Answer(NamedTuple):
    """Every outcome; None where the entry point is unknown to the estate of that time."""

    outcomes: Outcomes | None
    until: datetime
    """Nothing that was looked at changes before."""


class Asker:
    """The answers of one timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._moment: datetime | None = None
        self._version: Version | None = None
        self._until = NEVER
        self._estate: Estate | None = None
        self._journeys: Journeys | None = None

    def answer(self, key: Key, moment: datetime) -> Answer:
        """What was decided is kept until another moment is asked about."""
        if moment != self._moment:
            self._go_to(moment)
        if self._version is None or self._estate is None or self._journeys is None:
            return Answer(None, self._until)
        conversation = Conversation(*key)
        try:
            conversation.check(self._estate)
        except Invalid:
            return Answer(None, self._until)
        walk = self._journeys.walked(conversation)
        # Of what may expire, a decision looks at the routes of its own table alone.
        nodes = (place[:2] for place in walk.came_by)
        until = self._version.unaltered_until(nodes, key.to_service, moment)
        return Answer(in_order(walk.ends), min(until, self._until))

    def _go_to(self, moment: datetime) -> None:
        self._moment = moment
        self._version, self._until = self._timeline.at(moment)
        self._estate = self._version.estate if self._version else None
        self._journeys = Journeys(self._estate, moment) if self._estate else None
