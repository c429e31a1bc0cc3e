"""Independent checkers over the history of a world: each knows one promise, and nothing of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from routing.common.sentence import Sentence
from routing.simulation.history import Committed, FailedOver, Record, WorldHistory
from routing.simulation.ledger import Ledger
from routing.simulation.world import World


class Violation(NamedTuple):
    """A promise that was broken."""

    promise: str
    """Its name, as docs/reference/simulation.md lists them."""
    at: int
    what: Sentence
    handle: str = ""
    """Of the endpoint that it happened to."""
    sequence: int | None = None


class Orphan(NamedTuple):
    """What was delivered elsewhere than at the pinned target, or not at all, and may have been (RT-STICKY)."""

    at: int
    handle: str
    why: str


class CheckResult:
    """What all checkers write into and read from."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ledger = Ledger()
        self.violations: list[Violation] = []
        self.orphans: list[Orphan] = []


class Checker:
    """One promise. `before` and `after` say which records it looks at, before and after the ledger has taken them."""

    promise = ""

    def __init__(self, seen: CheckResult) -> None:
        self.seen = seen
        self.ledger = seen.ledger
        self.world = seen.world

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {}

    def broken(self, at: int, what: Sentence, handle: str = "", sequence: int | None = None) -> None:
        self.seen.violations.append(Violation(self.promise, at, what, handle, sequence))


class CheckerFactory(Protocol):
    def __call__(self, seen: CheckResult) -> Checker: ...


def check(history: WorldHistory, checkers: Sequence[CheckerFactory]) -> CheckResult:
    """What they find in it."""
    seen = CheckResult(history.world)
    made = [making(seen) for making in checkers]
    before, after = _table([one.before() for one in made]), _table([one.after() for one in made])
    ledger = seen.ledger
    for record in history.records:
        kind = type(record)
        for act in before.get(kind, ()):
            act(record)
        if kind is Committed:
            ledger.apply(record)  # type: ignore[arg-type]
        elif kind is FailedOver:
            ledger.fail_over(record)  # type: ignore[arg-type]
        for act in after.get(kind, ()):
            act(record)
    return seen


def _table(each: Sequence[dict[type, Callable[[Any], None]]]) -> dict[type, list[Callable[[Record], None]]]:
    table: dict[type, list[Callable[[Record], None]]] = {}
    for acts in each:
        for kind, act in acts.items():
            table.setdefault(kind, []).append(act)
    return table
