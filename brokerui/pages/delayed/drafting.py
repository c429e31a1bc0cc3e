"""One draft with the remedies of all groups of a cause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.held import one_of_each
from brokerui.analysis.monitoring.held_offers import held_offers
from brokerui.analysis.monitoring.waiting import WaitingGroup
from brokerui.analysis.monitoring.wording import cause_words
from brokerui.analysis.remedies.remedy_edits import remedy_edits
from brokerui.changes.models import NAME
from brokerui.changes.services import draft_create
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.messaging.transmission_status import statuses
from brokerui.pages.changes.writing import REFUSALS, refusal
from brokerui.pages.delayed.choosing import MOST, fitting
from routing.model.estate import Edit, Estate

TRIED_S: Final = 5.0
"""Seconds for trying the remedies of all groups."""


@access(write=Level.EDIT)
@require_POST
def draft_all(request: HttpRequest) -> HttpResponse:
    """Make one draft with the remedies of the chosen groups, and open its effect: nothing is applied."""
    live, groups = estate_current(), fitting(request.POST)[:MOST]
    offers = _offers(live, groups)
    edits = edits_of(live.estate, offers)
    if not edits:
        messages.warning(request, _("No remedy of these groups can become a draft. Nothing was written."))
        return redirect("delayed:delayed")
    name = _("Remedy: %(about)s") % {"about": cause_words(groups[0].cause)}
    try:
        draft = draft_create(name=name[:NAME], edits=edits, author=request.user.get_username())
    except REFUSALS as error:
        messages.warning(request, refusal(error))
        return redirect("delayed:delayed")
    messages.success(request, _drafted(len(offers), len(groups)))
    return redirect("changes:effect", draft.id)


def _drafted(remedies: int, groups: int) -> str:
    text = ngettext(
        "%(n)s remedy is in this draft, for %(groups)s.", "%(n)s remedies are in this draft, for %(groups)s.", remedies
    )
    of = ngettext("%(n)s group", "%(n)s groups", groups) % {"n": groups}
    return text % {"n": remedies, "groups": of}


def _offers(live: LiveEstate, groups: list[WaitingGroup]) -> list[ConversationOffer]:
    """The best remedy of each group that can become a draft, each once."""
    ones = one_of_each(groups)
    found = held_offers(live, ones, statuses(ones), TRIED_S)
    best = (next((offer for offer in offers if offer.is_edits), None) for offers in found.values())
    return list({(offer.instance, offer.sql): offer for offer in best if offer is not None}.values())


def edits_of(estate: Estate, offers: Iterable[ConversationOffer]) -> tuple[Edit, ...]:
    """The edits of remedies one after another, each on the estate that the one before leaves."""
    at = timezone.now()
    edits: tuple[Edit, ...] = ()
    for offer in offers:
        more = remedy_edits(estate, offer.instance, offer.sql, at)
        estate, edits = estate.edited(more), (*edits, *more)
    return edits
