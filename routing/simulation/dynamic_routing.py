"""Dynamic routing service of a world: creates the requested route and ends the dialog (MATCH-4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from routing.dialog.batch import ClaimRequest
from routing.dialog.end_conversation import end_conversation, end_with_error
from routing.dialog.problems import VerbError
from routing.dialog.unit_of_work import UnitOfWork
from routing.simulation.application_records import ApplicationEnded, VerbRefused
from routing.simulation.clock import Scheduler
from routing.simulation.landscape import NEVER_ANSWERS, DynamicRoute, Repair
from routing.simulation.records import Record
from routing.simulation.simulated_broker import SimulatedBroker
from routing.simulation.world_context import BUSY, GONE

_SERVICE: Final = re.compile(rb"<SERVICE_NAME>(.*)</SERVICE_NAME>")
RETRY_AFTER_MS: Final = 500
"""Milliseconds."""


class DynamicRoutingService:
    """The application of the dynamic routing service, on any broker."""

    def __init__(self, agenda: Scheduler, configurations: Sequence[DynamicRoute]) -> None:
        self._agenda = agenda
        self._of = {one.service.encode(): one for one in configurations}
        self._hosts: Mapping[str, SimulatedBroker] = {}
        self._repair: Callable[[Repair], None] = lambda repair: None
        self._refused: dict[str, int] = {}
        self._made: set[str] = set()

    def begin(self, hosts: Mapping[str, SimulatedBroker], repair: Callable[[Repair], None]) -> None:
        self._hosts, self._repair = hosts, repair

    def request_received(self, broker: str, handle: str, body: bytes | None) -> None:
        """Handle a received route request; answer it after its planned delay."""
        found = _SERVICE.search(body or b"")
        one = self._of.get(found[1]) if found else None
        if one is not None and one.refusals != NEVER_ANSWERS:
            self._agenda.after(one.after, self._answer, broker, handle, one)

    def _answer(self, broker: str, handle: str, one: DynamicRoute) -> None:
        refused = self._refused.get(one.service, 0)
        is_refused = refused < one.refusals
        self._refused[one.service] = refused + is_refused
        if not is_refused and one.service not in self._made:
            self._made.add(one.service)
            self._repair(one.repair)
        self._end(broker, handle, "error" if is_refused else "end")

    def _end(self, broker: str, handle: str, how: str) -> None:
        now = self._agenda.now

        def act(work: UnitOfWork) -> Sequence[Record]:
            try:
                if how == "end":
                    end_conversation(work, handle)
                else:
                    end_with_error(work, handle, 1, "no route")
            except VerbError as refused:
                return [VerbRefused(now, broker, how, handle, refused.number)]
            return [ApplicationEnded(now, broker, handle, how)]

        def done(outcome: str) -> None:
            if outcome in (BUSY, GONE):
                self._agenda.after(RETRY_AFTER_MS, self._end, broker, handle, how)

        self._hosts[broker].transact(ClaimRequest(handles=(handle,)), act, done)
