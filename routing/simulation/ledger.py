"""Durable state of a world, rebuilt from the commits of its history."""

from __future__ import annotations

from collections.abc import Mapping

from routing.dialog.system_names import SYSTEM_SERVICE
from routing.simulation.records import (
    Committed,
    EndpointSnapshot,
    FailedOver,
    KeptMessage,
)

NO_MESSAGES: Mapping[int, KeptMessage] = {}


class Ledger:
    """All endpoints, queues and transmission queues of a world after each commit."""

    __slots__ = ("deaf", "endpoints", "held", "last", "outgoing", "queued", "sides", "where")

    def __init__(self) -> None:
        self.endpoints: dict[str, EndpointSnapshot] = {}
        """By handle: existing endpoints."""
        self.last: dict[str, EndpointSnapshot] = {}
        """By handle: last known state, including removed endpoints."""
        self.deaf: set[str] = set()
        """Handles whose messages are discarded: their side ended first, or they belong to the system service."""
        self.where: dict[str, str] = {}
        """By handle: the broker that holds or held the endpoint."""
        self.sides: dict[tuple[str, bool], list[str]] = {}
        """By conversation id and is_initiator: handles of all endpoints that ever existed."""
        self.outgoing: dict[str, dict[int, KeptMessage]] = {}
        """By handle and sequence number: messages in the transmission queue."""
        self.queued: dict[str, dict[tuple[int, str], KeptMessage]] = {}
        """By handle, sequence number and type: messages that can be received."""
        self.held: dict[str, dict[tuple[int, int], KeptMessage]] = {}
        """By handle, sequence number and fragment: buffered fragments."""

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
        """Swap the brokers of both partners' endpoints."""
        to = {record.principal: record.mirror, record.mirror: record.principal}
        self.where = {handle: to.get(broker, broker) for handle, broker in self.where.items()}

    def living(self, broker: str, database: str) -> tuple[str, ...]:
        """Return the handles of the existing endpoints of a database."""
        there = (handle for handle, row in self.endpoints.items() if row.database == database)
        return tuple(handle for handle in there if self.where[handle] == broker)

    def peers(self, row: EndpointSnapshot) -> list[str]:
        """Return the handles of all endpoints that the other side ever had."""
        return self.sides.get((row.conversation_id, not row.is_initiator), [])

    def waiting(self) -> list[str]:
        """Return the handles with messages in a transmission queue."""
        return [handle for handle, rows in self.outgoing.items() if rows]
