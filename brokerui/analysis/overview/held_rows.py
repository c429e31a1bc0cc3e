"""Rows about messages that are held or discarded now: of hosted instances, and as real servers showed them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Max, Min, QuerySet, Sum

from brokerui.analysis.monitoring.collected import CollectedWaiting, collected_waiting
from brokerui.analysis.monitoring.evidence import DISCARDED_MS, DISCARDING
from brokerui.analysis.monitoring.history import oldest_by_status
from brokerui.analysis.monitoring.waiting import IN_INDEX, WaitingGroup, WaitingMessages
from brokerui.analysis.overview.causes import CauseKind, HeldCause
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import DUPLICATES
from brokerui.messaging.models import ConversationEndpoint, OutgoingMessage
from routing.common.finding import INFO
from routing.lint.collected import StatusMeaning
from routing.rules.decision import DELAYED, DROPPED

SECOND_MS: Final = 1000
MOST_DISCARDED: Final = 200
"""Causes of discarded messages that are read; those with most come first."""
LOOKED_UP: Final = 500
"""Groups whose example is asked for its age, where no sample has it yet."""
KEPT: Final = 4
_ALIKE: Final = ("instance", "database_name", "target", "error")
Known = tuple[tuple[CollectedWaiting, StatusMeaning], ...]
_collected: LruCache[Known] = LruCache(KEPT)


def waiting_rows(waiting: WaitingMessages, now: int) -> list[HeldCause]:
    """Conversations of hosted databases that are delayed."""
    delayed = waiting.delayed
    sampled = oldest_by_status(now)
    ages = _ages_of_examples(delayed, now)
    return [_waiting(group, ages.get(group.handle), sampled) for group in delayed]


def _waiting(group: WaitingGroup, example: int | None, sampled: Mapping[tuple[str, str, int], int]) -> HeldCause:
    known = [age for age in (example, sampled.get((group.instance, group.database, group.cause))) if age is not None]
    return HeldCause(
        outcome=DELAYED,
        kind=CauseKind.WAITING,
        instance=group.instance,
        database=group.database,
        subject=group.service,
        number=group.cause,
        conversations=group.conversations,
        messages=group.messages,
        oldest_s=max(known) // SECOND_MS if known else None,
        example=group.handle,
    )


def _ages_of_examples(groups: Iterable[WaitingGroup], now: int) -> dict[str, int]:
    """By handle: milliseconds since the first message of the conversation was sent that waits."""
    handles = [group.handle for group in groups][:LOOKED_UP]
    rows = OutgoingMessage.objects.filter(conversation_handle__in=handles).values_list("conversation_handle")
    return {handle: max(0, now - first) for handle, first in rows.annotate(first=Min("enqueue_time")).order_by()}


def off_rows(waiting: WaitingMessages, ages: Mapping[tuple[str, str], int]) -> Iterator[HeldCause]:
    """Messages that arrived for queues that are off; the age is that of the transmission queue which holds them."""
    for group in waiting.arrived:
        if group.is_off:
            age = ages.get((group.instance, group.database))
            yield HeldCause(
                outcome=DELAYED,
                kind=CauseKind.QUEUE_OFF,
                instance=group.instance,
                database=group.database,
                subject=group.queue,
                number=0,
                conversations=group.conversations,
                messages=group.fragments,
                oldest_s=None if age is None else age // SECOND_MS,
            )


def discarded_rows(now: int) -> Iterator[HeldCause]:
    """Messages that hosted instances discarded in the last minutes; copies of messages that had arrived are none."""
    rows = ExceptionalEvent.objects.filter(event_class__in=DISCARDING, last_at__gte=now - DISCARDED_MS)
    by: QuerySet[Any, Any] = rows.exclude(error__in=DUPLICATES.errors).values(*_ALIKE)
    sums = by.annotate(times=Sum("occurrences"), first=Min("first_at"), one=Max("conversation_id"))
    columns = sums.values_list(*_ALIKE, "times", "first", "one")
    for instance, database, target, error, times, first, one in columns.order_by("-times")[:MOST_DISCARDED]:
        yield HeldCause(
            outcome=DROPPED,
            kind=CauseKind.DISCARDED,
            instance=instance,
            database=database,
            subject=target,
            number=error,
            conversations=None,
            messages=times,
            oldest_s=max(0, now - first) // SECOND_MS,
            example=one,
        )


def together(waiting: Iterable[HeldCause], discarded: Iterable[HeldCause]) -> Iterator[HeldCause]:
    """One cause for one fault: messages that an instance discards are those that their sender keeps, unacknowledged."""
    thrown = list(discarded)
    sides = sides_of({one.example for one in thrown if one.example})
    by_side = {side: one for one in reversed(thrown) for side in sides.get(one.example, ())}
    known = set()
    for cause in waiting:
        found = by_side.get((cause.instance, cause.database, cause.subject)) if not cause.number else None
        if found is None:
            yield cause
        else:
            known.add(found.key)
            yield replace(cause, outcome=DROPPED, discarded_at=found.place)
    yield from (one for one in thrown if one.key not in known)


def sides_of(conversations: Collection[str]) -> dict[str, list[tuple[str, str, str]]]:
    """By identifier: instance, database and far service of the sides that have messages to send."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    if conversations:
        rows = ConversationEndpoint.objects.filter(IN_INDEX, conversation_id__in=conversations, outgoing__gt=0)
        columns = ("conversation_id", "instance__name", "database", "far_service")
        for one, *side in rows.values_list(*columns):
            found.setdefault(one, []).append((side[0], side[1], side[2]))
    return found


def repeated_since(since: int) -> int:
    """How many messages came again since this moment."""
    rows = ExceptionalEvent.objects.filter(event_class=DUPLICATES.event_class, error__in=DUPLICATES.errors)
    return rows.filter(last_at__gte=since).aggregate(times=Sum("occurrences"))["times"] or 0


def collected_rows(live: LiveEstate, at: datetime) -> Iterator[HeldCause]:
    """Messages that waited on real servers, but those whose status passes by itself."""
    for one, meaning in collected_known(live, at):
        yield HeldCause(
            outcome=DELAYED,
            kind=CauseKind.COLLECTED,
            instance=one.instance,
            database=one.database,
            subject=one.row.to_service or "",
            number=meaning.number or 0,
            conversations=None,
            messages=one.row.messages,
            oldest_s=one.age_s(),
            collected_at=one.queue.collected_at,
            example=meaning.code,
        )


def collected_known(live: LiveEstate, at: datetime) -> Known:
    """The collected rows with their meaning; worked out once for a version of the estate."""
    return _collected.get_or_make(
        live.digest,
        lambda: tuple(
            (one, meaning)
            for one in collected_waiting(live.estate)
            if (meaning := one.meaning(live.estate, at)).severity != INFO
        ),
    )
