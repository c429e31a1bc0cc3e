"""The groups of delayed conversations as the page has them: what holds one of each, and what mends it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.urls import reverse

from brokerui.analysis.drains.counting import busiest_minutes
from brokerui.analysis.drains.selectors import Drains
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.held import Diagnosis, conversation_of, diagnoses, explanation_of, one_of_each
from brokerui.analysis.monitoring.held_offers import held_offers, nowhere
from brokerui.analysis.monitoring.waiting import WaitingGroup
from brokerui.analysis.monitoring.wording import cause_words, due
from brokerui.estate.selectors import LiveEstate
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.transmission_status import statuses
from brokerui.pages.changes.remedy import remedy_json
from brokerui.pages.delayed.draining import DrainOnPage, drain_on_page, estimate_words
from routing.common.sentence import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedGroup:
    """A group as the page has it."""

    group: WaitingGroup
    cause: str
    due: str
    where: str
    """The address of the page that explains it."""
    here: str
    """The query of the page with its conversations."""
    offers: tuple[ConversationOffer, ...]
    """The remedies, the best first."""
    diagnosis: Diagnosis = field(repr=False)
    """The looks at one of its conversations."""
    drain: DrainOnPage | None
    """The progress since an act; None: none is watched."""
    estimate: str
    """How long its messages need once nothing holds them; empty: no rate is known, or they flow."""
    nowhere: Sentence | None
    """Why there is no remedy; None: there is one, or the service is known."""

    @property
    def remedy(self) -> str:
        """The value of the button that makes a draft of the best remedy; empty: none can become a draft."""
        offer = next((offer for offer in self.offers[:1] if offer.is_edits), None)
        return "" if offer is None else remedy_json(offer.instance, offer.sql, self.group.service)

    @property
    def key(self) -> str:
        """Everything that a row of the table shows of it."""
        return repr(self)

    @property
    def others(self) -> int:
        """Its conversations beside the one that was looked at."""
        return self.group.conversations - 1

    @property
    def value(self) -> str:
        """Its place as the form of several groups has it."""
        return json.dumps(self.group[:3])


def shown_groups(
    live: LiveEstate, groups: list[WaitingGroup], at: int, here: Callable[[WaitingGroup], str], drains: Drains
) -> list[DelayedGroup]:
    """Return the groups with one conversation each, the one found when counting; without groups that are gone since."""
    ones = one_of_each(groups)
    texts = statuses(ones)
    held, offers = diagnoses(live, ones, texts), held_offers(live, ones, texts)
    rates = busiest_minutes(at) if ones else {}
    shown = []
    for group in groups:
        place = group.instance, group.handle
        if place in ones:
            explanation = explanation_of(live, conversation_of(group.instance, ones[place]))
            shown.append(
                DelayedGroup(
                    group=group,
                    cause=held[place].sentence or cause_words(group.cause),
                    due=due(group.next_attempt, at),
                    where=where_of(group.instance, ones[place]),
                    here=here(group),
                    offers=offers[place],
                    diagnosis=held[place],
                    drain=drain_on_page(group, drains, at),
                    estimate=estimate_words(group, explanation, live.estate, rates, at),
                    nowhere=None if offers[place] else nowhere(live, group.service),
                )
            )
    return shown


def where_of(instance: str, one: ConversationEndpoint) -> str:
    """The page that explains where a conversation goes, asked as it asks itself."""
    page_query = {
        "from": f"{instance}/{one.database}",
        "to": one.far_service,
        "broker": one.far_broker_instance or "",
        "service": one.service_name if one.is_initiator else "",
        "reply": "" if one.is_initiator else "1",
        "conversation": one.conversation_handle,
    }
    return f"{reverse('where:where')}?{urlencode({name: value for name, value in page_query.items() if value})}"
