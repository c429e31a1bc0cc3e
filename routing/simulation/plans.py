"""What the applications of a world are going to do: which conversations they have, and how these go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from routing.simulation.chance import Chance
from routing.simulation.estates import CONTRACT, Pairing

MAX_WORLD_BYTES: Final = 1 << 20
MAX_WORLD_FRAGMENTS: Final = 250
"""Of all messages of a world together: it is to be over soon."""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One thing that the application of the initiator does."""

    after: int
    """Milliseconds since the step before."""
    verb: str
    """`send`, `end`, `error`, `cleanup`, `timer`, `move`."""
    size: int = 0
    """Bytes of a message; seconds of a timer."""


@dataclass(frozen=True, slots=True)
class TargetPolicy:
    """What the application of a target does with what it receives."""

    replies: int
    """Thousandths of the messages that are answered."""
    ends_after: int | None
    """Messages after which it ends by itself; None: it waits for the initiator's end."""
    how: str
    """`end`, `error` or `cleanup`."""
    forgets: bool = False
    """It never ends, though the initiator has."""


@dataclass(frozen=True, slots=True)
class ConversationPlan:
    """A conversation."""

    number: int
    pairing: Pairing
    begins: int
    """Milliseconds from the beginning of the world."""
    identifier: str | None
    contract: str
    lifetime_s: int
    related: int | None
    """A conversation before it, of whose group it is to be."""
    steps: tuple[PlanStep, ...]
    target: TargetPolicy


class MessageBudget:
    """What is left for messages."""

    def __init__(self, fragment_bytes: int) -> None:
        self.fragment_bytes = fragment_bytes
        self.bytes = MAX_WORLD_BYTES
        self.fragments = MAX_WORLD_FRAGMENTS

    def size(self, chance: Chance) -> int:
        """Mostly small, seldom large; never more than is left."""
        most = chance.weighed(((0, 10), (200, 60), (5_000, 18), (60_000, 9), (MAX_WORLD_BYTES, 3)))
        size = min(chance.below(most + 1), self.bytes, self.fragments * self.fragment_bytes // 2)
        self.bytes -= size
        self.fragments -= 1 + size // self.fragment_bytes
        return max(size, 0)


def draw_conversations(
    chance: Chance, pairings: tuple[Pairing, ...], chaos: int, fragment_bytes: int
) -> tuple[ConversationPlan, ...]:
    """The conversations of a world with a phase one of so many milliseconds."""
    budget = MessageBudget(fragment_bytes)
    count = chance.between(1, 14)
    return tuple(_conversation(chance.of(number), number, pairings, chaos, budget) for number in range(count))


def _conversation(
    chance: Chance, number: int, pairings: tuple[Pairing, ...], chaos: int, budget: MessageBudget
) -> ConversationPlan:
    pairing = chance.pick(pairings)
    lifetime = chance.between(5, chaos // 1000) if chance.happens(80) else 100_000
    return ConversationPlan(
        number,
        pairing,
        _begins(chance, pairing, chaos),
        chance.pick(pairing.identifiers),
        CONTRACT if chance.happens(150) else "DEFAULT",
        lifetime,
        chance.below(number) if number and chance.happens(150) else None,
        tuple(_steps(chance, chaos, budget)),
        _policy(chance),
    )


def _begins(chance: Chance, pairing: Pairing, chaos: int) -> int:
    """Where a route expires, often so soon before that the first acknowledgement comes after it (RT-STICKY)."""
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
