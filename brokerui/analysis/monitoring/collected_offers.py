"""Remedies for messages that waited on real servers: a statement for each row, tried within a second for all."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime

from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.collected import CollectedWaiting
from brokerui.analysis.remedies.conversation_offers import findings_of_way, is_well, routing_offers
from brokerui.analysis.remedies.status_offers import status_offer
from routing.dialog.status_kind import CONVERSATION_OVER
from routing.lint.collected import StatusMeaning
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import explain

TRIED_S = 1.0


def collected_offers(
    estate: Estate, statuses: Iterable[tuple[CollectedWaiting, StatusMeaning]], at: datetime, seconds: float = TRIED_S
) -> list[ConversationOffer | None]:
    """For each row the statement for its status, or for a status of routing the best remedy that the engine tried.
    Rows for which nothing is to be run, or whose turn comes after these seconds, have none."""
    until = time.monotonic() + seconds
    return [_offer(estate, one, words, at) if time.monotonic() < until else None for one, words in statuses]


def _offer(estate: Estate, one: CollectedWaiting, status: StatusMeaning, at: datetime) -> ConversationOffer | None:
    row = one.row
    if row.to_service is None or status.code == CONVERSATION_OVER:
        return None
    conversation = Conversation(
        one.instance, one.database, row.to_service, row.to_broker_instance, from_service=row.from_service
    )
    explanation = explain(estate, conversation, at)
    if status.number is not None:
        offer = status_offer(explanation, estate, status.number, row)
        if offer is not None:
            return offer
    if is_well(explanation, estate):
        return None
    return next(iter(routing_offers(explanation, estate, findings_of_way(explanation, estate))), None)
