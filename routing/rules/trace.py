"""The account of a decision: every rule that was asked, what it looked at, and what it rejected by which clause."""

from __future__ import annotations

from dataclasses import dataclass, field

from routing.common.sentence import Sentence


@dataclass(frozen=True, slots=True)
class RejectedRoute:
    """A route that a rule passed over."""

    route: str
    clause: Sentence


@dataclass(frozen=True, slots=True)
class RuleStep:
    """One rule, asked once."""

    rule: str
    """Its id, e.g. MATCH-2."""
    taken: bool
    """Whether it decided; otherwise the next rule was asked."""
    says: Sentence
    routes: tuple[str, ...] = ()
    """The routes that it found or chose."""
    rejected: tuple[RejectedRoute, ...] = ()
    more_rejected: int = 0
    """Routes for other service names, which are counted and not listed."""
    branch: str | None = None
    """The identifier that was taken, where MATCH-3 leaves several open."""


@dataclass(slots=True)
class Trace:
    """Collects the steps of one decision. Deciding without one costs nothing for the account."""

    steps: list[RuleStep] = field(default_factory=list)
    branch: str | None = None

    def add(
        self,
        rule: str,
        taken: bool,
        says: Sentence,
        *,
        routes: tuple[str, ...] = (),
        rejected: tuple[RejectedRoute, ...] = (),
        more_rejected: int = 0,
    ) -> None:
        """Adds a step, in the branch that is open."""
        self.steps.append(RuleStep(rule, taken, says, routes, rejected, more_rejected, self.branch))
