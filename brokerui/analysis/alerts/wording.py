"""Rules and alerts in words. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from brokerui.analysis.alerts.rules import Rule, RuleKind
from routing.common.sentence import Sentence, say, say_counted

MINUTE_S, HOUR_M, DAY_H, DAY_M = 60, 60, 24, 1440

KIND_NAMES: Final[Mapping[RuleKind, Sentence]] = {
    RuleKind.DROPPED: say("Messages are dropped"),
    RuleKind.DELAYED: say("Messages are delayed"),
    RuleKind.AGE: say("Age of the oldest message"),
    RuleKind.DEPTH: say("Depth of queues"),
    RuleKind.DISAGREEMENT: say("Observed differs from predicted"),
    RuleKind.EXPIRY: say("Routes expire"),
    RuleKind.MIRROR: say("Principals change"),
    RuleKind.JOB: say("Background work fails"),
    RuleKind.LEAK: say("Conversations never close"),
    RuleKind.STALE: say("Servers are not read"),
    RuleKind.CERTIFICATE: say("Certificates expire"),
}
UNITS: Final[Mapping[RuleKind, Sentence]] = {
    RuleKind.DROPPED: say("messages"),
    RuleKind.DELAYED: say("messages"),
    RuleKind.AGE: say("minutes"),
    RuleKind.DEPTH: say("messages"),
    RuleKind.DISAGREEMENT: say("percent"),
    RuleKind.EXPIRY: say("days left"),
    RuleKind.MIRROR: say("changes within an hour"),
    RuleKind.JOB: say("failed attempts"),
    RuleKind.LEAK: say("conversations"),
    RuleKind.STALE: say("hours"),
    RuleKind.CERTIFICATE: say("days left"),
}
NEXT_STEPS: Final[Mapping[RuleKind, Sentence]] = {
    RuleKind.DROPPED: say("Open Overview: it has the cause and its remedy."),
    RuleKind.DELAYED: say("Open Delayed: it has the cause, its remedy and how long the messages need to drain."),
    RuleKind.AGE: say(
        "See what Delayed says of it; where nothing is delayed, see whether a program receives from the queue."
    ),
    RuleKind.DEPTH: say("See whether programs receive as fast as messages arrive."),
    RuleKind.DISAGREEMENT: say("Open Traffic: it lists the messages that arrived elsewhere."),
    RuleKind.EXPIRY: say("Give the route a later lifetime, or none, in a draft."),
    RuleKind.MIRROR: say("Open Mirrors: see whether the change was meant."),
    RuleKind.JOB: say("Open Background work: it has the error, and tries the job again."),
    RuleKind.LEAK: say("Open the server: it has the order of work and a clean-up script."),
    RuleKind.STALE: say("Import the server again, or paste its rows."),
    RuleKind.CERTIFICATE: say(
        "Put a newer certificate into the file of the setting, and start the endpoint again: peers refuse one that has"
        " expired."
    ),
}


def figure_words(kind: RuleKind, figure: float) -> Sentence:
    """The figure of an object, in its unit."""
    if math.isinf(figure):
        return say("never")
    if kind is RuleKind.DISAGREEMENT:
        return say("{n} %", n=f"{figure:.1f}")
    return _FIGURES.get(kind, _times)(figure)


def _messages(figure: float) -> Sentence:
    return say_counted(round(figure), "{count} message", "{count} messages")


def _conversations(figure: float) -> Sentence:
    return say_counted(round(figure), "{count} conversation", "{count} conversations")


def _minutes(figure: float) -> Sentence:
    minutes = int(figure)
    if minutes < HOUR_M:
        return say("{n} min", n=minutes)
    days, hours, rest = minutes // DAY_M, minutes % DAY_M // HOUR_M, minutes % HOUR_M
    if days:
        return say("{n} d {m} h", n=days, m=hours) if hours else say("{n} d", n=days)
    return say("{n} h {m} min", n=hours, m=rest) if rest else say("{n} h", n=hours)


def _days(figure: float) -> Sentence:
    return _minutes(figure * DAY_M)


def _hours(figure: float) -> Sentence:
    return _minutes(figure * HOUR_M)


def _times(figure: float) -> Sentence:
    return say_counted(round(figure), "{count} time", "{count} times")


_FIGURES: Final[Mapping[RuleKind, Callable[[float], Sentence]]] = {
    RuleKind.DROPPED: _messages,
    RuleKind.DELAYED: _messages,
    RuleKind.DEPTH: _messages,
    RuleKind.LEAK: _conversations,
    RuleKind.AGE: _minutes,
    RuleKind.EXPIRY: _days,
    RuleKind.STALE: _hours,
    RuleKind.CERTIFICATE: _days,
}


def rule_sentence(rule: Rule) -> Sentence:
    """The condition of a rule, with its scope."""
    condition = say("{condition}{hold}", condition=_condition(rule), hold=_hold(rule))
    if rule.instances:
        return say("{condition}, on {instances}", condition=condition, instances=rule.instances)
    return condition


def _condition(rule: Rule) -> Sentence:
    figure = figure_words(rule.kind, rule.threshold)
    match rule.kind:
        case RuleKind.DROPPED:
            return _of_cause(rule, say("A cause drops {figure} or more", figure=figure))
        case RuleKind.DELAYED:
            return _of_cause(rule, say("A cause holds back {figure} or more", figure=figure))
        case RuleKind.AGE:
            return say("The oldest message of a queue is {figure} old or older", figure=figure)
        case RuleKind.DEPTH:
            return say("A queue holds {figure} or more", figure=figure)
        case RuleKind.DISAGREEMENT:
            return say("{figure} or more of the observed messages arrived elsewhere", figure=f"{rule.threshold} %")
        case RuleKind.EXPIRY:
            return say("A route expires within {figure}", figure=figure)
        case RuleKind.MIRROR:
            return say("A principal changes {figure} or more within an hour", figure=figure)
        case RuleKind.JOB:
            return say("Background work has failed {figure} or more", figure=figure)
        case RuleKind.LEAK:
            return say("{figure} or more of a database never close", figure=figure)
        case RuleKind.CERTIFICATE:
            return say("A certificate of the endpoint expires within {figure}", figure=figure)
        case RuleKind.STALE:
            return say("A server was last read {figure} ago or longer", figure=figure)


def _of_cause(rule: Rule, condition: Sentence) -> Sentence:
    if not rule.numbers:
        return condition
    numbers = tuple(map(str, rule.numbers))
    return say("{condition}, with number {numbers}", condition=condition, numbers=numbers)


def _hold(rule: Rule) -> Sentence | str:
    return say(", for {duration}", duration=_minutes(rule.hold_s / MINUTE_S)) if rule.hold_s else ""
