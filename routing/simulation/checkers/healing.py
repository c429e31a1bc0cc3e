"""Phase two: once nothing goes wrong, all that routing allows arrives within a bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.sentence import say
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.delivery_oracle import DeliveryOracle
from routing.simulation.records import BrokerStarted, WorldOver


class HealingChecker(Checker):
    promise = "arrives-once-healed"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._estate = self.world.estate

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {WorldOver: self._over, BrokerStarted: self._start}

    def _start(self, started: BrokerStarted) -> None:
        """Take over the estate of the broker: each knows its own instance best."""
        self._estate = self._estate.with_instance(started.estate.instances[started.broker])

    def _over(self, over: WorldOver) -> None:
        promises = DeliveryOracle(self.world.trust, self._estate, self.ledger, over.at)
        for handle in self.ledger.waiting():
            if promises.is_to_arrive(handle):
                number = min(self.ledger.outgoing[handle])
                what = say("Message {number} has not arrived, and routing lets it.", number=number)
                self.broken(over.at, what, handle, number)
        for handle in promises.unread():
            self.broken(over.at, say("Messages in the queue were not received."), handle)
        for handle in promises.stuck():
            self.broken(over.at, say("The next message is whole, and is still held."), handle)
