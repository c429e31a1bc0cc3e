"""Causes as a person reads them: title, effect, remedy. Made only for the causes that are shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.utils.translation import gettext, ngettext

from brokerui.analysis.explanations.holding import OF_ROUTING
from brokerui.analysis.explanations.looks import LookKind
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.collected import CollectedWaiting
from brokerui.analysis.monitoring.collected_offers import collected_offers
from brokerui.analysis.monitoring.held import (
    NOTHING_HELD,
    Diagnosis,
    by_handle,
    conversation_of,
    diagnoses,
    explanation_of,
    hold_of,
)
from brokerui.analysis.monitoring.held_offers import Offers, held_offers
from brokerui.analysis.monitoring.wording import cause_words
from brokerui.analysis.overview.causes import CauseKind, HeldCause
from brokerui.analysis.overview.held_rows import collected_known
from brokerui.analysis.overview.logged_causes import error_of, logged_effect, logged_title, logged_too
from brokerui.analysis.overview.wording import KEEPS, OFF, OVER, mended_title, no_way_back_title, title_of
from brokerui.analysis.remedies.conversation_offers import is_well
from brokerui.analysis.servers.logged import LoggedError
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from brokerui.eventlog.exceptional import why_exceptional
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.transmission_status import Place, problem_words, statuses
from routing.common.sentence import Sentence, translator
from routing.lint.collected import StatusMeaning
from routing.lint.remedy import alter_queue_on, use

TRIED_S: Final = 0.1
"""Seconds of a request for trying remedies; the next request goes on with those that were left out."""
STATUS_CHARS: Final = 200
"""Characters of a status that are quoted where its number is not known."""
DISCARDED: Final = 160
"""The class of events whose words say why an operator should know of a discarded message."""
translate = translator(gettext, ngettext)
_offered: LruCache[ConversationOffer | None] = LruCache(200)


@dataclass(frozen=True, slots=True)
class CauseInWords:
    """A cause with its words."""

    cause: HeldCause
    heading: Sentence
    """The fault with both ends, in any language."""
    effect: str
    remedy: ConversationOffer | None = None
    """The statement or command that mends it; of a queue that is off, the one that switches it on."""
    instance: str = ""
    """The instance whose conversation is an example of it."""
    conversation: ConversationEndpoint | None = None
    """The example; None: there is none here."""
    collected: CollectedWaiting | None = None
    """The row of a real server."""
    is_mended: bool = False
    """Whether routing would deliver the messages now: only their next attempt is waited for."""
    diagnosis: Diagnosis = NOTHING_HELD
    """The looks at the example; empty: there is none here."""

    @property
    def title(self) -> str:
        """The heading in the language of the reader."""
        return self.heading.render(translate)

    @property
    def remedy_words(self) -> str:
        """The effect of the remedy."""
        return " ".join(one.render(translate) for one in self.remedy.says) if self.remedy else ""


@dataclass(frozen=True, slots=True)
class _Words:
    """The sources of the words of all entries, read at once."""

    ones: Mapping[Place, ConversationEndpoint]
    texts: Mapping[Place, str]
    """Transmission statuses."""
    held: Mapping[Place, Diagnosis]
    offers: Mapping[Place, Offers]
    mended: Collection[Place]
    discarded: Mapping[str, tuple[str, ConversationEndpoint]]
    collected: Mapping[tuple[object, ...], tuple[CollectedWaiting, StatusMeaning, ConversationOffer | None]]
    logged: Sequence[LoggedError]


def entries_of(
    live: LiveEstate,
    causes: Sequence[HeldCause],
    at: datetime,
    seconds: float = TRIED_S,
    logged: Sequence[LoggedError] = (),
) -> list[CauseInWords]:
    """The entries of these causes, in their order. The number of queries does not depend on how many there are."""
    ones = by_handle([one.example for one in causes if one.kind is CauseKind.WAITING])
    texts = statuses(ones)
    known = _Words(
        ones,
        texts,
        diagnoses(live, ones, texts),
        held_offers(live, ones, texts, seconds),
        {place for place, one in ones.items() if _is_mended(live, place, one)},
        _discarded(causes),
        _collected(live, causes, at, seconds),
        logged,
    )
    make = {
        CauseKind.WAITING: _waiting,
        CauseKind.QUEUE_OFF: _off,
        CauseKind.DISCARDED: _dropped,
        CauseKind.COLLECTED: _of_server,
        CauseKind.LOGGED: _of_log,
    }
    return [make[cause.kind](cause, known) for cause in causes]


def _is_mended(live: LiveEstate, place: Place, one: ConversationEndpoint) -> bool:
    if one.transmission_status not in OF_ROUTING:
        return False
    return is_well(explanation_of(live, conversation_of(place[0], one)), live.estate)


def _waiting(cause: HeldCause, known: _Words) -> CauseInWords:
    place = cause.instance, cause.example
    held = known.held.get(place, NOTHING_HELD)
    effect = held.sentence or cause_words(cause.number)
    remedy, one = next(iter(known.offers.get(place, ())), None), known.ones.get(place)
    mended = place in known.mended
    title = mended_title(cause) if mended else _waiting_title(cause, held, known.texts.get(place, ""))
    return CauseInWords(cause, title, effect, remedy, cause.instance, one, is_mended=mended, diagnosis=held)


def _waiting_title(cause: HeldCause, held: Diagnosis, text: str) -> Sentence:
    """Name the fault by the status of the example, and where it is blank, by the look that decides."""
    if cause.number or cause.discarded_at:
        return title_of(cause)
    if held.decides(LookKind.WAY_BACK):
        return no_way_back_title(cause)
    return title_of(replace(cause, number=hold_of(0, text).number))


def _off(cause: HeldCause, _known: _Words) -> CauseInWords:
    sql = use(cause.database, (alter_queue_on(cause.subject),))
    remedy = ConversationOffer(cause.instance, sql, (), is_tried=False)
    return CauseInWords(cause, title_of(cause), OFF.render(translate), remedy)


def _dropped(cause: HeldCause, known: _Words) -> CauseInWords:
    why = problem_words(cause.number) if cause.number else f"{why_exceptional(DISCARDED, 0, 0).capitalize()}."
    instance, conversation = known.discarded.get(cause.example, ("", None))
    is_over = conversation is not None and not conversation.outgoing
    effect = f"{why} {(OVER if is_over else KEEPS).render(translate)}"
    return CauseInWords(cause, title_of(cause), effect, None, instance, conversation)


def _of_server(cause: HeldCause, known: _Words) -> CauseInWords:
    one, meaning, offer = known.collected[cause.key]
    effect = f"{meaning.cause.render(translate)} {meaning.next_step.render(translate)}"
    if meaning.number is None and one.row.status:
        effect = (
            f"\N{LEFT DOUBLE QUOTATION MARK}{one.row.status[:STATUS_CHARS]}\N{RIGHT DOUBLE QUOTATION MARK} {effect}"
        )
    if cause.lines:
        effect = f"{effect} {logged_too(cause).render(translate)}"
    return CauseInWords(cause, title_of(cause), effect, offer, cause.instance, None, one)


def _of_log(cause: HeldCause, known: _Words) -> CauseInWords:
    error = error_of(cause, known.logged)
    if error is None:
        return CauseInWords(cause, title_of(cause), "")
    return CauseInWords(cause, logged_title(error), logged_effect(error).render(translate))


def _discarded(causes: Sequence[HeldCause]) -> dict[str, tuple[str, ConversationEndpoint]]:
    """By identifier: the side of a conversation that sent the discarded messages, where it is one of ours."""
    wanted = [one.example for one in causes if one.kind is CauseKind.DISCARDED and one.example]
    if not wanted:
        return {}
    rows = ConversationEndpoint.objects.select_related("instance").filter(conversation_id__in=wanted)
    return {row.conversation_id: (row.instance.name, row) for row in rows.order_by("is_initiator")}


def _collected(
    live: LiveEstate, causes: Sequence[HeldCause], at: datetime, seconds: float
) -> dict[tuple[object, ...], tuple[CollectedWaiting, StatusMeaning, ConversationOffer | None]]:
    wanted = {one.key for one in causes if one.kind is CauseKind.COLLECTED}
    if not wanted:
        return {}
    rows = {}
    for one, meaning in collected_known(live, at):
        key = _key(one, meaning)
        if key in wanted and key not in rows:
            rows[key] = one, meaning
    missing = [(key, row) for key, row in rows.items() if not _offered.has((live.digest, key))]
    offers = collected_offers(live.estate, [row for _, row in missing], at, seconds)
    for (key, _row), offer in zip(missing, offers, strict=True):
        if offer is not None:
            _offered.put((live.digest, key), offer)
    return {key: (*row, _offered.get((live.digest, key))) for key, row in rows.items()}


def _key(one: CollectedWaiting, meaning: StatusMeaning) -> tuple[object, ...]:
    return "delayed", CauseKind.COLLECTED, one.instance, one.database, one.row.to_service or "", meaning.number or 0
