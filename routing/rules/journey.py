"""All hops of a conversation: every outcome that the open choices allow, and a path to each.

LOOP-1 (the hop limit) and LOOP-2 (an address that leads back to its own instance) are in `after`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.choosing import Decisions
from routing.rules.decision import DROPPED, EXITS, HOP_LIMIT, Decision, Outcome, Send
from routing.rules.hop import Hop
from routing.rules.router import decide


class Position(NamedTuple):
    """Where a message is: at an instance, from outside (database None) or in the database that began it."""

    instance: str
    database: str | None
    hops_remaining: int


class ReachedBy(NamedTuple):
    """How a position was first reached: from which position, by which send."""

    place: Position
    send: Send


@dataclass(slots=True)
class Walk:
    """Every position that a message can reach, breadth first, and every outcome with the position of its decision."""

    ends: dict[Outcome, Position]
    reached_by: dict[Position, ReachedBy | None]


def walk(start: Position, decide_at: Callable[[Position], Decisions]) -> Walk:
    """Follow every open choice to its end. The hop limit bounds the walk (LOOP-1)."""
    ends: dict[Outcome, Position] = {}
    reached_by: dict[Position, ReachedBy | None] = {start: None}
    todo = [start]
    for place in todo:
        for decision in decide_at(place):
            follows = after(place, decision)
            if isinstance(follows, Outcome):
                ends.setdefault(follows, place)
            elif follows not in reached_by:
                reached_by[follows] = ReachedBy(place, cast(Send, decision))
                todo.append(follows)
    return Walk(ends, reached_by)


def after(place: Position, decision: Decision) -> Outcome | Position:
    """Return the next state after a decision: the outcome, or the next position."""
    if not isinstance(decision, Send):
        return decision.outcome
    instance, database, hops_remaining = place
    if database is None:
        # Sending a message from outside on is forwarding, also out of the estate. LOOP-1: dropped past the limit.
        if hops_remaining == 0:
            return Outcome(DROPPED, instance, HOP_LIMIT)
        hops_remaining -= 1
    if decision.to is None:
        return Outcome(EXITS, instance, decision.address.key)
    # LOOP-2: if the address is that of this instance, the message counts as from outside, as at any other instance.
    return Position(decision.to, None, hops_remaining)


def in_order(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Sort outcomes by the text of their JSON with sorted keys: the order of every list that users see."""
    found = tuple(outcomes)
    if len(found) < 2:
        return found
    return tuple(sorted(found, key=lambda outcome: json.dumps(outcome.as_json(), sort_keys=True)))


class Journeys:
    """The outcomes of many conversations on one estate at one time; decides each distinct hop once."""

    __slots__ = ("_at", "_decided", "_estate")

    def __init__(self, estate: Estate, at: datetime) -> None:
        self._estate = estate
        self._at = at
        self._decided: dict[tuple[str, str, str | None, bool], Decisions] = {}

    def outcomes(self, conversation: Conversation) -> tuple[Outcome, ...]:
        """The complete set of outcomes of a conversation, in order."""
        return in_order(self.walked(conversation).ends)

    def walked(self, conversation: Conversation) -> Walk:
        """Every position and every outcome of a conversation."""
        start = Position(conversation.instance, conversation.database, self._estate.hop_limit)
        return walk(start, lambda place: self._decide(conversation, place))

    def _decide(self, conversation: Conversation, place: Position) -> Decisions:
        if place.database is not None:
            return self._fresh(conversation, place)
        key = (
            place.instance,
            conversation.to_service,
            conversation.to_broker_instance,
            conversation.is_reply,
        )
        decided = self._decided.get(key)
        if decided is None:
            decided = self._decided[key] = self._fresh(conversation, place)
        return decided

    def _fresh(self, conversation: Conversation, place: Position) -> Decisions:
        return decide(
            Hop(
                self._estate,
                place.instance,
                place.database,
                conversation.to_service,
                conversation.to_broker_instance,
                conversation.is_reply,
                self._at,
            )
        )


def outcomes(estate: Estate, conversation: Conversation, at: datetime) -> tuple[Outcome, ...]:
    """The complete set of outcomes of one conversation, in order. For many, use `Journeys`."""
    return Journeys(estate, at).outcomes(conversation)
