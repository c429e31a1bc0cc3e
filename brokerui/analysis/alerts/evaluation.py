"""From a rule, its open alerts and the figures of a look to the alerts that open and close. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from brokerui.analysis.alerts.rules import Rule
from routing.common.sentence import Sentence

MOST: Final = 500
"""Objects that one rule watches; beyond them, no further alert opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One object with its figure."""

    key: str
    """Names the object: the same in each look."""
    figure: float
    heading: Sentence
    """The fault with its place; without the figure, which changes."""
    page: str
    """The address of the page on which a person goes on."""
    instance: str = ""
    database: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """An object whose figure has reached the threshold."""

    since: datetime
    """When it was seen there first."""
    figure: float
    peak: float
    """The worst figure since then."""
    opened_at: datetime | None = None
    """None: it has not held long enough."""


@dataclass(frozen=True, slots=True)
class RuleChanges:
    """The objects that are watched from now on, and the changes."""

    watched: Mapping[str, Watched] = field(default_factory=dict)
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    """Open alerts that are over."""


def evaluate(rule: Rule, watched: Mapping[str, Watched], seen: Iterable[Observed] | None, now: datetime) -> RuleChanges:
    """Evaluate one rule. `seen` None: nobody could look, so that nothing opens or closes."""
    if not rule.is_on:
        return _ended(watched)
    if seen is None:
        return RuleChanges(watched)
    figures = {one.key: one.figure for one in seen if _is_about(rule, one)}
    after = {key: kept for key, one in watched.items() if (kept := _kept(rule, one, figures.get(key), now))}
    for key, figure in sorted(figures.items(), key=lambda one: (-one[1] if not rule.falls else one[1], one[0])):
        if key not in after and rule.reached(figure) and len(after) < MOST:
            begun = Watched(since=now, figure=figure, peak=figure)
            after[key] = _held(rule, begun, now)
    was_open = {key for key, one in watched.items() if one.opened_at is not None}
    is_open = [key for key, one in after.items() if one.opened_at is not None]
    return RuleChanges(
        after,
        opened=tuple(key for key in is_open if key not in was_open),
        closed=tuple(key for key in watched if key in was_open and key not in after),
    )


def _ended(watched: Mapping[str, Watched]) -> RuleChanges:
    return RuleChanges(closed=tuple(key for key, one in watched.items() if one.opened_at is not None))


def _is_about(rule: Rule, one: Observed) -> bool:
    if rule.instances and one.instance not in rule.instances:
        return False
    return not rule.numbers or one.number in rule.numbers


def _kept(rule: Rule, one: Watched, figure: float | None, now: datetime) -> Watched | None:
    """The object as it is watched now; None: no longer."""
    if figure is None:
        return None
    if one.opened_at is None and not rule.reached(figure):
        return None
    if rule.cleared(figure):
        return None
    return _held(rule, replace(one, figure=figure, peak=rule.worse(one.peak, figure)), now)


def _held(rule: Rule, one: Watched, now: datetime) -> Watched:
    if one.opened_at is None and now - one.since >= timedelta(seconds=rule.hold_s):
        return replace(one, opened_at=now)
    return one
