"""Plans of the applications of a world: their conversations and the steps of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from routing.simulation.chance import Chance
from routing.simulation.landscape import CONTRACT, Pairing

MAX_WORLD_BYTES: Final = 1 << 20
MAX_WORLD_FRAGMENTS: Final = 250
"""Limits for all messages of a world together, to keep a run short."""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One action of the initiator's application."""

    after: int
    """Milliseconds after the previous step."""
    verb: str
    """`send`, `end`, `error`, `cleanup`, `timer`, `move`."""
    size: int = 0
    """Bytes of a message, or seconds of a timer."""


@dataclass(frozen=True, slots=True)
class TargetPolicy:
    """How the target's application reacts to messages."""

    replies: int
    """Probability of a reply, in permille."""
    ends_after: int | None
    """Number of messages after which it ends the conversation; None: it waits for the initiator's end."""
    how: str
    """`end`, `error` or `cleanup`."""
    forgets: bool = False
    """True: it never ends, even after the initiator has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPlan:
    """The plan of one conversation."""

    number: int
    pairing: Pairing
    begins: int
    """Milliseconds after the start of the world."""
    identifier: str | None
    contract: str
    lifetime_s: int
    related: int | None
    """Number of an earlier conversation whose group it joins."""
    steps: tuple[PlanStep, ...]
    target: TargetPolicy


class MessageBudget:
    """Bytes and fragments left for messages of the world."""

    def __init__(self, fragment_bytes: int) -> None:
        self.fragment_bytes = fragment_bytes
        self.bytes = MAX_WORLD_BYTES
        self.fragments = MAX_WORLD_FRAGMENTS

    def size(self, chance: Chance) -> int:
        """Draw a message size: mostly small, rarely large, at most the rest of the budget."""
        most = chance.weighed(((0, 10), (200, 60), (5_000, 18), (60_000, 9), (MAX_WORLD_BYTES, 3)))
        size = min(chance.below(most + 1), self.bytes, self.fragments * self.fragment_bytes // 2)
        self.bytes -= size
        self.fragments -= 1 + size // self.fragment_bytes
        return max(size, 0)


def draw_conversations(
    chance: Chance, pairings: tuple[Pairing, ...], chaos: int, fragment_bytes: int
) -> tuple[ConversationPlan, ...]:
    """Draw the conversations of a world. `chaos`: milliseconds of the phase with faults."""
    budget = MessageBudget(fragment_bytes)
    count = chance.between(1, 14)
    return tuple(_conversation(chance.of(number), number, pairings, chaos, budget) for number in range(count))


def _conversation(
    chance: Chance, number: int, pairings: tuple[Pairing, ...], chaos: int, budget: MessageBudget
) -> ConversationPlan:
    pairing = chance.pick(pairings)
    lifetime = chance.between(5, chaos // 1000) if chance.happens(80) else 100_000
    return ConversationPlan(
        number=number,
        pairing=pairing,
        begins=_begins(chance, pairing, chaos),
        identifier=chance.pick(pairing.identifiers),
        contract=CONTRACT if chance.happens(150) else "DEFAULT",
        lifetime_s=lifetime,
        related=chance.below(number) if number and chance.happens(150) else None,
        steps=tuple(_steps(chance, chaos, budget)),
        target=_policy(chance),
    )


def _begins(chance: Chance, pairing: Pairing, chaos: int) -> int:
    """Draw the start, often just before a route expires, so that the first acknowledgement comes later (RT-STICKY)."""
    if pairing.expires is not None and chance.happens(600):
        return max(0, pairing.expires - chance.below(6_000))
    return chance.below(chaos * 2 // 3)


def _steps(chance: Chance, chaos: int, budget: MessageBudget) -> list[PlanStep]:
    steps: list[PlanStep] = []
    pace = chance.weighed(((0, 3), (50, 2), (2_000, 3), (15_000, 2)))
    for _ in range(chance.weighed(((0, 1), (1, 4), (4, 6), (10, 5), (25, 2)))):
        after = chance.below(pace + 1)
        steps.append(PlanStep(after, "send", budget.size(chance)))
        if chance.happens(40):
            steps.append(PlanStep(chance.below(1000), "timer", chance.between(1, 60)))
        if chance.happens(30):
            steps.append(PlanStep(chance.below(1000), "move"))
    how = chance.weighed((("end", 70), ("", 15), ("error", 10), ("cleanup", 5)))
    if how:
        steps.append(PlanStep(chance.below(chance.pick((1, 1_000, chaos // 2))), how))
    return steps


def _policy(chance: Chance) -> TargetPolicy:
    how = chance.weighed((("end", 12), ("error", 3), ("cleanup", 1)))
    ends_after = chance.between(1, 8) if chance.happens(250) else None
    return TargetPolicy(chance.pick((0, 200, 500, 1000)), ends_after, how, chance.happens(50))
