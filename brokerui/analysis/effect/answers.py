"""Conversations that are delivered before and after a change, but whose answers no longer all return.

Routing calls them moved: the messages arrive. But a sender that gets no acknowledgement keeps them, and sends them
again, so the effect counts these conversations as worse.
"""

from __future__ import annotations

from datetime import datetime

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.result import MOVED, DiffGroup, GroupMembers, Outcomes
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.initiators import possible_initiators
from routing.rules.return_path import return_path

ALL, SOME, NONE = 2, 1, 0
"""How many of the answers of a conversation come back."""


class AnswersLost:
    """Parts the groups of one comparison by what becomes of their answers."""

    def __init__(self, before: Estate, after: Estate, at: datetime) -> None:
        self._before, self._after = _Answers(before, at), _Answers(after, at)

    def parted(self, group: DiffGroup) -> tuple[DiffGroup, DiffGroup | None]:
        """Return the rest of a group of conversations (no answers), and those that lose answers; None: none does."""
        if not may_lose_answers(group):
            return group, None
        lost = [node for node in group.members if self._loses(node, group)]
        if not lost:
            return group, None
        gone = set(lost)
        rest = [node for node in group.members.unsorted() if node not in gone]
        order, traffic = group.members.order, group.traffic
        return (
            DiffGroup(traffic, group.before, group.after, GroupMembers(order, single=rest)),
            DiffGroup(traffic, group.before, group.after, GroupMembers(order, single=lost), loses_answers=True),
        )

    def _loses(self, node: Node, group: DiffGroup) -> bool:
        before = self._before.level(node, group.traffic.to_service, group.before)
        if not before:
            return False
        after = self._after.level(node, group.traffic.to_service, group.after)
        return after is not None and after < before


class _Answers:
    """The answers of conversations in one estate; each way back is followed once."""

    def __init__(self, estate: Estate, at: datetime) -> None:
        self._estate, self._at = estate, at
        self._ways: dict[tuple[Node, Outcome, str], int] = {}
        self._evaluators: dict[tuple[str, str], ClassEvaluator] = {}

    def level(self, node: Node, service: str, outcomes: Outcomes) -> int | None:
        """Return how many answers come back to an entry point; None: none are to come."""
        origin = self._database(*node) if node[1] is not None else None
        if origin is None:
            return None
        levels = [
            self._way(node, origin, end, own)
            for end in outcomes
            if end.kind == DELIVERED and (target := self._database(end.instance, end.detail)) is not None
            for own in possible_initiators(origin, target, service)
        ]
        if not levels:
            return None
        return ALL if min(levels) == ALL else min(max(levels), SOME)

    def _way(self, node: Node, origin: Database, end: Outcome, own: str) -> int:
        key = node, end, own
        if key not in self._ways:
            self._ways[key] = self._followed(node, origin, end, own)
        return self._ways[key]

    def _followed(self, node: Node, origin: Database, end: Outcome, own: str) -> int:
        if origin.broker_instance is None:
            begun = Conversation(*node, own)
            path = return_path(self._estate, begun, origin, end, own, self._at)
            return ALL if path.arrives else SOME if path.may_arrive else NONE
        evaluator = self._evaluator(own, origin.broker_instance)
        home, ends = (
            Outcome(DELIVERED, node[0], origin.name),
            evaluator.ends(evaluator.start((end.instance, end.detail))),
        )
        return ALL if ends == {home} else SOME if home in ends else NONE

    def _evaluator(self, own: str, identifier: str) -> ClassEvaluator:
        key = own, identifier
        if key not in self._evaluators:
            self._evaluators[key] = ClassEvaluator(self._estate, TrafficClass(own, identifier, True), self._at)
        return self._evaluators[key]

    def _database(self, instance: str, name: str | None) -> Database | None:
        found = self._estate.instances.get(instance)
        return found.databases.get(name or "") if found is not None else None


def may_lose_answers(group: DiffGroup) -> bool:
    """Whether conversations of a group may arrive before and after, so that their answers make the difference."""
    return group.verdict == MOVED and _is_delivered(group.before) and _is_delivered(group.after)


def _is_delivered(outcomes: Outcomes) -> bool:
    return any(outcome.kind == DELIVERED for outcome in outcomes)
