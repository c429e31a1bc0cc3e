"""What routing promises of what waits: whether it has to arrive."""

from __future__ import annotations

from routing.conversation import Conversation
from routing.decision import DELIVERED
from routing.estate import Estate
from routing.journey import Journeys
from routing.simulation.history import Row
from routing.simulation.ledger import Ledger
from routing.ways import moment


class Promises:
    """At one moment, with an estate in which nothing goes wrong any more."""

    def __init__(self, estate: Estate, ledger: Ledger, now: int) -> None:
        self._estate = estate
        self._ledger = ledger
        self._journeys = Journeys(estate, moment(now))

    def unread(self) -> list[str]:
        """The handles for which something can be received."""
        return [handle for handle, messages in self._ledger.queued.items() if messages]

    def stuck(self) -> list[str]:
        """The handles that hold a whole message whose turn has come."""
        return [handle for handle in self._ledger.held if self._is_stuck(handle)]

    def _is_stuck(self, handle: str) -> bool:
        row = self._ledger.endpoints.get(handle)
        parts = self._ledger.held[handle]
        if row is None or row.state not in ("SI", "CO"):
            return False
        turn = [kept for (number, _), kept in parts.items() if number == row.receive_sequence]
        return bool(turn) and len(turn) == turn[0].fragments

    def is_to_arrive(self, handle: str) -> bool:
        """Whether whatever this endpoint sends comes to its peer, and the acknowledgement comes back."""
        row = self._ledger.last[handle]
        broker = self._ledger.where[handle]
        there = self._delivered(broker, row.database, row.far_service, row.far_broker_instance, not row.is_initiator)
        if not there:
            return False
        own = self._estate.instances[broker].databases[row.database].broker_instance
        back = [self._delivered(instance, database, row.service, own, row.is_initiator) for instance, database in there]
        return all(place == {(broker, row.database)} for place in back) and self._fits(row, there)

    def _delivered(
        self, broker: str, database: str, service: str, identifier: str | None, is_reply: bool
    ) -> set[tuple[str, str]]:
        """The databases that it may come to; none unless it comes to one for sure."""
        outcomes = self._journeys.outcomes(Conversation(broker, database, service, identifier, is_reply))
        if any(outcome.kind != DELIVERED for outcome in outcomes):
            return set()
        return {(outcome.instance, outcome.detail) for outcome in outcomes}

    def _fits(self, row: Row, there: set[tuple[str, str]]) -> bool:
        """Where the peer's endpoint is known, all ways lead to it."""
        peers = [peer for peer in self._ledger.peers(row) if peer in self._ledger.endpoints]
        where = {(self._ledger.where[peer], self._ledger.last[peer].database) for peer in peers}
        return not where or there <= where
