"""The question of the page when none is asked: of the likely conversations, the one with the most to show."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice, product

from brokerui.analysis.explanations.origin import OUTSIDE, origin_text
from brokerui.pages.where.question import WhereQuestion
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED
from routing.rules.explanation import Explanation, explain

MAX_TRIED = 40
"""Conversations that are explained at most to choose one."""


def default_question(estate: Estate, at: datetime) -> WhereQuestion:
    """The likely conversation that comes farthest; an empty question for an estate without databases."""
    tried = [
        (_interest(explain(estate, c, at)), -number, c) for number, c in enumerate(islice(_likely(estate), MAX_TRIED))
    ]
    if not tried:
        return WhereQuestion({})
    _, _, best = max(tried, key=lambda one: one[:2])
    return WhereQuestion({"from": _origin(best, estate), "to": best.to_service})


def _origin(conversation: Conversation, estate: Estate) -> str:
    if conversation.database is None:
        return OUTSIDE + conversation.instance
    return origin_text(estate, conversation.instance, conversation.database)


def _likely(estate: Estate) -> Iterator[Conversation]:
    """From each database with services to the names in its routes, then to other databases' services."""
    origins = [
        (instance, database)
        for instance in estate.instances.values()
        for database in instance.databases.values()
        if database.user_services
    ][:MAX_TRIED]
    homes = [(home, s.name) for home, (_, database) in enumerate(origins) for s in database.user_services][:MAX_TRIED]
    for instance, database in origins:
        yield from (Conversation(instance.name, database.name, name) for name in islice(database.table.named, 3))
    # Each service from the database beside its own, then from the next but one: few of them show many ways.
    for away, (home, name) in product(range(1, len(origins)), homes):
        instance, database = origins[(home + away) % len(origins)]
        if not database.has_service(name):
            yield Conversation(instance.name, database.name, name)
    services = [name for _, name in homes]
    for instance in estate.instances.values():
        yield from (Conversation(instance.name, None, name) for name in services[:2])
        yield from (Conversation(instance.name, name, "Service") for name in instance.databases)


def _interest(explanation: Explanation) -> int:
    """Many hops, several ends, a target at all, a way back."""
    forward = explanation.forward
    reached = any(end.outcome.kind == DELIVERED for end in forward.ends)
    return 4 * reached + 2 * min(len(forward.hops), 4) + min(len(forward.ends), 3) + bool(explanation.returns)
