"""Conversations of hosted instances that wait: what holds each, and what routing does then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from brokerui.analysis.explanations.evidence import Hold
from brokerui.analysis.explanations.looks import Look, LookKind, holding, looks_of
from brokerui.analysis.monitoring.evidence import EvidenceReader, evidence_reader
from brokerui.analysis.monitoring.waiting import IN_INDEX, WaitingGroup
from brokerui.core.cache import LruCache
from brokerui.core.lasting import lasts
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint, HostedInstance
from brokerui.messaging.transmission_status import Place, problem_words, statuses
from routing.common.sentence import translator
from routing.model.conversation import Conversation
from routing.rules.explanation import Explanation, explain

KEPT = 500
TELL_AGES: Final = (LookKind.QUEUE, LookKind.DISCARDS, LookKind.CONNECTIONS)
"""Looks whose sentences say how many seconds ago something was."""
_explained: LruCache[Explanation] = LruCache(KEPT)
translate = translator(gettext, ngettext)


@dataclass(frozen=True, slots=True)
class LookInWords:
    """One look of the diagnosis, in the reader's language."""

    kind: str
    """The same in every language."""
    title: str
    saw: str
    decides: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause for which a conversation waits, and the looks that found it."""

    sentence: str
    found: tuple[Look, ...] = ()
    """The looks in order; empty where the database of the conversation is not in the estate."""

    @property
    def looks(self) -> tuple[LookInWords, ...]:
        """The looks in words. A list of conversations shows none: they are put into words where they are read."""
        lasts(1)  # several say how many seconds ago
        return tuple(
            LookInWords(one.kind.value, one.title.render(translate), _capital(one.saw.render(translate)), one.decides)
            for one in self.found
        )

    def decides(self, kind: str) -> bool:
        """Whether the look of this kind decides."""
        return any(one.decides and one.kind == kind for one in self.found)

    def as_json(self) -> list[dict[str, object]]:
        """The looks as values for programs."""
        return [{"look": one.kind, "title": one.title, "saw": one.saw, "decides": one.decides} for one in self.looks]


NOTHING_HELD = Diagnosis("")


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


def diagnoses(
    live: LiveEstate, rows: Mapping[Place, ConversationEndpoint], texts: Mapping[Place, str]
) -> dict[Place, Diagnosis]:
    """For each conversation what holds it, and the looks at it, in the reader's language. `texts` are their
    transmission statuses. The number of queries does not depend on how many they are."""
    if not rows:
        return {}
    reader = evidence_reader(live, now())
    return {place: _diagnosis(reader, place[0], row, texts.get(place, "")) for place, row in rows.items()}


def diagnosis_by_handle(handle: str, text: str | None = None) -> Diagnosis:
    """The same for one conversation; empty where nothing of it waits, or nothing has been tried yet. `text` is its
    transmission status, where the caller knows it."""
    row = ConversationEndpoint.objects.select_related("instance").filter(conversation_handle=handle).first()
    if row is None or not row.outgoing:
        return NOTHING_HELD
    place = row.instance.name, row.conversation_handle
    texts = statuses({place: row}) if text is None else {place: text}
    if not (texts[place] or row.transmission_status or row.attempts):
        return NOTHING_HELD
    return diagnoses(estate_current(), {place: row}, texts)[place]


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
    return diagnoses(estate_current(), {place: row}, statuses({place: row}))[place].sentence


def _diagnosis(reader: EvidenceReader, instance: str, row: ConversationEndpoint, text: str) -> Diagnosis:
    here = reader.live.estate.instances.get(instance)
    if here is None or row.database not in here.databases:
        return Diagnosis(text.partition(": ")[2])
    explanation = explanation_of(reader.live, conversation_of(instance, row))
    looks = looks_of(reader.of(row, hold_of(row.transmission_status, text), explanation))
    if any(one.decides and one.kind in TELL_AGES for one in looks):
        lasts(1)
    return Diagnosis(holding(looks).render(translate), looks)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


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
    return explanation_at(live, conversation, timezone.now())


def explanation_at(estate: LiveEstate, conversation: Conversation, at: datetime) -> Explanation:
    """Return the answer of routing by an estate, at a moment; that of its minute is kept."""
    minute = at.replace(second=0, microsecond=0)
    return _explained.get_or_make(
        (estate.digest, conversation, minute), lambda: explain(estate.estate, conversation, at)
    )
