"""MATCH-4: for each service a database asks for a route once, and not again before an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.sentence import say
from routing.dialog.system_names import MISSING_ROUTE_TYPE, SYSTEM_SERVICE
from routing.simulation.application_records import ApplicationReceived
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import Committed, FailedOver


class AskingChecker(Checker):
    promise = "asked-once"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._pending: dict[tuple[str, str, str], str] = {}
        """By broker, database and service: the handle of the dialog that requests a route."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit, FailedOver: self._fail_over}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {ApplicationReceived: self._receive}

    def _commit(self, commit: Committed) -> None:
        for database, service, handle in commit.requests:
            key = (commit.broker, database, service)
            before = self._pending.pop(key, None)
            if handle is not None:
                self._pending[key] = handle
                if before is not None:
                    what = say("A route for {service} was requested again before an answer.", service=service)
                    self.broken(commit.at, what, handle)

    def _fail_over(self, record: FailedOver) -> None:
        to = {record.principal: record.mirror, record.mirror: record.principal}
        self._pending = {(to.get(key[0], key[0]), key[1], key[2]): one for key, one in self._pending.items()}

    def _receive(self, received: ApplicationReceived) -> None:
        if received.message_type != MISSING_ROUTE_TYPE:
            return
        peers = self.ledger.peers(self.ledger.last[received.handle])
        if received.sequence or not any(self.ledger.last[peer].service == SYSTEM_SERVICE for peer in peers):
            self.broken(received.at, say("A question for a route was received that no database has."), received.handle)
