"""Independent checkers of a world's history: each checks one promise and knows nothing of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from routing.common.sentence import Sentence
from routing.simulation.history import WorldHistory
from routing.simulation.ledger import Ledger
from routing.simulation.records import Committed, FailedOver, Record
from routing.simulation.world import World


class Violation(NamedTuple):
    """A broken promise."""

    promise: str
    """Name of the promise in docs/reference/simulation.md."""
    at: int
    what: Sentence
    handle: str = ""
    """Handle of the affected endpoint."""
    sequence: int | None = None


class Orphan(NamedTuple):
    """An allowed delivery to another than the pinned target, or an allowed loss (RT-STICKY)."""

    at: int
    handle: str
    why: str


class CheckResult:
    """Shared state of all checkers, and their findings."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ledger = Ledger()
        self.violations: list[Violation] = []
        self.orphans: list[Orphan] = []


class Checker:
    """Checks one promise. `before` and `after` map record types to handlers, run before or after the ledger update."""

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
    """Run the checkers over a history and return their findings."""
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
