"""Remedies of the conversation, tried, and the other findings on the way: this conversation comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.remedies.conversation_offers import conversation_offers
from routing.model.estate import Estate
from routing.rules.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Mending:
    """A remedy of this conversation, with the finding that proposes it."""

    offer: ConversationOffer
    finding: StoredFinding | None
    number: int
    """Number of the finding among those on the page, from 1; 0 without one."""


def mendings(explanation: Explanation, estate: Estate, found: Sequence[StoredFinding]) -> tuple[Mending, ...]:
    """The remedies that mend the conversation, the best first."""
    by_remedy = {(one.instance, one.remedy_sql): one for one in found}
    offers = conversation_offers(explanation, estate, [one.finding for one in found])
    mended: list[Mending] = []
    count = 0
    for offer in offers:
        finding = by_remedy.get((offer.instance, offer.sql))
        count += finding is not None
        mended.append(Mending(offer, finding, count if finding is not None else 0))
    return tuple(mended)


def in_order(mends: Sequence[Mending], found: Sequence[StoredFinding]) -> tuple[StoredFinding, ...]:
    """The findings: first those whose remedy mends this conversation, then the others."""
    first = [one.finding for one in mends if one.finding is not None]
    return (*first, *(one for one in found if one not in first))
