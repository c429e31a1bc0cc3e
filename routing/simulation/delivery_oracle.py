"""Decide for every waiting message whether routing guarantees its delivery."""

from __future__ import annotations

from routing.common.moment import from_milliseconds
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED
from routing.rules.journey import Journeys
from routing.simulation.ledger import Ledger
from routing.simulation.records import EndpointSnapshot
from routing.simulation.trust import Trust


class DeliveryOracle:
    """Delivery guarantees at one time, for an estate without further faults."""

    def __init__(self, trust: Trust, estate: Estate, ledger: Ledger, now: int) -> None:
        self._trust = trust
        self._estate = estate
        self._ledger = ledger
        self._journeys = Journeys(estate, from_milliseconds(now))

    def unread(self) -> list[str]:
        """Return the handles with messages that can be received."""
        return [handle for handle, messages in self._ledger.queued.items() if messages]

    def stuck(self) -> list[str]:
        """Return the handles whose next message is complete but still buffered."""
        return [handle for handle in self._ledger.held if self._is_stuck(handle)]

    def _is_stuck(self, handle: str) -> bool:
        row = self._ledger.endpoints.get(handle)
        parts = self._ledger.held[handle]
        if row is None or row.state not in ("SI", "CO"):
            return False
        turn = [kept for (number, _), kept in parts.items() if number == row.receive_sequence]
        return bool(turn) and len(turn) == turn[0].fragments

    def is_to_arrive(self, handle: str) -> bool:
        """Return True if the messages of the endpoint reach its peer, which has room for them at last."""
        return self.is_reached(handle) and not self._is_cut_off(self._ledger.last[handle])

    def _is_cut_off(self, row: EndpointSnapshot) -> bool:
        """Return True if a peer waits for a message that is not left, as a removed peer has taken it in.

        A peer removed WITH CLEANUP begins anew where the first messages come again. It never receives what follows the
        missing message, and takes that in only as far as it has room.
        """
        peers = self._ledger.peers(row)
        removed = [self._ledger.last[peer].receive_sequence for peer in peers if peer not in self._ledger.endpoints]
        awaited = [one.receive_sequence for one in map(self._ledger.endpoints.get, peers) if one is not None]
        left = self._ledger.outgoing.get(row.handle, {})
        return any(number < max(removed, default=0) and number not in left for number in awaited)

    def is_reached(self, handle: str) -> bool:
        """Return True if everything the endpoint sends reaches its peer, and the acknowledgement returns."""
        row = self._ledger.last[handle]
        broker = self._ledger.where[handle]
        there = self._delivered(broker, row.database, row.far_service, row.far_broker_instance, not row.is_initiator)
        if not there or not all(self._is_open(row, broker, *place) for place in there):
            return False
        own = self._identifier(broker, row.database)
        back = [self._delivered(instance, database, row.service, own, row.is_initiator) for instance, database in there]
        return all(place == {(broker, row.database)} for place in back) and self._fits(row, there)

    def _delivered(
        self, broker: str, database: str, service: str, identifier: str | None, is_reply: bool
    ) -> set[tuple[str, str]]:
        """Return the possible target databases; empty unless delivery to one of them is certain."""
        outcomes = self._journeys.outcomes(Conversation(broker, database, service, identifier, is_reply))
        if any(outcome.kind != DELIVERED for outcome in outcomes):
            return set()
        return {(outcome.instance, outcome.detail) for outcome in outcomes}

    def _is_open(self, row: EndpointSnapshot, broker: str, instance: str, database: str) -> bool:
        """Return True if endpoint and peer can open each other's fragments."""
        if instance == broker:
            return True  # local delivery: nothing is sent over the network
        own, far = self._identifier(broker, row.database), self._identifier(instance, database)
        if row.is_initiator:
            return self._trust.lets_through(own, row.far_service, far, encryption=row.encryption)
        began = [self._ledger.last[peer] for peer in self._ledger.peers(row)]
        return all(self._trust.lets_through(far, row.service, own, encryption=one.encryption) for one in began)

    def _identifier(self, instance: str, database: str) -> str | None:
        return self._estate.instances[instance].databases[database].broker_instance

    def _fits(self, row: EndpointSnapshot, there: set[tuple[str, str]]) -> bool:
        """Return True if the peer's endpoint is unknown, or every possible target is its database."""
        peers = [peer for peer in self._ledger.peers(row) if peer in self._ledger.endpoints]
        where = {(self._ledger.where[peer], self._ledger.last[peer].database) for peer in peers}
        return not where or there <= where
