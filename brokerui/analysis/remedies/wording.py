"""The effect of a remedy in words: where conversations end with it, and which of them end worse."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from brokerui.analysis.explanations.outcome_wording import short_reason
from routing.common.finding import Finding
from routing.common.sentence import Sentence, say, say_counted
from routing.remedies.effects import ClassEffect
from routing.remedies.trial import RemedyTrial, TrialVerdict
from routing.rules.decision import DELAYED, DELIVERED, EXITS, Outcome
from routing.rules.journey import in_order


def remedy_says(trial: RemedyTrial, finding: Finding) -> tuple[Sentence, ...]:
    """Say what the remedy did on a copy of the estate, in whole sentences."""
    if trial.verdict is TrialVerdict.UNTRIED:
        return (say("It could not be tried here: BrokerUI cannot run all of its statements."),)
    sentences = [_gain(trial, finding)]
    if trial.worse:
        sentences.append(harm(trial.worse))
    if astray := [effect for effect in trial.moved if any(end.kind == DELIVERED for end in effect.before)]:
        sentences += [_elsewhere(astray)] if trial.better else []
    if not trial.is_complete:
        sentences.append(
            say("Only conversations that it is about were tried; `brokerui diff` compares all of an estate this large.")
        )
    return tuple(sentences)


def _gain(trial: RemedyTrial, finding: Finding) -> Sentence:
    gained = trial.better or trial.moved
    if not gained:
        if trial.worse:
            return say("With it, the finding is gone.")
        return say("With it, the finding is gone, and every conversation ends as before.")
    first = min(gained, key=lambda effect: _rank(effect, finding))
    facts = {"conversations": _conversations(first), "end": ends_in_words(first.after, first.node[1])}
    more = sum(effect.count for effect in gained) - 1
    if not more:
        return say("With it, {conversations} {end}.", **facts)
    if trial.better:
        return say_counted(
            more,
            "With it, {conversations} {end}; {count} more class of conversations ends better.",
            "With it, {conversations} {end}; {count} more classes of conversations end better.",
            **facts,
        )
    return say_counted(
        more,
        "With it, {conversations} {end}; {count} more class of conversations ends elsewhere.",
        "With it, {conversations} {end}; {count} more classes of conversations end elsewhere.",
        **facts,
    )


def _rank(effect: ClassEffect, finding: Finding) -> tuple[bool, ...]:
    """The effect that says most comes first: from the place of the finding, delivered, without an identifier."""
    wants_reply = finding.code == "no-return-route"
    return (
        effect.node != (finding.instance, finding.database),
        any(end.kind != DELIVERED for end in effect.after),
        effect.traffic.is_reply is not wants_reply,
        effect.traffic.to_broker_instance is not None,
    )


def harm(worse: Sequence[ClassEffect]) -> Sentence:
    """Say which conversations end worse with a remedy."""
    first = worse[0]
    facts = {
        "conversations": _conversations(first),
        "before": ends_in_words(first.before, first.node[1]),
        "after": ends_in_words(first.after, first.node[1]),
    }
    more = sum(effect.count for effect in worse) - 1
    if not more:
        return say("But {conversations} end worse: they {before} now, and {after} with it.", **facts)
    return say_counted(
        more,
        "But {conversations} end worse: they {before} now, and {after} with it; so does {count} more class of"
        " conversations.",
        "But {conversations} end worse: they {before} now, and {after} with it; so do {count} more classes of"
        " conversations.",
        **facts,
    )


def _elsewhere(moved: Sequence[ClassEffect]) -> Sentence:
    first = moved[0]
    facts = {
        "conversations": _conversations(first),
        "before": ends_in_words(first.before, first.node[1]),
        "after": ends_in_words(first.after, first.node[1]),
    }
    more = sum(effect.count for effect in moved) - 1
    if not more:
        return say("But {conversations} end elsewhere: they {before} now, and {after} with it.", **facts)
    return say_counted(
        more,
        "But {conversations} end elsewhere: they {before} now, and {after} with it; so does {count} more class of"
        " conversations.",
        "But {conversations} end elsewhere: they {before} now, and {after} with it; so do {count} more classes of"
        " conversations.",
        **facts,
    )


def _conversations(effect: ClassEffect) -> Sentence:
    instance, database = effect.node
    facts = {"instance": instance, "database": database, "service": effect.traffic.shown_service}
    if database is None:
        conversations = say("messages that reach {instance} from outside for {service}", **facts)
    elif effect.traffic.is_reply:
        conversations = say("replies from {database} on {instance} to {service}", **facts)
    else:
        conversations = say("conversations from {database} on {instance} to {service}", **facts)
    identifier = effect.traffic.to_broker_instance
    if identifier is None or effect.traffic.is_reply:
        return conversations
    return say("{conversations} with the identifier {identifier}", conversations=conversations, identifier=identifier)


def ends_in_words(outcomes: Collection[Outcome], database: str | None) -> Sentence:
    """`are delivered in D on host`, for conversations that a database begins."""
    ends = [_end(outcome, database) for outcome in in_order(outcomes)]
    if not ends:
        return say("do not exist")
    if len(ends) > 2:
        return say("{first}, or end in {count} other ways", first=ends[0], count=len(ends) - 1)
    return ends[0] if len(ends) == 1 else say("{first} or {other}", first=ends[0], other=ends[1])


def _end(outcome: Outcome, database: str | None) -> Sentence:
    kind, instance, detail = outcome
    if kind == DELIVERED:
        return say("are delivered in {database} on {instance}", database=detail, instance=instance)
    if kind == EXITS:
        return say("leave this estate for {address}", address=detail)
    facts = {"database": database, "instance": instance, "reason": short_reason(detail)}
    if kind == DELAYED:
        return say("wait in {database} on {instance} ({reason})", **facts)
    return say("are dropped at {instance} ({reason})", **facts)
