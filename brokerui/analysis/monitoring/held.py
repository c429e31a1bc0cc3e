"""Conversations of hosted instances that wait: what holds each, and what routing does then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from brokerui.analysis.explanations.holding import Hold, holding
from brokerui.analysis.monitoring.waiting import IN_INDEX, WaitingGroup
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.messaging.models import ConversationEndpoint, HostedInstance
from brokerui.messaging.transmission_status import Place, problem_words, statuses
from routing.common.sentence import translator
from routing.model.conversation import Conversation
from routing.rules.explanation import Explanation, explain

KEPT = 500
_explained: LruCache[Explanation] = LruCache(KEPT)
translate = translator(gettext, ngettext)


def conversation_of(instance: str, row: ConversationEndpoint) -> Conversation:
    """The conversation as routing is asked about it."""
    return Conversation(
        instance,
        row.database,
        row.far_service,
        row.far_broker_instance or None,
        not row.is_initiator,
        row.service_name if row.is_initiator else None,
    )


def one_of_each(groups: Iterable[WaitingGroup]) -> dict[Place, ConversationEndpoint]:
    """One conversation of each group. Since they were counted, some may have gone."""
    return by_handle([group.handle for group in groups])


def by_handle(handles: Sequence[str]) -> dict[Place, ConversationEndpoint]:
    """Return the conversations with these handles that are there."""
    if not handles:
        return {}
    names = dict(HostedInstance.objects.values_list("id", "name"))
    rows = ConversationEndpoint.objects.filter(conversation_handle__in=handles)
    return {(names[row.instance_id], row.conversation_handle): row for row in rows}


def held_words(
    live: LiveEstate, rows: Mapping[Place, ConversationEndpoint], texts: Mapping[Place, str]
) -> dict[Place, str]:
    """For each conversation what holds it, in the reader's language. `texts` are their transmission statuses."""
    return {place: _held(live, place[0], row, texts.get(place, "")) for place, row in rows.items()}


def held_by_handle(handle: str, text: str | None = None) -> str:
    """The same for one conversation; empty where nothing of it waits, or nothing has been tried yet. `text` is its
    transmission status, where the caller knows it."""
    row = ConversationEndpoint.objects.select_related("instance").filter(conversation_handle=handle).first()
    if row is None or not row.outgoing:
        return ""
    place = row.instance.name, row.conversation_handle
    texts = statuses({place: row}) if text is None else {place: text}
    if not (texts[place] or row.transmission_status or row.attempts):
        return ""
    return held_words(estate_current(), {place: row}, texts)[place]


def held_like(conversation: Conversation) -> str:
    """Return what holds up a waiting conversation of the same class; empty if none waits."""
    if conversation.database is None:
        return ""
    rows = ConversationEndpoint.objects.filter(
        IN_INDEX,
        instance__name=conversation.instance,
        database=conversation.database,
        far_service=conversation.to_service,
        is_initiator=not conversation.is_reply,
        outgoing__gt=0,
    ).exclude(transmission_status=0, attempts=0)
    if conversation.from_service is not None:
        rows = rows.filter(service_name=conversation.from_service)
    if conversation.to_broker_instance is not None:
        rows = rows.filter(far_broker_instance=conversation.to_broker_instance)
    row = rows.first()
    if row is None:
        return ""
    place = conversation.instance, row.conversation_handle
    return held_words(estate_current(), {place: row}, statuses({place: row}))[place]


def _held(live: LiveEstate, instance: str, row: ConversationEndpoint, text: str) -> str:
    conversation = conversation_of(instance, row)
    here = live.estate.instances.get(instance)
    if here is None or row.database not in here.databases:
        return text.partition(": ")[2]
    hold = hold_of(row.transmission_status, text)
    return holding(hold, explanation_of(live, conversation), live.estate).render(translate)


def hold_of(number: int, text: str) -> Hold:
    """Read a transmission status; `text` is `NUMBER: why`, or empty."""
    given, _, words = text.partition(": ")
    if given.isdecimal():
        return Hold(int(given), _sentence(words))
    return Hold(number, _sentence(problem_words(number)) if number else "")


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."


def explanation_of(live: LiveEstate, conversation: Conversation) -> Explanation:
    """Return the answer of routing for the conversation in this minute."""
    at = timezone.now().replace(second=0, microsecond=0)
    return _explained.get_or_make(
        (live.digest, conversation, at), lambda: explain(live.estate, conversation, timezone.now())
    )
