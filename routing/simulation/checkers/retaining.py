"""RETENTION: received and sent messages stay in the queue until the conversation ends on that side, and no longer.

A queue whose RETENTION is switched on in the middle keeps messages received and sent from then on; one whose RETENTION
is switched off keeps no further ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from routing.common.sentence import say
from routing.dialog.messages import RETAINED_RECEIVED, RETAINED_SENT
from routing.simulation.application_records import ApplicationSent, BodyDigest
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import BrokerRenewed, BrokerStarted, Committed, RetainedLeft, RetainedRow, WorldOver

_LIVING = frozenset(("SO", "SI", "CO", "DI", "ER"))
"""States of a side that has not ended."""


class RetainingChecker(Checker):
    promise = "retained-until-the-end"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._estate = self.world.estate
        """The estate with the queues of each instance as its broker knows them."""
        self._kept: dict[str, Counter[RetainedRow]] = {}
        """By handle: the retained rows of its queue."""
        self._waiting: dict[str, dict[tuple[int, str], list[BodyDigest]]] = {}
        """By handle: bodies of the messages that can be received, by number and type. A conversation may have several
        DialogTimer messages, which have the same."""
        self._not_sent_yet: list[RetainedRow] = []
        """Sent messages of the last commit that no application has reported yet."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            BrokerStarted: self._start,
            Committed: self._follow,
            ApplicationSent: self._send,
            BrokerRenewed: self._renew,
            RetainedLeft: self._compare,
            WorldOver: self._end,
        }

    def _start(self, started: BrokerStarted) -> None:
        self._estate = self._estate.with_instance(started.estate.instances[started.broker])

    def _retains(self, handle: str) -> bool:
        row = self.ledger.last[handle]
        database = self._estate.instances[self.ledger.where[handle]].databases[row.database]
        return any(queue.name == row.queue and queue.retention for queue in database.queues)

    # ------------------------------------------------------------ commits

    def _commit(self, commit: Committed) -> None:
        self._check_sent(commit.at)
        self._check_received(commit)
        states = {row.handle: row.state for row in commit.endpoints}
        for handle in commit.cleared_queues:
            lost = self._kept.pop(handle, None)
            is_over = handle in commit.removed or states.get(handle, "CO") not in _LIVING
            if lost and not is_over:
                self.broken(commit.at, say("Retained messages were deleted before the conversation ended."), handle)
        for row in commit.retained:
            self._kept.setdefault(row.handle, Counter())[row] += 1
        self._not_sent_yet = [row for row in commit.retained if row.status == RETAINED_SENT]

    def _check_received(self, commit: Committed) -> None:
        """Check that a commit retains exactly the messages that it receives, except of conversations that it ends."""
        ended = {*commit.removed, *(row.handle for row in commit.endpoints if row.state not in _LIVING)}
        given = Counter(
            RetainedRow(handle, RETAINED_RECEIVED, number, kind, bodies[0])
            for handle, number, kind in commit.taken
            if handle not in ended
            and (bodies := self._waiting.get(handle, {}).get((number, kind)))
            and self._retains(handle)
        )
        kept = Counter(row for row in commit.retained if row.status == RETAINED_RECEIVED)
        for row in (given - kept) + (kept - given):
            what = say("Message {number} was received and is not retained, or the reverse.", number=row.sequence)
            self.broken(commit.at, what, row.handle, row.sequence)

    def _follow(self, commit: Committed) -> None:
        self._look_for_survivors(commit)
        for handle, number, kind in commit.taken:
            if bodies := self._waiting.get(handle, {}).get((number, kind)):
                bodies.pop(0)
        for handle in commit.cleared_queues:
            self._waiting.pop(handle, None)
        for kept in commit.enqueued:
            self._waiting.setdefault(kept.handle, {}).setdefault((kept.sequence, kept.message_type), []).append(
                kept.body
            )

    def _look_for_survivors(self, commit: Committed) -> None:
        for handle in (*commit.removed, *(row.handle for row in commit.endpoints if row.state not in _LIVING)):
            if self._kept.pop(handle, None):
                self.broken(commit.at, say("Retained messages have outlived their conversation."), handle)

    # ------------------------------------------------------------ sent messages

    def _send(self, sent: ApplicationSent) -> None:
        """Check that the commit before it has retained a copy."""
        row = self.ledger.endpoints.get(sent.handle)
        if row is None or row.state not in _LIVING:
            return  # the same transaction has ended the conversation
        found = next((one for one in self._not_sent_yet if _is_that(one, sent)), None)
        if found is not None:
            self._not_sent_yet.remove(found)
        if self._retains(sent.handle) != (found is not None):
            self.broken(sent.at, say("A sent message is not retained, or the reverse."), sent.handle)

    def _check_sent(self, at: int) -> None:
        for row in self._not_sent_yet:
            what = say("Message {number} is retained, and nobody has sent it.", number=row.sequence)
            self.broken(at, what, row.handle, row.sequence)
        self._not_sent_yet = []

    # ------------------------------------------------------------ ends

    def _renew(self, renewed: BrokerRenewed) -> None:
        for handle in self.ledger.living(renewed.broker, renewed.database):
            self._kept.pop(handle, None)

    def _compare(self, left: RetainedLeft) -> None:
        """Compare the retained rows of the store with those of the commits."""
        expected: Counter[RetainedRow] = Counter()
        for handle, rows in self._kept.items():
            if self.ledger.where[handle] == left.broker:
                expected += rows
        found = Counter(left.rows)
        for row in (expected - found) + (found - expected):
            what = say("The queue keeps message {number} and should not, or the reverse.", number=row.sequence)
            self.broken(left.at, what, row.handle, row.sequence)

    def _end(self, over: WorldOver) -> None:
        self._check_sent(over.at)


def _is_that(row: RetainedRow, sent: ApplicationSent) -> bool:
    return (row.handle, row.message_type, row.body) == (sent.handle, sent.message_type, sent.body)
