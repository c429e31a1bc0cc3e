"""Begins drains after an act, and checks them until nothing of them waits."""

from __future__ import annotations

from typing import Final

from django.db.models import Q

from brokerui.analysis.drains.counting import DrainPlace, busiest_minutes, rate_of, targets_of, waiting_there
from brokerui.analysis.drains.estimate import DrainFacts, drain_seconds
from brokerui.analysis.drains.models import Drain, DrainAct, DrainKind
from brokerui.analysis.monitoring.held import explanation_of
from brokerui.analysis.monitoring.waiting import IN_INDEX, WaitingGroup, waiting_now
from brokerui.analysis.remedies.conversation_offers import is_well
from brokerui.core.deferred import NotReadyError
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current, version_list
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint
from routing.model.conversation import Conversation
from routing.rules.explanation import Explanation

STALLED_MS: Final = 130_000
"""Without progress for two of the longest pauses between attempts, a drain is given up."""
DAY_MS: Final = 86_400_000
MOST: Final = 100
"""Groups that one version begins drains of."""


def drain_begin(place: DrainPlace, act: DrainAct, author: str, version: int | None = None) -> None:
    """Watch the messages that wait there, in the caller's transaction; nothing where none do."""
    messages = waiting_there(place)
    if not messages:
        return
    Drain.objects.filter(**place._asdict(), ended_at=None).delete()
    at = now()
    rate = rate_of(busiest_minutes(at), _targets(place))
    estimate = drain_seconds(DrainFacts(messages=messages, per_minute=rate, is_due=True))
    Drain.objects.create(
        **place._asdict(),
        act=act,
        author=author,
        version=version,
        began_at=at,
        messages=messages,
        estimate_s=estimate,
        left=messages,
        left_at=at,
    )


def drains_check(at: int) -> None:
    """Look at all that is watched; forget drains that ended a day ago."""
    for drain in Drain.objects.filter(ended_at=None):
        _check(drain, at)
    Drain.objects.filter(ended_at__lt=at - DAY_MS).delete()


def _check(drain: Drain, at: int) -> None:
    left = waiting_there(DrainPlace.of(drain))
    if left < drain.left:
        drain.left, drain.left_at = left, at
    if not left or at - drain.left_at > STALLED_MS:
        drain.ended_at, drain.is_well = at, _is_well(DrainPlace.of(drain), estate_current())
    drain.save(update_fields=["left", "left_at", "ended_at", "is_well"])


def version_noted() -> None:
    """Watch the messages whose way the newest version mends."""
    if not hosted_names() or not ConversationEndpoint.objects.filter(IN_INDEX, _delayed()).exists():
        return
    try:
        delayed = waiting_now().delayed[:MOST]
    except NotReadyError:
        return  # a background count of the waiting messages is not ready: the next look reads it
    newest = version_list(limit=2)
    if len(newest) == 2 and delayed:
        _begin_mended(delayed, estate_as_of(version=newest[1].number), newest[0].number, newest[0].author)


def _delayed() -> Q:
    return Q(outgoing__gt=0) & (Q(attempts__gt=0) | ~Q(transmission_status=0))


def _begin_mended(delayed: list[WaitingGroup], before: LiveEstate, version: int, author: str) -> None:
    live = estate_current()
    places = {DrainPlace(DrainKind.WAY, group.instance, group.database, group.service) for group in delayed}
    for place in sorted(places):
        if _is_well(place, live) and not _is_well(place, before):
            drain_begin(place, DrainAct.VERSION, author, version)


def _is_well(place: DrainPlace, live: LiveEstate) -> bool:
    """Whether routing delivers the next message, and its acknowledgements; of a queue, whether it is on."""
    instance = live.estate.instances.get(place.instance)
    if instance is None or place.database not in instance.databases:
        return False
    if place.kind == DrainKind.QUEUE:
        queues = instance.databases[place.database].queues
        return all(queue.enabled for queue in queues if queue.name.lower() == place.subject.lower())
    return is_well(_explanation(place, live), live.estate)


def _explanation(place: DrainPlace, live: LiveEstate) -> Explanation:
    conversation = Conversation(place.instance, place.database, place.subject, None, False, None)
    return explanation_of(live, conversation)


def _targets(place: DrainPlace) -> list[tuple[str, str]]:
    if place.kind == DrainKind.QUEUE:
        return [(place.instance, place.database)]
    live = estate_current()
    if place.database not in (instance.databases if (instance := live.estate.instances.get(place.instance)) else {}):
        return []
    return targets_of(_explanation(place, live))
