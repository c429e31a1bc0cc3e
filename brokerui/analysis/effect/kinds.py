"""A kind of conversation that a change touches, in words: as pages show it, and as imports keep it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from brokerui.analysis.effect.conversations import conversation_of
from brokerui.analysis.effect.rows import EffectRow
from brokerui.analysis.effect.wording import identifiers_in_words, origin_in_words, service_in_words
from brokerui.analysis.explanations.origin import OUTSIDE, exact
from brokerui.analysis.explanations.outcome_wording import short_reason
from brokerui.core.sentence_json import sentence_as_json, sentence_from_json
from routing.common.sentence import Sentence, say
from routing.diff.result import Outcomes
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED, EXITS, Outcome
from routing.rules.journey import in_order

SHOWN_ENDS = 3
ALL, SOME, NO = "all", "some", ""
"""How many of the conversations of a row are acknowledgements and replies."""


@dataclass(frozen=True, slots=True)
class EndsView:
    """Outcomes of one kind: how they are called, and where they are."""

    kind: str
    certainty: str
    """`always` or `may`."""
    places: tuple[Sentence | str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class KindWords:
    """A row of an effect in words."""

    verdict: str
    change: str
    """The kind of change, finer than the verdict."""
    count: int
    """Kinds of conversation."""
    origin: Sentence
    to_service: str
    identifiers: Sentence
    replies: str
    """`all`, `some` or empty."""
    ends: tuple[Outcomes, Outcomes]
    """Before and after."""
    question: Mapping[str, str]
    """The first of these conversations, as the page /where/ is asked it."""

    @property
    def service(self) -> Sentence | str:
        return service_in_words(self.to_service)

    @property
    def before(self) -> list[EndsView]:
        return list(ends_views(self.ends[0]))

    @property
    def after(self) -> list[EndsView]:
        return list(ends_views(self.ends[1]))

    def as_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "change": self.change,
            "count": self.count,
            "origin": json.loads(sentence_as_json(self.origin)),
            "to_service": self.to_service,
            "identifiers": json.loads(sentence_as_json(self.identifiers)),
            "replies": self.replies,
            "ends": [[list(outcome) for outcome in in_order(ends)] for ends in self.ends],
            "question": dict(self.question),
        }


def kind_words(row: EffectRow, estate: Estate) -> KindWords:
    """Return the words for a row; identifiers are named after the databases of this estate that have them."""
    return KindWords(
        verdict=row.verdict,
        change=row.kind,
        count=row.count,
        origin=origin_in_words(row),
        to_service=row.service,
        identifiers=identifiers_in_words(row.identifiers, estate),
        replies=ALL if row.is_reply else SOME if row.has_replies else NO,
        ends=(row.before, row.after),
        question=_question(row),
    )


def kind_from_json(kept: Mapping[str, Any]) -> KindWords:
    """Return what `as_json` gave."""
    before, after = (frozenset(Outcome(*outcome) for outcome in ends) for ends in kept["ends"])
    made: dict[str, Any] = {name: sentence_from_json(json.dumps(kept[name])) for name in ("origin", "identifiers")}
    same = {name: kept[name] for name in ("verdict", "change", "count", "to_service", "replies", "question")}
    return KindWords(**same, **made, ends=(before, after))


def ends_views(outcomes: Outcomes) -> Iterator[EndsView]:
    """Yield the outcomes by kind: delivered ones first."""
    kinds = dict.fromkeys(outcome.kind for outcome in in_order(outcomes))
    for kind in kinds:
        places = [_place(one) for one in in_order(outcomes) if one.kind == kind]
        certainty = "always" if len(kinds) == 1 else "may"
        yield EndsView(kind, certainty, tuple(places[:SHOWN_ENDS]), max(0, len(places) - SHOWN_ENDS))


def _place(outcome: Outcome) -> Sentence | str:
    kind, instance, detail = outcome
    if kind == DELIVERED:
        return say("{database} on {instance}", database=detail, instance=instance)
    if kind == EXITS:
        return detail
    return say("{instance}: {reason}", instance=instance, reason=short_reason(detail))


def _question(row: EffectRow) -> dict[str, str]:
    conversation = conversation_of(row)
    query = {"from": _origin(conversation.instance, conversation.database), "to": conversation.to_service}
    if conversation.to_broker_instance is not None:
        query["broker"] = conversation.to_broker_instance
    return query | ({"reply": "1"} if conversation.is_reply else {})


def _origin(instance: str, database: str | None) -> str:
    if database is None:
        return f"{OUTSIDE}{instance}"
    plain = f"{instance}/{database}"
    return plain if plain.count("/") == 1 and not plain.startswith(OUTSIDE) else exact(instance, database)
