"""Looks once at everything that rules are about: the same figures that the pages show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.models import KEY
from brokerui.analysis.alerts.observed_certificates import certificates
from brokerui.analysis.alerts.observed_overview import causes_with, expiries, leaks, servers
from brokerui.analysis.alerts.observed_samples import ages, depths, principals, samples_now
from brokerui.analysis.alerts.observed_work import disagreements, jobs
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.overview.overview import overview_counted
from brokerui.messaging.broker_cache import hosted_names
from routing.common.moment import from_milliseconds
from routing.rules.decision import DELAYED, DROPPED

IN_WORDS: Final = 50
"""Causes whose headings are those of their diagnosis; the others have those of their status."""
OF_OVERVIEW: Final = frozenset({RuleKind.DROPPED, RuleKind.DELAYED, RuleKind.LEAK, RuleKind.STALE, RuleKind.EXPIRY})
OF_SAMPLES: Final = frozenset({RuleKind.AGE, RuleKind.DEPTH})
DIGEST: Final = 64
Seen = Mapping[RuleKind, Sequence[Observed] | None]
"""By kind: every object with its figure; None: nobody could look."""


def look(kinds: Collection[RuleKind], now: int) -> Seen:
    """Look at what these kinds are about. `now`: milliseconds since 1970."""
    found: dict[RuleKind, Iterable[Observed] | None] = {}
    if OF_OVERVIEW & set(kinds):
        found |= _of_overview()
    if OF_SAMPLES & set(kinds):
        found |= _of_samples(now)
    if RuleKind.MIRROR in kinds:
        found[RuleKind.MIRROR] = principals(now)
    if RuleKind.JOB in kinds:
        found[RuleKind.JOB] = jobs()
    if RuleKind.CERTIFICATE in kinds:
        found[RuleKind.CERTIFICATE] = certificates(from_milliseconds(now))
    if RuleKind.DISAGREEMENT in kinds:
        found[RuleKind.DISAGREEMENT] = disagreements()
    return {kind: None if seen is None else [_short(one) for one in seen] for kind, seen in found.items()}


def _of_overview() -> dict[RuleKind, Iterable[Observed] | None]:
    found = overview_counted(0.0, IN_WORDS)
    return {
        RuleKind.DROPPED: causes_with(DROPPED, found),
        RuleKind.DELAYED: causes_with(DELAYED, found),
        RuleKind.LEAK: leaks(found),
        RuleKind.STALE: servers(found),
        RuleKind.EXPIRY: expiries(found),
    }


def _of_samples(now: int) -> dict[RuleKind, Iterable[Observed] | None]:
    samples = samples_now(now) if hosted_names() else []
    if samples is None:
        return dict.fromkeys(OF_SAMPLES)
    return {RuleKind.AGE: ages(samples), RuleKind.DEPTH: depths(samples)}


def _short(one: Observed) -> Observed:
    """The object with a key that fits into its column: the end of a long one is a digest."""
    if len(one.key) <= KEY:
        return one
    digest = sha256(one.key.encode()).hexdigest()
    return replace(one, key=f"{one.key[: KEY - DIGEST - 1]} {digest}")
