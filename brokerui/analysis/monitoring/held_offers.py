"""Remedies for waiting conversations of hosted instances: a few statements each, tried within a second for all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.held import conversation_of, explanation_of, hold_of
from brokerui.analysis.remedies.conversation_offers import findings_of_way, is_well, routing_offers
from brokerui.analysis.remedies.status_offers import key_offer
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.transmission_status import Place
from routing.model.conversation import Conversation

TRIED_S = 1.0
"""Seconds of a request for trying remedies; the next request goes on with those that were left out."""
KEPT = 500
Offers = tuple[ConversationOffer, ...]
_offers: LruCache[Offers] = LruCache(KEPT)


def held_offers(
    live: LiveEstate,
    rows: Mapping[Place, ConversationEndpoint],
    texts: Mapping[Place, str],
    seconds: float = TRIED_S,
) -> dict[Place, Offers]:
    """For each conversation what mends it, the best first; empty where nothing does, or where the time was over.
    `texts` are the transmission statuses."""
    until = time.monotonic() + seconds
    minute = timezone.now().replace(second=0, microsecond=0)
    return {place: _kept(live, place, row, texts.get(place, ""), minute, until) for place, row in rows.items()}


def _kept(
    live: LiveEstate, place: Place, row: ConversationEndpoint, text: str, minute: datetime, until: float
) -> Offers:
    conversation = conversation_of(place[0], row)
    number = hold_of(row.transmission_status, text).number
    key = live.digest, conversation, number, minute
    if not _offers.has(key) and time.monotonic() > until:
        return ()
    return _offers.get_or_make(key, lambda: _made(live, conversation, number))


def _made(live: LiveEstate, conversation: Conversation, number: int) -> Offers:
    here = live.estate.instances.get(conversation.instance)
    if here is None or conversation.database not in here.databases:
        return ()
    explanation = explanation_of(live, conversation)
    key = key_offer(explanation, number)
    if is_well(explanation, live.estate):
        return (key,) if key is not None else ()
    found = findings_of_way(explanation, live.estate)
    routing = routing_offers(explanation, live.estate, found)
    return (key, *routing) if key is not None else routing
