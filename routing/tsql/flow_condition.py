"""A condition of a script, IF, WHILE or ELSE, and whether the statements under it would run."""

from __future__ import annotations

from dataclasses import dataclass

from routing.tsql.condition_answer import ConditionAnswer

ALWAYS, GUARDED, CONDITIONAL, NEVER = "always", "guarded", "conditional", "never"
"""Whether a statement would run. GUARDED: it would, or what it makes exists already; CONDITIONAL: that is not known."""


@dataclass(slots=True)
class FlowCondition:
    """A condition, and whether statements under it were applied."""

    depth: int
    """Number of open parentheses where it begins."""
    outer: FlowCondition | None
    """The enclosing condition."""
    instead_of: FlowCondition | None = None
    """For an ELSE: its IF."""
    tests: bool = False
    is_loop: bool = False
    """True under a WHILE, at any depth."""
    answer: ConditionAnswer | None = None
    """Its value, as far as it is known before the script runs."""
    taken: bool = False
    """True once a statement under it was applied."""
    known: str | None = None
    """The cached answer whether statements under it would run."""

    def reached(self) -> str:
        unknown, guard = [], self
        while guard.known is None:
            unknown.append(guard)
            if guard.outer is None:
                break
            guard = guard.outer
        outer = guard.known or ALWAYS
        for inner in reversed(unknown):
            outer = inner.known = inner._under(outer)
        return outer

    def _under(self, outer: str) -> str:
        if outer == NEVER:
            return NEVER
        value = self.value()
        if value is not None:
            return outer if value else NEVER
        if self.instead_of is not None and self.instead_of.taken:
            return NEVER
        return CONDITIONAL if outer == CONDITIONAL or not self.tests else GUARDED

    def value(self) -> bool | None:
        """Whether the statements under it run, if that is known; a loop may end before its condition is false."""
        if self.instead_of is not None:
            before = self.instead_of.value()
            return None if before is None else not before
        value = self.answer.value if self.answer is not None else None
        return None if value and self.is_loop else value

    @property
    def decision(self) -> ConditionAnswer | None:
        """The answer of the condition or of the IF of an ELSE."""
        return self.answer if self.instead_of is None else self.instead_of.decision

    def take(self) -> None:
        """A statement under it was applied, and so under every enclosing condition."""
        guard: FlowCondition | None = self
        while guard is not None and not guard.taken:
            guard.taken = True
            guard = guard.outer
