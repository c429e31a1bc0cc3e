"""The rule of an alert, as the evaluation takes it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from routing.common.errors import Invalid
from routing.common.finding import SEVERITIES, WARNING
from routing.common.sentence import say

LARGEST: Final = 1_000_000_000
HOLD_MAX_S: Final = 7 * 86_400
MOST_INSTANCES: Final = 100
MOST_NUMBERS: Final = 50


class RuleKind(StrEnum):
    """The figure that a rule is about; each has its own unit."""

    DROPPED = "dropped"
    """Messages that a cause drops."""
    DELAYED = "delayed"
    """Messages that a cause holds back."""
    AGE = "age"
    """Minutes since the oldest message came into a queue or transmission queue."""
    DEPTH = "depth"
    """Messages in a queue or transmission queue."""
    DISAGREEMENT = "disagreement"
    """Percent of the observed messages that arrived elsewhere than their routes lead."""
    EXPIRY = "expiry"
    """Days until a route expires."""
    MIRROR = "mirror"
    """Changes of a principal within the last hour."""
    JOB = "job"
    """Attempts of a background job that failed."""
    LEAK = "leak"
    """Conversations of a database that never close by themselves."""
    STALE = "stale"
    """Hours since a real server was read."""
    CERTIFICATE = "certificate"
    """Days until a certificate of the endpoint, or of the authority that it trusts, expires."""


FALLS: Final = frozenset({RuleKind.EXPIRY, RuleKind.CERTIFICATE})
"""Kinds whose figure is worse the smaller it is."""
OF_CAUSES: Final = frozenset({RuleKind.DROPPED, RuleKind.DELAYED})
"""Kinds whose objects are causes, which have a number of the product."""
OF_NO_INSTANCE: Final = frozenset({RuleKind.DISAGREEMENT, RuleKind.JOB, RuleKind.CERTIFICATE})
"""Kinds whose objects belong to no instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Opens an alert where a figure reaches `threshold` for `hold_s` seconds, and closes it beyond `clear`."""

    kind: RuleKind
    threshold: int
    """In the unit of the kind."""
    clear: int
    """Between this figure and the threshold an open alert stays open, and no new one opens."""
    hold_s: int = 0
    """Seconds for which the figure must be at the threshold before the alert opens."""
    severity: str = WARNING
    instances: tuple[str, ...] = ()
    """Empty: all."""
    numbers: tuple[int, ...] = ()
    """Of causes: the product's numbers of their status or error; empty: all."""
    is_on: bool = True

    def __post_init__(self) -> None:
        """Raise `Invalid` for a rule that could not work."""
        self._check_figures()
        if self.severity not in SEVERITIES:
            raise Invalid("severity", say("is none of {names}", names=SEVERITIES))
        if self.kind in OF_NO_INSTANCE and self.instances:
            raise Invalid("instances", say("must be empty: a rule of this kind is about no instance"))
        if self.kind not in OF_CAUSES and self.numbers:
            raise Invalid("numbers", say("must be empty: only causes have a number"))
        if len(self.instances) > MOST_INSTANCES:
            raise Invalid("instances", say("holds more than {count} names", count=MOST_INSTANCES))
        if len(self.numbers) > MOST_NUMBERS:
            raise Invalid("numbers", say("holds more than {count} numbers", count=MOST_NUMBERS))

    def _check_figures(self) -> None:
        for name, figure in (("threshold", self.threshold), ("clear", self.clear)):
            if not 0 <= figure <= LARGEST:
                raise Invalid(name, say("is not between 0 and {most}", most=f"{LARGEST:,}"))
        if self.threshold == 0 and not self.falls:
            raise Invalid("threshold", say("must be larger than 0: every figure reaches 0"))
        if self.falls and self.clear < self.threshold:
            raise Invalid("clear", say("must not be below the threshold {threshold}", threshold=self.threshold))
        if not self.falls and self.clear > self.threshold:
            raise Invalid("clear", say("must not be above the threshold {threshold}", threshold=self.threshold))
        if not 0 <= self.hold_s <= HOLD_MAX_S:
            raise Invalid("hold_s", say("is not between 0 and {most} seconds", most=f"{HOLD_MAX_S:,}"))

    @property
    def falls(self) -> bool:
        return self.kind in FALLS

    def reached(self, figure: float) -> bool:
        """Whether the figure is at the threshold or worse."""
        return figure <= self.threshold if self.falls else figure >= self.threshold

    def cleared(self, figure: float) -> bool:
        """Whether the figure is so good that an open alert closes."""
        if self.reached(figure):
            return False
        return figure > self.clear if self.falls else figure < self.clear

    def worse(self, one: float, other: float) -> float:
        """The worse of two figures."""
        return min(one, other) if self.falls else max(one, other)
