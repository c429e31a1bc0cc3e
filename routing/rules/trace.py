"""The trace of a decision: every rule that was evaluated, the routes it found, and those it rejected and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from routing.common.sentence import Sentence


@dataclass(frozen=True, slots=True)
class RejectedRoute:
    """A route that a rule did not use, with the reason."""

    route: str
    clause: Sentence


@dataclass(frozen=True, slots=True)
class RuleStep:
    """One evaluation of one rule."""

    rule: str
    """Its id, e.g. MATCH-2."""
    taken: bool
    """True: this rule decided. False: the next rule was evaluated."""
    says: Sentence
    routes: tuple[str, ...] = ()
    """Routes that the rule found or chose."""
    rejected: tuple[RejectedRoute, ...] = ()
    more_rejected: int = 0
    """Number of further rejected routes, for other service names, that are not listed."""
    branch: str | None = None
    """The identifier of this alternative, if MATCH-3 leaves several open."""


@dataclass(slots=True)
class Trace:
    """Collects the steps of one decision. A decision without a trace spends no time on it."""

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
        """Add a step in the current branch."""
        self.steps.append(
            RuleStep(
                rule, taken, says, routes=routes, rejected=rejected, more_rejected=more_rejected, branch=self.branch
            )
        )
