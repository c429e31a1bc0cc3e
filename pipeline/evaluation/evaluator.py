"""Evaluate the rules for a class of traffic at a moment, and until when the answer holds."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pipeline.evaluation.timeline import END_OF_TIME, Timeline, TimelineVersion
from routing.common.errors import Invalid
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.journey import Journeys, in_order

Outcomes = tuple[Outcome, ...]


class ClassKey(NamedTuple):
    """The values of a class in the key columns."""

    from_instance: str
    from_database: str | None
    to_service: str
    to_broker_instance: str | None
    is_reply: bool


class ClassAnswer(NamedTuple):
    """Every possible outcome; None if the estate of that time does not know the entry point."""

    outcomes: Outcomes | None
    until: datetime
    """The answer holds until this moment: no route or version that it depends on changes earlier."""
    is_early: bool = False
    """The moment is before the first version of the estate."""


class TimelineEvaluator:
    """Answers for one timeline. Decisions are cached until another moment is asked about."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._moment: datetime | None = None
        self._version: TimelineVersion | None = None
        self._until = END_OF_TIME
        self._estate: Estate | None = None
        self._journeys: Journeys | None = None

    def answer(self, key: ClassKey, moment: datetime) -> ClassAnswer:
        """Return the outcomes of a class at a moment."""
        if moment != self._moment:
            self._go_to(moment)
        if self._version is None or self._estate is None or self._journeys is None:
            return ClassAnswer(None, self._until, is_early=True)
        conversation = Conversation(*key)
        try:
            conversation.check(self._estate)
        except Invalid:
            return ClassAnswer(None, self._until)
        walk = self._journeys.walked(conversation)
        # A decision depends on the expiry of routes in its own table only.
        nodes = (place[:2] for place in walk.reached_by)
        until = self._version.next_expiry(nodes, key.to_service, moment)
        return ClassAnswer(in_order(walk.ends), min(until, self._until))

    def _go_to(self, moment: datetime) -> None:
        self._moment = moment
        self._version, self._until = self._timeline.at(moment)
        self._estate = self._version.estate if self._version else None
        self._journeys = Journeys(self._estate, moment) if self._estate else None
