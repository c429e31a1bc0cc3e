"""The groups, conversations and queues that a form of *Delayed* names, as they are now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import QueryDict

from brokerui.analysis.acts.several import QueuePlace, RetriedPlace
from brokerui.analysis.monitoring.waiting import IN_INDEX, WaitingGroup, waiting_now
from brokerui.messaging.models import ConversationEndpoint
from routing.model.estate import INSTANCE_NAME_CHARS

MOST: Final = 200
"""Groups, conversations or queues of one request: groups with most conversations come first."""


@dataclass(frozen=True, slots=True)
class ChosenGroup:
    """The waiting messages of a place, all causes together."""

    place: RetriedPlace
    conversations: int
    messages: int

    @property
    def value(self) -> str:
        """The place as a form has it."""
        return json.dumps(self.place)


def chosen(form: QueryDict) -> tuple[list[ChosenGroup], int]:
    """Return the groups that a form names, one by one or by their cause, as they wait now; and the number of those
    left out."""
    groups = _together(_wanted(form), fitting(form))
    return groups[:MOST], max(0, len(groups) - MOST)


def fitting(form: QueryDict) -> list[WaitingGroup]:
    """Return the delayed groups that a form names, one by one or by their cause."""
    wanted, cause = _wanted(form), form.get("cause", "")
    return [one for one in waiting_now().delayed if one[:3] in wanted or (cause and str(one.cause) == cause)]


def chosen_handles(form: QueryDict) -> tuple[list[str], int]:
    """Return the conversations that a form names, one by one or by their groups, the oldest attempts first; and the
    number of those left out."""
    named = [text for text in form.getlist("handle") if _is_handle(text)]
    if named:
        return named[:MOST], max(0, len(named) - MOST)
    groups = fitting(form)
    found = list(_handles(groups[:MOST])[: MOST + 1]) if groups else []
    total = sum(group.conversations for group in groups)
    return found[:MOST], max(0, total - MOST) if len(found) > MOST else 0


def _handles(groups: Sequence[WaitingGroup]) -> QuerySet[Any, str]:
    alike = Q()
    for group in groups:
        tried = Q(attempts__gt=0) if group.is_tried else Q(attempts=0)
        alike |= tried & Q(
            instance__name=group.instance,
            database=group.database,
            far_service=group.service,
            transmission_status=group.cause,
        )
    rows = ConversationEndpoint.objects.filter(IN_INDEX, alike, outgoing__gt=0)
    return rows.order_by("-attempts", "conversation_handle").values_list("conversation_handle", flat=True)


def _is_handle(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def chosen_queues(form: QueryDict) -> list[QueuePlace]:
    """Return the queues that a form names."""
    found = (_triple(text) for text in form.getlist("queue")[:MOST])
    return list(dict.fromkeys(QueuePlace(*place) for place in found if place is not None))


def _wanted(form: QueryDict) -> set[RetriedPlace]:
    found = (_triple(text) for text in form.getlist("group")[:MOST])
    return {RetriedPlace(*place) for place in found if place is not None}


def _together(wanted: Iterable[RetriedPlace], groups: Sequence[WaitingGroup]) -> list[ChosenGroup]:
    found = {place: ChosenGroup(place, 0, 0) for place in wanted}
    for group in groups:
        place = RetriedPlace(*group[:3])
        before = found.get(place, ChosenGroup(place, 0, 0))
        sums = before.conversations + group.conversations, before.messages + group.messages
        found[place] = ChosenGroup(place, *sums)
    return sorted(found.values(), key=lambda one: (-one.conversations, one.place))


def _triple(text: str) -> tuple[str, str, str] | None:
    """The three names of a value of the form; None: it has none."""
    try:
        value = json.loads(text[: 4 * INSTANCE_NAME_CHARS])
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value):
        return value[0], value[1], value[2]
    return None
