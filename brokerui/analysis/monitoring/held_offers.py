"""Remedies for waiting conversations of hosted instances: a few statements each, tried within a second for all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.held import conversation_of, explanation_of, hold_of
from brokerui.analysis.remedies.certificate_offers import LoginRefusal, certificate_offer, refusal_of
from brokerui.analysis.remedies.conversation_offers import findings_of_way, is_well, routing_offers
from brokerui.analysis.remedies.failover_offers import FailoverPair, failover_offer, pairs_of
from brokerui.analysis.remedies.status_offers import key_offer
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.transmission_status import Place
from routing.common.sentence import Sentence, say
from routing.model.conversation import Conversation
from routing.model.estate import Estate

TRIED_S = 1.0
"""Seconds of a request for trying remedies; the next request goes on with those that were left out."""
KEPT = 500
Offers = tuple[ConversationOffer, ...]
Pairs = tuple[FailoverPair, ...]
_offers: LruCache[Offers] = LruCache(KEPT)
_pairs: LruCache[Pairs] = LruCache(4)
_is_known: LruCache[bool] = LruCache(KEPT)


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
    pairs = _hosted_pairs(live) if rows else ()
    return {place: _kept(live, place, row, texts.get(place, ""), minute, until, pairs) for place, row in rows.items()}


def _hosted_pairs(live: LiveEstate) -> Pairs:
    """The mirrored databases that can fail over: both partners are hosted here."""
    pairs = _pairs.get_or_make(live.digest, lambda: pairs_of(live.estate))
    hosted = frozenset(hosted_names()) if pairs else frozenset()
    return tuple(pair for pair in pairs if {pair.principal, pair.mirror} <= hosted)


def nowhere(live: LiveEstate, service: str) -> Sentence | None:
    """Say that no statement can have messages for the service delivered, where no database is known to have it."""
    if _is_known.get_or_make((live.digest, service), lambda: _has_service(live.estate, service)):
        return None
    return say(
        "No database of the estate has {service}: no route can have it delivered. Import the server that has it, or end"
        " these conversations.",
        service=service,
    )


def _has_service(estate: Estate, service: str) -> bool:
    databases = (database for instance in estate.instances.values() for database in instance.databases.values())
    return any(database.has_service(service) for database in databases)


def _kept(
    live: LiveEstate,
    place: Place,
    row: ConversationEndpoint,
    text: str,
    minute: datetime,
    until: float,
    pairs: Pairs,
) -> Offers:
    conversation = conversation_of(place[0], row)
    hold = hold_of(row.transmission_status, text)
    status = hold.number, refusal_of(hold.number, hold.cause)
    key = live.digest, conversation, status, minute, pairs
    if not _offers.has(key) and time.monotonic() > until:
        return ()
    return _offers.get_or_make(key, lambda: _made(live, conversation, *status, pairs))


def _made(
    live: LiveEstate, conversation: Conversation, number: int, refusal: LoginRefusal | None, pairs: Pairs
) -> Offers:
    here = live.estate.instances.get(conversation.instance)
    if here is None or conversation.database not in here.databases:
        return ()
    explanation = explanation_of(live, conversation)
    given = (
        key_offer(explanation, number),
        certificate_offer(explanation, refusal, hosted_names() if refusal else ()),
        failover_offer(explanation, live.estate, number, pairs),
    )
    first = tuple(offer for offer in given if offer is not None)
    if is_well(explanation, live.estate):
        return first
    return *first, *routing_offers(explanation, live.estate, findings_of_way(explanation, live.estate))
