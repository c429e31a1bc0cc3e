"""An outcome as a routing test writes it: a kind and, if it matters, where or why. The rest matches anything."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say
from routing.model.address import parse_network_address
from routing.model.estate import Estate
from routing.rules.decision import (
    DELIVERED,
    EXITS,
    FORWARDING_DISABLED,
    GOODNESS,
    HOP_LIMIT,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Outcome,
)

REASONS = frozenset(
    (NO_ROUTE, SERVICE_NOT_FOUND, ROUTE_REQUESTED, NO_PRINCIPAL, NOT_AN_ADDRESS, FORWARDING_DISABLED, HOP_LIMIT)
)
"""Why messages are delayed or dropped."""
MAX_PATTERN_CHARS = 600
"""A kind, an instance of 256 characters, a database of 128 and a reason."""


@dataclass(frozen=True, slots=True)
class OutcomePattern:
    """A set of outcomes: all of a kind, or those of the kind that end at one place or for one reason."""

    kind: str
    rest: str = ""
    """Delivered: an instance, or `INSTANCE/DATABASE`. Exits: a canonical address. Delayed, dropped: an instance, a
    reason, or both with a space between them. Empty: anything."""

    def matches(self, outcome: Outcome) -> bool:
        """Whether the outcome is one of this pattern."""
        if outcome.kind != self.kind:
            return False
        return not self.rest or self.rest in _rests(outcome)

    def is_known(self, estate: Estate) -> bool:
        """Whether the estate has its instance and database, and its reason is one; an address is always known."""
        if not self.rest or self.kind == EXITS or self.rest in estate.instances:
            return True
        if self.kind != DELIVERED:
            return self.rest in REASONS or any(
                self.rest == f"{name} {reason}" for name in estate.instances for reason in REASONS
            )
        return any(
            self.rest == f"{name}/{database}"
            for name, instance in estate.instances.items()
            if self.rest.startswith(f"{name}/")
            for database in instance.databases
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.rest}".rstrip()


def _rests(outcome: Outcome) -> tuple[str, ...]:
    """Every rest that matches the outcome."""
    kind, instance, detail = outcome
    if kind == EXITS:
        return (detail,)
    if kind == DELIVERED:
        return instance, f"{instance}/{detail}"
    return instance, detail, f"{instance} {detail}"


def outcome_text(outcome: Outcome) -> str:
    """The pattern that only this outcome matches: what a user pastes into a test."""
    return f"{outcome.kind} {_rests(outcome)[-1]}"


def parse_pattern(text: str) -> OutcomePattern:
    """Read a pattern, such as `delivered host2/Parts` or `delayed no_route`; raise `Invalid` where it is none."""
    if len(text) > MAX_PATTERN_CHARS:
        raise Invalid("", say("is longer than {limit} characters", limit=MAX_PATTERN_CHARS))
    kind, _, rest = text.strip().partition(" ")
    if kind not in GOODNESS:
        kinds = say(
            "an outcome: delivered [INSTANCE[/DATABASE]], delayed or dropped [INSTANCE] [REASON], exits [ADDRESS]"
        )
        raise Invalid("", must_be(kinds, text))
    rest = rest.strip()
    if kind == EXITS and rest:
        rest = parse_network_address(rest).key
    return OutcomePattern(kind, rest)
