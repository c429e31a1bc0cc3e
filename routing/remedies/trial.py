"""Tries a remedy before it is offered: does its finding go, and which conversations end otherwise with it?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from routing.common.finding import Finding
from routing.diff.result import BETTER, MOVED, WORSE
from routing.lint.registry import CHECKS, lint_around
from routing.model.estate import Estate
from routing.remedies.applying import applied, with_msdb
from routing.remedies.effects import MAX_NAMES, ClassEffect, effects, effects_nearby, effects_within

COMPARED = 2_000
"""Most routes of an estate whose whole traffic is compared whatever a remedy touches: a hundredth of a second each."""
_CHECKS = {check.code: check for check in CHECKS}


class TrialVerdict(Enum):
    """The result of a trial."""

    MENDS = "mends"
    """The finding goes."""
    FAILS = "fails"
    """The finding stays as it was, or conversations are lost that were delivered and no other arrives instead."""
    UNTRIED = "untried"
    """The engine cannot run it."""


@dataclass(frozen=True, slots=True)
class RemedyTrial:
    """The effect of a remedy on a copy of the estate."""

    verdict: TrialVerdict
    better: tuple[ClassEffect, ...] = ()
    moved: tuple[ClassEffect, ...] = ()
    worse: tuple[ClassEffect, ...] = ()
    """Classes that end worse; those that are not delivered any more come first."""
    is_complete: bool = True
    """All traffic was compared; else only the conversations that the remedy is about."""

    @property
    def is_offered(self) -> bool:
        return self.verdict is not TrialVerdict.FAILS


UNTRIED = RemedyTrial(TrialVerdict.UNTRIED)


def try_remedy(
    estate: Estate, finding: Finding, at: datetime, *, compared: int = COMPARED, most_names: int = MAX_NAMES
) -> RemedyTrial | None:
    """Run the remedy of a finding on a copy of the estate; None if it has none. All traffic is compared in estates of
    at most `compared` routes, in larger ones if the remedy touches at most `most_names` service names."""
    if finding.remedy_sql is None:
        return None
    if finding.instance is None:
        return UNTRIED
    before = with_msdb(estate, finding.instance)
    after = applied(before, finding.instance, finding.remedy_sql, at)
    if after is None:
        return UNTRIED
    left = _left(after, finding, at)
    if left == replace(finding, remedy_sql=None):
        return RemedyTrial(TrialVerdict.FAILS)
    names = None if is_compared(estate, compared) else most_names
    found, is_complete = effects_of(before, after, at, finding.instance, names)
    return _judged(found, finding, is_gone=left is None, is_complete=is_complete)


def effects_of(
    before: Estate, after: Estate, at: datetime, instance: str, most_names: int | None
) -> tuple[tuple[ClassEffect, ...], bool]:
    """The effects of a change of one instance, and whether they are all: of a change that touches more service names
    than `most_names`, only conversations that it is about are asked. None: all are compared."""
    if most_names is None:
        return effects(before, after, at), True
    found = effects_within(before, after, at, most_names) if most_names else None
    return (effects_nearby(before, after, at, instance), False) if found is None else (found, True)


def _judged(found: tuple[ClassEffect, ...], finding: Finding, *, is_gone: bool, is_complete: bool) -> RemedyTrial:
    better, moved, worse = (tuple(e for e in found if e.verdict == verdict) for verdict in (BETTER, MOVED, WORSE))
    is_useless = not better and (bool(worse) or not is_gone)
    is_harmful = any(effect.breaks for effect in worse) and not any(effect.delivers for effect in better)
    # A new identifier ends conversations, and nothing else tells two databases apart.
    of_database = finding.object == finding.database
    verdict = TrialVerdict.FAILS if (is_useless or is_harmful) and not of_database else TrialVerdict.MENDS
    return RemedyTrial(verdict, better, moved, tuple(sorted(worse, key=lambda e: not e.breaks)), is_complete)


def _left(after: Estate, finding: Finding, at: datetime) -> Finding | None:
    """Return the finding of the same check about the same object after the remedy."""
    check = _CHECKS.get(finding.code)
    if check is None or finding.instance is None:
        return None
    for found in lint_around(after, at, finding.instance, finding.database, (check,)):
        if (found.database, found.object) == (finding.database, finding.object):
            return replace(found, remedy_sql=None)
    return None


def is_compared(estate: Estate, compared: int = COMPARED) -> bool:
    """True if the estate is small enough to compare its whole traffic."""
    left = compared
    for instance in estate.instances.values():
        left -= sum(len(table) for name, table in instance.tables.items() if name)
        if left < 0:
            return False
    return True
