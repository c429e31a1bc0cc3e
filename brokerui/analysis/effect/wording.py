"""The effect of a change in words: what gets worse, better, or ends elsewhere, with services and databases by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brokerui.analysis.effect.conversations import ALL, NONE, SOME
from brokerui.analysis.effect.effect import Effect
from brokerui.analysis.effect.held import node_in_words
from brokerui.analysis.effect.rows import EffectRow
from brokerui.analysis.explanations.outcome_wording import short_reason
from routing.classes.traffic_class import STAND_IN, UNKNOWN_IDENTIFIER
from routing.common.sentence import Sentence, listed, say, say_counted
from routing.diff.result import BETTER, MOVED, WORSE, Outcomes
from routing.model.estate import Estate
from routing.rules.decision import DELAYED, DELIVERED, EXITS, Outcome
from routing.rules.journey import in_order

SHOWN_IDENTIFIERS = 3


@dataclass(frozen=True, slots=True)
class EffectWords:
    """The line of effect."""

    title: Sentence
    evidence: tuple[Sentence, ...] = ()
    """Before and after of the first row, its answers, how many messages it carried, and messages that are held."""


def effect_in_words(effect: Effect) -> EffectWords:
    """Return the sentence, with the worst row by name."""
    counts = effect.ends.counts
    first = effect.rows[0] if effect.rows else None
    held = [one.says for one in effect.held]
    if first is None:
        return EffectWords(held[0], tuple(held[1:])) if held else EffectWords(_nothing_intended(effect))
    title = {WORSE: _worse, BETTER: _better, MOVED: _moved}[first.verdict](counts, row_in_words(first, effect.after))
    return EffectWords(title, (evidence(first), *_answers(effect, first), *_carried(effect, first), *held))


def _answers(effect: Effect, row: EffectRow) -> Iterator[Sentence]:
    """Yield what becomes of acknowledgements and replies, where that changes or they are missing afterwards."""
    before, after = effect.answers_of(row)
    if after is None:
        return
    if after == ALL and before != ALL:
        yield say("Answers come back.")
    elif after == NONE:
        yield say("No answer comes back.") if before == NONE else say("Answers no longer come back.")
    elif after == SOME:
        yield say("Only some answers come back.")


def _carried(effect: Effect, row: EffectRow) -> Iterator[Sentence]:
    if effect.weights is not None:
        yield say_counted(
            effect.weights.of_row(row),
            "The pipeline's newest result has {count} message of it.",
            "The pipeline's newest result has {count} messages of it.",
        )


def _nothing_intended(effect: Effect) -> Sentence:
    ends = effect.ends
    if ends.counts.total():
        return say("Only conversations of new or dropped entry points change: {rest}.", rest=_new_or_gone(effect))
    if ends.apart[WORSE]:
        return say_counted(
            ends.apart[WORSE],
            "No conversation that a route names changes. {count} kind that nobody is likely to send gets worse.",
            "No conversation that a route names changes. {count} kinds that nobody is likely to send get worse.",
        )
    if ends.apart.total():
        return say("No conversation that a route names changes, and nothing gets worse.")
    return say("No conversation changes.")


def _new_or_gone(effect: Effect) -> Sentence:
    counts = effect.ends.counts
    return say("{new} kinds are new, {gone} are gone", new=f"{counts['appeared']:,}", gone=f"{counts['vanished']:,}")


def _worse(counts: dict[str, int], first: Sentence) -> Sentence:
    return say_counted(
        counts[WORSE],
        "{count} kind of conversation gets worse: {first}.",
        "{count} kinds of conversation get worse, first {first}.",
        first=first,
    )


def _moved(counts: dict[str, int], first: Sentence) -> Sentence:
    return say_counted(
        counts[MOVED],
        "{count} kind of conversation ends elsewhere: {first}; nothing gets worse.",
        "{count} kinds of conversation end elsewhere, first {first}; nothing gets worse.",
        first=first,
    )


def _better(counts: dict[str, int], first: Sentence) -> Sentence:
    return say_counted(
        counts[BETTER],
        "{count} kind of conversation gets better: {first}; nothing gets worse.",
        "{count} kinds of conversation get better, first {first}; nothing gets worse.",
        first=first,
    )


def row_in_words(row: EffectRow, estate: Estate) -> Sentence:
    """Return who sends what to which service, with which identifiers."""
    words = {"origin": origin_in_words(row), "service": service_in_words(row.service)}
    identifiers = identifiers_in_words(row.identifiers, estate)
    if row.is_reply:
        return say("{origin} → {service}, replies {identifiers}", identifiers=identifiers, **words)
    return say("{origin} → {service}, {identifiers}", identifiers=identifiers, **words)


def origin_in_words(row: EffectRow) -> Sentence:
    """Return where these conversations begin."""
    first = node_in_words(row.entries[0])
    more = row.entry_count - 1
    return say("{first} and {count} more", first=first, count=f"{more:,}") if more else first


def service_in_words(service: str) -> Sentence | str:
    """Return a service by name."""
    return say("any other service") if service == STAND_IN else service


def identifiers_in_words(identifiers: Sequence[str | None], estate: Estate) -> Sentence:
    """Return the identifiers that conversations give, by the databases that have them."""
    words = [_identifier(one, estate) for one in identifiers[:SHOWN_IDENTIFIERS]]
    more = len(identifiers) - len(words)
    if more:
        return say("{identifiers} or {count} others", identifiers=tuple(words), count=f"{more:,}")
    if len(words) == 1:
        return words[0]
    return say("{identifiers} or {last}", identifiers=tuple(words[:-1]), last=words[-1])


def _identifier(identifier: str | None, estate: Estate) -> Sentence:
    if identifier is None:
        return say("without identifier")
    if identifier == UNKNOWN_IDENTIFIER:
        return say("with an identifier that no database has")
    holders = [one.identified[identifier].name for one in estate.instances.values() if identifier in one.identified]
    if holders:
        return say("with the identifier of {databases}", databases=listed(list(dict.fromkeys(holders))))
    return say("with identifier {identifier}", identifier=identifier)


def states_in_words(row: EffectRow, estate: Estate) -> tuple[Sentence, ...]:
    """Return which conversations a row concerns: new, not yet acknowledged, acknowledged (RT-PIN)."""
    return tuple(_state(one, row, estate) for one in row.identifiers[:SHOWN_IDENTIFIERS])


def _state(identifier: str | None, row: EffectRow, estate: Estate) -> Sentence:
    if row.is_reply:
        return say("Acknowledgements and replies {identifier}.", identifier=_identifier(identifier, estate))
    if identifier is None:
        return say("New conversations that give no identifier, until the target has acknowledged a first message.")
    if identifier == UNKNOWN_IDENTIFIER:
        if _holders_of_unknown(row, estate):
            return say(
                "Conversations with an identifier that no database is known to have: also those that {databases} has "
                "acknowledged, whose identifier is not known.",
                databases=listed(_holders_of_unknown(row, estate)),
            )
        return say("Conversations with an identifier that no database has: none is acknowledged.")
    return say(
        "Conversations {identifier}: new ones that give it, and all that this database has acknowledged.",
        identifier=_identifier(identifier, estate),
    )


def _holders_of_unknown(row: EffectRow, estate: Estate) -> list[str]:
    """Return the databases with the service of a row whose identifier the estate does not know."""
    databases = (database for one in estate.instances.values() for database in one.databases.values())
    names = (
        database.name
        for database in databases
        if database.broker_instance is None and any(service.name == row.service for service in database.services)
    )
    return list(dict.fromkeys(names))


def evidence(row: EffectRow) -> Sentence:
    """Return how these conversations end before and after."""
    if not row.before:
        return say("New. After: {after}.", after=ends_in_words(row.after))
    if not row.after:
        return say("Before: {before}. After: gone.", before=ends_in_words(row.before))
    return say("Before: {before}. After: {after}.", before=ends_in_words(row.before), after=ends_in_words(row.after))


def ends_in_words(outcomes: Outcomes) -> Sentence:
    """Return where messages of a kind of conversation end: always, or one of several."""
    ends = [end_in_words(outcome) for outcome in in_order(outcomes)]
    if len(ends) == 1:
        return say("always {end}", end=ends[0])
    return say("{ends} or {last}", ends=tuple(ends[:-1]), last=ends[-1])


def end_in_words(outcome: Outcome) -> Sentence:
    """Return one end."""
    kind, instance, detail = outcome
    if kind == DELIVERED:
        return say("delivered to {database} on {instance}", database=detail, instance=instance)
    if kind == EXITS:
        return say("sent out of the estate to {address}", address=detail)
    reason = short_reason(detail)
    if kind == DELAYED:
        return say("waiting on {instance}, {reason}", instance=instance, reason=reason)
    return say("dropped on {instance}, {reason}", instance=instance, reason=reason)
