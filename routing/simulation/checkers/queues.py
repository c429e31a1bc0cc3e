"""NET-2: no message from a peer is enqueued in a queue that is off, and none is received from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.sentence import say
from routing.dialog.system_names import ERROR_TYPE, TIMER_TYPE
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import Committed, FailedOver

_OF_ITS_OWN = frozenset((ERROR_TYPE, TIMER_TYPE))
"""Types of messages that are enqueued although the queue is off: no other copy exists."""


class QueuesChecker(Checker):
    promise = "queues-off"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._off: dict[tuple[str, str, str], int] = {}
        """By broker, database and queue: the time since which it is off, by the broker's clock."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit, FailedOver: self._fail_over}

    def _commit(self, commit: Committed) -> None:
        if self._off:
            self._check(commit)
        for database, queue, is_on in commit.queues:
            if is_on:
                self._off.pop((commit.broker, database, queue), None)
            else:
                self._off[commit.broker, database, queue] = commit.now

    def _check(self, commit: Committed) -> None:
        """Check received and enqueued messages; a transaction that began before the queue went off may still end."""
        rows = {row.handle: row for row in commit.endpoints}
        taken = [(handle, number) for handle, number, _ in commit.taken]
        put = [(kept.handle, kept.sequence) for kept in commit.enqueued if kept.message_type not in _OF_ITS_OWN]
        for handle, number in taken + put:
            row = rows.get(handle) or self.ledger.last[handle]
            since = self._off.get((commit.broker, row.database, row.queue))
            if since is not None and since < commit.now:
                self.broken(commit.at, say("The queue is off, and {number} passed it.", number=number), handle, number)

    def _fail_over(self, record: FailedOver) -> None:
        """A failover moves the disabled queues with their database."""
        to = {record.principal: record.mirror, record.mirror: record.principal}
        self._off = {(to.get(key[0], key[0]), key[1], key[2]): at for key, at in self._off.items()}
