"""Hand tests out to the processes of a run: the longest first, and each to a process that has its database."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Any, Final

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

ON_POSTGRESQL: Final = "@postgresql"
"""Ends the name of a test that runs on PostgreSQL; the test of the same name without it runs on SQLite."""
ONE_PROCESS: Final = (
    "tests/brokerui/core/test_languages.py",
    "tests/brokerui/messaging/products/",
    "tests/brokerui/running/test_slow_clients.py",
    "tests/distributions/",
    "tests/pipeline/",
    "tests/scripts/test_sentences.py",
    "tests/simulation/test_checkers.py",
    "tests/simulation/test_violation_trace.py",
    "tests/test_strategies.py",
)
"""Folders and modules whose tests share programs that take long to start (a Java works ten seconds until it runs
Spark well), wheels that take long to build, the sentences of all sources, or worlds with a seldom event."""
TOGETHER: Final = {"tests/brokerui/core/test_catalogues.py": "tests/scripts/test_sentences.py"}
"""A module that shares sentences with one of those."""
NO_DATABASE: Final = ("tests/acceptance/", "tests/routing/", "tests/scripts/", "tests/simulation/", "tests/test_")
"""Tests that ask no database of their process: one with a PostgreSQL can run them as well."""


class Lane(Enum):
    """Which processes can run a test."""

    POSTGRESQL = auto()
    SQLITE = auto()
    NO_DATABASE = auto()


class LongestFirst(LoadScopeScheduling):
    """Gives each process one test at a time, the longest first; the rest follow in the order of the collection.

    Tests of each place in ONE_PROCESS go to one process together. (Marks of groups would say the same; xdist 3.8 writes
    them into a name that pytest 9.2 does not read.)

    A process that dies loses only the test that it was running. xdist 3.8 would give out all finished tests of a dead
    process again as units without a test, and the process that gets one waits for ever.
    """

    def __init__(self, config: Any, log: Any = None, seconds: Mapping[str, float] | None = None) -> None:
        super().__init__(config, log)
        self.seconds = seconds or {}
        """How long a test takes, for those that take long."""
        self.lanes: dict[Lane, deque[str]] = {lane: deque() for lane in Lane}
        """The names of the work queue, in its order, by the processes that can run them: no search through thousands
        of names for each test."""
        self.places: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        """The place of each test in the collection: a search for it would look through half of all tests."""

    def schedule(self) -> None:
        """Order the tests once all processes have collected them, and give each process its first."""
        if self.collection is None:
            if not self._check_nodes_have_same_collection():
                return
            self.collection = list(next(iter(self.registered_collections.values())))
            assert len(self.collection) == len(set(self.collection)), "two tests of one name: one would not run"
            self.numbers = {test: number for number, test in enumerate(self.collection)}
            self.workqueue = ordered(self._units(self.collection), self.seconds)
            for place, scope in enumerate(self.workqueue):
                self.places[scope] = place
                self.lanes[lane_of(scope)].append(scope)
        for node in self.nodes:
            self._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test that a dead process was running, and give its other tests to the processes that are left."""
        assigned = self.assigned_work.pop(node)
        if self.collection is None:  # it died while it collected the tests
            self.registered_collections.pop(node, None)
            return None
        left = [(scope, test) for scope, tests in assigned.items() for test, is_done in tests.items() if not is_done]
        for scope, test in reversed(left[1:]):
            if scope not in self.workqueue:
                self.lanes[lane_of(scope)].appendleft(scope)
            self.workqueue.setdefault(scope, {})[test] = False
        for other in self.nodes:
            self._reschedule(other)
        return left[0][1] if left else None

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forget a unit once all of its tests are done: xdist goes through all units of a process for each test."""
        test = self.registered_collections[node][item_index]
        scope, units = self._split_scope(test), self.assigned_work[node]
        units[scope][test] = True
        if all(units[scope].values()):
            del units[scope]
        self._reschedule(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Give the first unit of the queue to a process."""
        scope, unit = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = unit
        node.send_runtest_some([self.numbers[test] for test, is_done in unit.items() if not is_done])

    def _units(self, collection: Iterable[str]) -> dict[str, dict[str, bool]]:
        units: dict[str, dict[str, bool]] = {}
        for test in collection:
            units.setdefault(self._split_scope(test), {})[test] = False
        return units

    def _reschedule(self, node: WorkerController) -> None:
        """Give it tests until it has two: a process begins a test when it knows the next, or that there is none."""
        if node not in self.registered_collections or node.shutting_down:
            return  # it is still collecting, or has ended
        while self._pending_of(self.assigned_work[node]) < 2:
            lanes = [lane for lane in (self.lanes[one] for one in lanes_of(node)) if lane]
            if not lanes:
                node.shutdown()
                return
            scope = min(lanes, key=lambda lane: self.places[lane[0]]).popleft()
            self.workqueue.move_to_end(scope, last=False)
            self._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        file = TOGETHER.get(file, file)
        shared = next((place for place in ONE_PROCESS if file.startswith(place)), None)
        return nodeid if shared is None else shared


def has_postgresql(node: WorkerController) -> bool:
    return "DATABASE_URL" in node.gateway.spec.env


def lane_of(scope: str) -> Lane:
    """Return who can run these tests."""
    if scope.endswith(ON_POSTGRESQL):
        return Lane.POSTGRESQL
    return Lane.NO_DATABASE if scope.startswith(NO_DATABASE) else Lane.SQLITE


def lanes_of(node: WorkerController) -> tuple[Lane, Lane]:
    """Return what a process runs: the tests of its database, and those that need none."""
    return Lane.POSTGRESQL if has_postgresql(node) else Lane.SQLITE, Lane.NO_DATABASE


def ordered(units: Mapping[str, dict[str, bool]], seconds: Mapping[str, float]) -> OrderedDict[str, dict[str, bool]]:
    """PostgreSQL first, as one process has it; then the longest; last what every process can run."""

    def rank(scope: str) -> tuple[bool, float, bool]:
        length = sum(seconds.get(test, 0) for test in units[scope])
        return not scope.endswith(ON_POSTGRESQL), -length, scope.startswith(NO_DATABASE)

    return OrderedDict((scope, units[scope]) for scope in sorted(units, key=rank))
