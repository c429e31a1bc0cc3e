"""Accounts for a journey: every hop with every rule that was evaluated, and a path to each outcome."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import datetime

from routing.common.names import MSDB
from routing.common.sentence import say
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.choosing import Decisions
from routing.rules.decision import DROPPED, HOP_LIMIT, Outcome, Send
from routing.rules.hop import NOTHING_PENDING, Hop
from routing.rules.journey import Position, Walk, in_order, walk
from routing.rules.router import decide
from routing.rules.trace import RuleStep, Trace


@dataclass(frozen=True, slots=True)
class HopAccount:
    """The decision of one instance, with its trace."""

    instance: str
    database: str | None
    """The database that began the conversation; None: the message came from outside."""
    steps: tuple[RuleStep, ...]
    decisions: Decisions

    @property
    def table(self) -> str:
        """The database whose `sys.routes` decided (RT-TABLE)."""
        return self.database or MSDB


@dataclass(frozen=True, slots=True)
class JourneyLeg:
    """One send on the path to an outcome."""

    instance: str
    database: str | None
    send: Send


@dataclass(frozen=True, slots=True)
class JourneyEnd:
    """An outcome, and a shortest path to it."""

    outcome: Outcome
    instance: str
    """The instance that decided it."""
    legs: tuple[JourneyLeg, ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """Every outcome of a conversation, and every hop once."""

    conversation: Conversation
    at: datetime
    ends: tuple[JourneyEnd, ...]
    hops: tuple[HopAccount, ...]

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(end.outcome for end in self.ends)


def journey(
    estate: Estate, conversation: Conversation, at: datetime, *, pending: Container[str] = NOTHING_PENDING
) -> Journey:
    """Every outcome with its path, and the trace of every hop. `pending` concerns the first hop only (MATCH-4)."""
    accounts: dict[tuple[str, str | None], HopAccount] = {}

    def decide_at(place: Position) -> Decisions:
        key = (place.instance, place.database)
        if key not in accounts:
            pending_hop = pending if place == start else NOTHING_PENDING
            accounts[key] = _account(estate, conversation, place, at, pending_hop)
        return accounts[key].decisions

    start = Position(conversation.instance, conversation.database, estate.hop_limit)
    walked = walk(start, decide_at)
    ends = tuple(_end(walked, outcome) for outcome in in_order(walked.ends))
    for outcome in walked.ends:
        if outcome.kind == DROPPED and outcome.detail == HOP_LIMIT:
            key = (outcome.instance, None)
            accounts[key] = replace(accounts[key], steps=(*accounts[key].steps, _limit(estate.hop_limit)))
    return Journey(conversation, at, ends, tuple(accounts.values()))


def _limit(hop_limit: int) -> RuleStep:
    return RuleStep("LOOP-1", True, say("It is dropped here after {limit} hops, the limit.", limit=hop_limit))


def _account(
    estate: Estate, conversation: Conversation, place: Position, at: datetime, pending: Container[str]
) -> HopAccount:
    trace = Trace()
    hop = Hop(
        estate,
        place.instance,
        place.database,
        service=conversation.to_service,
        identifier=conversation.to_broker_instance,
        is_reply=conversation.is_reply,
        at=at,
        pending=pending,
        trace=trace,
    )
    decisions = decide(hop)
    return HopAccount(place.instance, place.database, tuple(trace.steps), decisions)


def _end(walked: Walk, outcome: Outcome) -> JourneyEnd:
    place = walked.ends[outcome]
    legs: list[JourneyLeg] = []
    way = walked.reached_by[place]
    while way is not None:
        legs.append(JourneyLeg(way.place.instance, way.place.database, way.send))
        way = walked.reached_by[way.place]
    return JourneyEnd(outcome, place.instance, tuple(reversed(legs)))
