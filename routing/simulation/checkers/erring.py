"""ERROR_BROKER_CONVERSATIONS: open conversations of the database have ended with an error, and peers are notified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.dialog.error_conversations import ERRED_STATES
from routing.dialog.system_names import ERROR_TYPE, SYSTEM_SERVICE
from routing.simulation.application_records import ApplicationReceived
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.delivery_oracle import DeliveryOracle
from routing.simulation.records import BrokerStarted, Committed, ConversationsErred, EndpointSnapshot, FrameSent
from routing.simulation.trust import NO_TRUST

_HERE, _AT_PEER = -9719, -9720


class ErringChecker(Checker):
    promise = "erred-on-both-sides"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._estate = self.world.estate
        self._pending: ConversationsErred | None = None
        self._before: dict[str, EndpointSnapshot] = {}
        """By handle: the endpoints of the database that were open, in their former state."""
        self._erred: set[str] = set()
        self._untold: dict[tuple[str, bool], str] = {}
        """By conversation and side: handles whose peer needs an error frame before the next commit."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {ConversationsErred: self._err, Committed: self._commit}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            BrokerStarted: self._start,
            Committed: self._look,
            FrameSent: self._leave,
            ApplicationReceived: self._receive,
        }

    def _start(self, started: BrokerStarted) -> None:
        self._estate = self._estate.with_instance(started.estate.instances[started.broker])

    def _err(self, erred: ConversationsErred) -> None:
        rows = [self.ledger.endpoints[handle] for handle in self.ledger.living(erred.broker, erred.database)]
        going_on = [row for row in rows if row.state in ERRED_STATES]
        self._erred.update(row.handle for row in going_on)
        # The broker itself reads the messages of the system service, which needs no Error message.
        self._before = {row.handle: row for row in going_on if row.service != SYSTEM_SERVICE}
        self._pending = erred

    # ------------------------------------------------------------ this side

    def _commit(self, commit: Committed) -> None:
        for handle in self._untold.values():
            self.broken(commit.at, say("The conversation ended with an error, and its peer was not notified."), handle)
        self._untold = {}
        failed = {kept.handle for kept in commit.enqueued if kept.message_type == ERROR_TYPE}
        for handle, row in self._before.items():
            if row.state != "SI" and handle not in failed:
                self.broken(commit.at, say("The conversation was to end with an error, and received none."), handle)

    def _look(self, commit: Committed) -> None:
        if self._pending is None:
            return
        for handle, before in self._before.items():
            row = self.ledger.endpoints.get(handle)
            if row is not None and row.state in ERRED_STATES:
                self.broken(commit.at, say("The conversation was to end with an error, and goes on."), handle)
            elif self._must_tell(before, commit.at):
                self._untold[before.conversation_id, before.is_initiator] = handle
        self._pending, self._before = None, {}

    # ------------------------------------------------------------ the peer

    def _must_tell(self, row: EndpointSnapshot, at: int) -> bool:
        """Whether an error frame has to leave: the peer is on another broker, and routing surely reaches it."""
        if (row.is_initiator and not row.transmitted) or self.world.trust != NO_TRUST:
            return False
        here = self.ledger.where[row.handle]
        if self._is_by_mirrored_route(here, row):
            return False
        peers = [peer for peer in self.ledger.peers(row) if peer in self.ledger.endpoints]
        if not peers or any(self.ledger.where[peer] == here for peer in peers):
            return False
        return DeliveryOracle(self.world.trust, self._estate, self.ledger, at).is_reached(row.handle)

    def _is_by_mirrored_route(self, broker: str, row: EndpointSnapshot) -> bool:
        """Whether a mirrored route may be the way: nothing leaves by it while neither partner is known as principal."""
        routes = self._estate.instances[broker].tables[row.database].routes.values()
        return any(
            route.mirror_address is not None and route.remote_service_name in (None, row.far_service)
            for route in routes
        )

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is not None and header.is_error and not header.is_sequenced:
            self._untold.pop((identifier_of(header.conversation_id), header.is_initiator), None)

    def _receive(self, received: ApplicationReceived) -> None:
        """Check that the application receives no error that did not happen."""
        is_erred = received.handle in self._erred
        if received.code == _AT_PEER:
            is_erred = bool(self._erred.intersection(self.ledger.peers(self.ledger.last[received.handle])))
        if received.code in (_HERE, _AT_PEER) and not is_erred:
            self.broken(received.at, say("An error was received that nobody sent."), received.handle)
