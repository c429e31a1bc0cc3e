"""What stands where, as the commits of a history tell it."""

from __future__ import annotations

from collections.abc import Mapping

from routing.dialog.system_names import SYSTEM_SERVICE
from routing.simulation.history import Committed, EndpointSnapshot, FailedOver, KeptMessage

NO_MESSAGES: Mapping[int, KeptMessage] = {}


class Ledger:
    """Every endpoint, queue and transmission queue of a world, one commit after the other."""

    __slots__ = ("deaf", "endpoints", "held", "last", "outgoing", "queued", "sides", "where")

    def __init__(self) -> None:
        self.endpoints: dict[str, EndpointSnapshot] = {}
        """By handle: those that are there."""
        self.last: dict[str, EndpointSnapshot] = {}
        """By handle: as each was when it was last seen, also those that are gone."""
        self.deaf: set[str] = set()
        """The handles for which no queue is filled: those whose side has ended first, so that what still comes is
        discarded, and those of a database itself, whose dialog is over with the answer."""
        self.where: dict[str, str] = {}
        """By handle: the broker that has, or had, the endpoint."""
        self.sides: dict[tuple[str, bool], list[str]] = {}
        """By conversation id and is_initiator: the handles of all endpoints that there ever were."""
        self.outgoing: dict[str, dict[int, KeptMessage]] = {}
        """By handle and number: the transmission queue."""
        self.queued: dict[str, dict[tuple[int, str], KeptMessage]] = {}
        """By handle, number and type: what can be received."""
        self.held: dict[str, dict[tuple[int, int], KeptMessage]] = {}
        """By handle, number and fragment: what cannot be received yet."""

    def apply(self, commit: Committed) -> None:
        self._take_away(commit)
        self._put(commit)

    def _take_away(self, commit: Committed) -> None:
        for handle, number, message_type in commit.taken:
            self.queued.get(handle, {}).pop((number, message_type), None)
        for handle, below in commit.acknowledged_below:
            rows = self.outgoing.get(handle, {})
            for number in [number for number in rows if number < below]:
                del rows[number]
        for handle in commit.cleared_queues:
            self.queued.pop(handle, None)
            self.held.pop(handle, None)
        for handle, number in commit.unbuffered:
            parts = self.held.get(handle, {})
            for key in [key for key in parts if key[0] == number]:
                del parts[key]
        for handle, first in commit.dropped_from:
            rows = self.outgoing.get(handle, {})
            for number in [number for number in rows if number >= first]:
                del rows[number]
        for handle in commit.removed:
            self.endpoints.pop(handle, None)
            self.outgoing.pop(handle, None)

    def _put(self, commit: Committed) -> None:
        for row in commit.endpoints:
            if row.handle not in self.last:
                self.sides.setdefault((row.conversation_id, row.is_initiator), []).append(row.handle)
            self.endpoints[row.handle] = self.last[row.handle] = row
            self.where[row.handle] = commit.broker
            if row.state == "DO" or row.service == SYSTEM_SERVICE:
                self.deaf.add(row.handle)
        for kept in commit.enqueued:
            self.queued.setdefault(kept.handle, {})[kept.sequence, kept.message_type] = kept
        for kept in commit.buffered:
            self.held.setdefault(kept.handle, {})[kept.sequence, kept.fragment] = kept
        for kept in commit.outgoing:
            self.outgoing.setdefault(kept.handle, {})[kept.sequence] = kept

    def fail_over(self, record: FailedOver) -> None:
        """What one partner has, the other has now."""
        to = {record.principal: record.mirror, record.mirror: record.principal}
        self.where = {handle: to.get(broker, broker) for handle, broker in self.where.items()}

    def living(self, broker: str, database: str) -> tuple[str, ...]:
        """The handles of the endpoints that a database has."""
        there = (handle for handle, row in self.endpoints.items() if row.database == database)
        return tuple(handle for handle in there if self.where[handle] == broker)

    def peers(self, row: EndpointSnapshot) -> list[str]:
        """The handles of the other side, of every endpoint that it ever had."""
        return self.sides.get((row.conversation_id, not row.is_initiator), [])

    def waiting(self) -> list[str]:
        """The handles that have something in a transmission queue."""
        return [handle for handle, rows in self.outgoing.items() if rows]
