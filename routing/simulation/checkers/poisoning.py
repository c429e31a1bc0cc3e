"""Poison messages: five rollbacks in a row of transactions that received from a queue switch it off, and no fewer do.
`once-in-order` checks that the messages stay as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from routing.common.broker_events import QueueDisabled
from routing.common.sentence import say
from routing.simulation.application_records import ReceiveFinished
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import Committed

IN_A_ROW: Final = 5
BrokerQueue = tuple[str, str, str]
"""Broker, database and name of a queue; queues of mirrored databases are not checked."""


class PoisoningChecker(Checker):
    promise = "rollbacks-counted"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._off: set[BrokerQueue] = set()
        self._was_off: set[BrokerQueue] = set()
        """Queues that were off before the last commit."""
        self._count: dict[BrokerQueue, int] = {}
        """Consecutive rollbacks by queue."""
        self._reported: set[BrokerQueue] = set()
        """Queues that the last commit disabled, by its events."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit, ReceiveFinished: self._try}

    def _commit(self, commit: Committed) -> None:
        self._was_off = set(self._off)
        for database, queue, is_on in commit.queues:
            (self._off.discard if is_on else self._off.add)((commit.broker, database, queue))
        self._reported = {
            (commit.broker, event.database, event.queue) for event in commit.events if isinstance(event, QueueDisabled)
        }
        for disabled in self._reported:
            if self._count.get(disabled, 0) + 1 != IN_A_ROW:
                self.broken(commit.at, say("A queue went off, and not after five rollbacks in a row."))

    def _try(self, tried: ReceiveFinished) -> None:
        """Count the end of a transaction; the commit before it has the event of a disabled queue."""
        queue = (tried.broker, tried.database, tried.queue)
        if not tried.is_rolled_back:
            self._count[queue] = 0
        elif queue not in self._was_off:
            count = self._count.get(queue, 0) + 1
            self._count[queue] = count % IN_A_ROW
            if count == IN_A_ROW and not (queue in self._off and queue in self._reported):
                self.broken(tried.at, say("Five transactions in a row were rolled back, and their queue is on."))
