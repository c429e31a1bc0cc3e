"""RT-PIN, RT-STICKY: a conversation has one target. Others that took it too are orphans; none begins twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.sentence import say
from routing.dialog.states import AS_INITIATOR, AS_TARGET, NONE, DialogState
from routing.dialog.system_names import SYSTEM_TYPES
from routing.simulation.application_records import ApplicationEnded, ApplicationReceived
from routing.simulation.checking import Checker, CheckResult, Orphan
from routing.simulation.records import BrokerRenewed, Committed, EndpointSnapshot

_STEPS: dict[bool, set[tuple[DialogState, DialogState]]] = {
    is_initiator: {(state, to) for (state, _), to in table.items() if not isinstance(to, int)}
    for is_initiator, table in ((True, AS_INITIATOR), (False, AS_TARGET))
}
"""By role: the pairs of a state and one that a single input can lead to."""


def _closure(steps: set[tuple[DialogState, DialogState]]) -> set[tuple[DialogState, DialogState]]:
    """Return the pairs for any number of inputs, since a commit may hold several."""
    found = set(steps)
    while more := {(a, d) for a, b in found for c, d in steps if b == c != NONE} - found:
        found |= more
    return found


_REACHABLE = {is_initiator: _closure(steps) for is_initiator, steps in _STEPS.items()}


class EndpointsChecker(Checker):
    promise = "one-target"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._delivered: set[str] = set()
        """Handles whose queue has received a message of the peer."""
        self._cleaned: set[str] = set()
        """Handles that were removed WITH CLEANUP, or by NEW_BROKER."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {ApplicationEnded: self._end, ApplicationReceived: self._receive, BrokerRenewed: self._renew}

    def _end(self, ended: ApplicationEnded) -> None:
        if ended.how == "cleanup":
            self._cleaned.add(ended.handle)
            self.seen.orphans.append(Orphan(ended.at, ended.handle, "WITH CLEANUP"))

    def _renew(self, renewed: BrokerRenewed) -> None:
        for handle in self.ledger.living(renewed.broker, renewed.database):
            self._cleaned.add(handle)
            self.seen.orphans.append(Orphan(renewed.at, handle, "NEW_BROKER"))

    def _receive(self, received: ApplicationReceived) -> None:
        if received.code in (-8495, -8489):
            self.seen.orphans.append(Orphan(received.at, received.handle, str(received.code)))

    def _commit(self, commit: Committed) -> None:
        for row in commit.endpoints:
            before = self.ledger.endpoints.get(row.handle)
            self._check_state(commit, before, row)
            if before is None:
                self._check_new(commit, row)
            else:
                self._check_pin(commit, before, row)
        self._delivered.update(kept.handle for kept in commit.enqueued if kept.message_type not in SYSTEM_TYPES)

    def _check_state(self, commit: Committed, before: EndpointSnapshot | None, row: EndpointSnapshot) -> None:
        was: DialogState = before.state if before else NONE  # type: ignore[assignment]
        if was != row.state and (was, row.state) not in _REACHABLE[row.is_initiator]:
            what = say("The endpoint went from {before} to {after}.", before=was or "nothing", after=row.state)
            self.broken(commit.at, what, row.handle)

    def _check_new(self, commit: Committed, row: EndpointSnapshot) -> None:
        """Check a new target endpoint: a second one in the same database would begin the conversation again."""
        others = self.ledger.sides.get((row.conversation_id, row.is_initiator), [])
        for other in others:
            last = self.ledger.last[other]
            if (self.ledger.where[other], last.database) != (commit.broker, row.database):
                self.seen.orphans.append(Orphan(commit.at, row.handle, f"beside {other}"))
            elif other in self._delivered and other not in self._cleaned:
                self.broken(commit.at, say("The conversation began a second time in the same database."), row.handle)

    def _check_pin(self, commit: Committed, before: EndpointSnapshot, row: EndpointSnapshot) -> None:
        known = before.far_broker_instance
        if known is not None and row.far_broker_instance != known:
            self.broken(commit.at, say("The peer changed after it was known."), row.handle)
        is_settled = any(handle == row.handle for handle, _ in commit.acknowledged_below)
        if is_settled and row.is_initiator and row.far_broker_instance is None:
            self.broken(commit.at, say("A message was acknowledged, and the peer is not pinned."), row.handle)
