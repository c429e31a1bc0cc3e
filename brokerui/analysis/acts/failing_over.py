"""Failover of a mirrored database: the plan first, then the act."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from brokerui.analysis.remedies.failover_offers import FailoverPair, failover_effects, pair_of
from brokerui.estate.selectors import estate_current
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import database_fail_over, fail_over_check
from routing.remedies.effects import ClassEffect


@dataclass(frozen=True, slots=True)
class FailoverPlan:
    """A failover with its effect."""

    pair: FailoverPair
    """The roles before it."""
    conversations: int
    """Of the database, which move to the new principal."""
    messages: int
    """Of those, which wait to be sent."""
    better: tuple[ClassEffect, ...]
    worse: tuple[ClassEffect, ...]
    """Classes of conversations whose messages end worse with it."""


def failover_plan(*, instance: str, database: str) -> FailoverPlan:
    """The plan for either partner; it changes nothing. Raises `VerbError` and `MessagingError` as the failover does."""
    fail_over_check(instance=instance, database=database)
    estate = estate_current().estate
    pair = pair_of(estate, instance, database)
    if pair is None:  # it was edited since the check
        raise AssertionError(f"{instance}/{database} has no partner")
    rows = ConversationEndpoint.objects.filter(instance__name=pair.principal, database=database)
    sums = rows.aggregate(conversations=Count("conversation_handle"), messages=Sum("outgoing"))
    better, worse = failover_effects(estate, pair, timezone.now())
    return FailoverPlan(pair, sums["conversations"], sums["messages"] or 0, better, worse)


@transaction.atomic
def fail_over(*, instance: str, database: str, author: str) -> FailoverPair:
    """SET PARTNER FAILOVER; returns the roles after it. Messages that it lets flow are watched as after any version."""
    roles = database_fail_over(instance=instance, database=database, author=author)
    return FailoverPair(database, roles.principal, roles.mirror)
