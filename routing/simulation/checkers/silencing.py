"""DISABLE_BROKER, NEW_BROKER: a database with a disabled broker sends nothing and accepts nothing from peers; one with
a new broker has none of the conversations, and sends its new identifier."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from routing.adjacent.fragment import Header
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.dialog.system_names import ERROR_TYPE, TIMER_TYPE
from routing.model.estate import Database, Estate
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import (
    BrokerRenewed,
    BrokerStarted,
    Committed,
    FrameArrived,
    FrameSent,
)

_OF_ITS_OWN = frozenset((ERROR_TYPE, TIMER_TYPE))


class SilencingChecker(Checker):
    promise = "disabled-is-silent"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._estates: dict[str, Estate] = {}
        self._left: dict[int, Header] = {}
        self._circling: set[tuple[str, bytes, bool]] = set()
        """Broker, conversation and side whose fragments have arrived there: the broker may forward them, which needs
        no database."""
        self._renewed: dict[str, BrokerRenewed] = {}
        """By broker: the NEW_BROKER before its next commit."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            BrokerStarted: self._start,
            BrokerRenewed: self._renew,
            Committed: self._look_for_survivors,
            FrameSent: self._leave,
            FrameArrived: self._arrive,
        }

    def _start(self, started: BrokerStarted) -> None:
        self._estates[started.broker] = started.estate

    def _database(self, broker: str, name: str) -> Database:
        return self._estates[broker].instances[broker].databases[name]

    # ------------------------------------------------------------ arrivals

    def _commit(self, commit: Committed) -> None:
        for handle in self._having_taken(commit):
            database = self._database(commit.broker, self._database_of(commit, handle))
            if not database.broker_enabled:
                what = say("The broker of {database} is disabled, and has taken something.", database=database.name)
                self.broken(commit.at, what, handle)

    def _having_taken(self, commit: Committed) -> Iterator[str]:
        """Yield the handles that a commit takes something for: an acknowledgement, a new fragment, or a message. A
        fragment that was buffered before was taken before."""
        yield from (handle for handle, _ in commit.acknowledged_below)
        for kept in commit.buffered:
            if (kept.sequence, kept.fragment) not in self.ledger.held.get(kept.handle, {}):
                yield kept.handle
        for kept in commit.enqueued:
            held = self.ledger.held.get(kept.handle, {})
            if kept.message_type not in _OF_ITS_OWN and not any(number == kept.sequence for number, _ in held):
                yield kept.handle

    def _database_of(self, commit: Committed, handle: str) -> str:
        rows = (row for row in commit.endpoints if row.handle == handle)
        return (next(rows, None) or self.ledger.last[handle]).database

    # ------------------------------------------------------------ frames

    def _arrive(self, arrived: FrameArrived) -> None:
        header = self._left.get(arrived.number)
        if header is not None:
            self._circling.add((arrived.broker, header.conversation_id, header.is_initiator))

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is None:
            return
        self._left[left.number] = header
        if (left.broker, header.conversation_id, header.is_initiator) in self._circling:
            return
        side = (identifier_of(header.conversation_id), header.is_initiator)
        handles = [handle for handle in self.ledger.sides.get(side, []) if self.ledger.where[handle] == left.broker]
        writers = [self._database(left.broker, self.ledger.last[handle].database) for handle in handles]
        identifier = header.names.from_broker_instance
        if writers and not any(database.broker_enabled for database in writers):
            what = say("A fragment left, and the broker of {database} is disabled.", database=writers[0].name)
            self.broken(left.at, what, handles[0], header.sequence)
        elif (
            writers and identifier is not None and identifier not in {database.broker_instance for database in writers}
        ):
            what = say("A fragment left that names an earlier broker of {database}.", database=writers[0].name)
            self.broken(left.at, what, handles[0], header.sequence)

    # ------------------------------------------------------------ new ones

    def _renew(self, renewed: BrokerRenewed) -> None:
        self._renewed[renewed.broker] = renewed

    def _look_for_survivors(self, commit: Committed) -> None:
        renewed = self._renewed.pop(commit.broker, None)
        for handle in self.ledger.living(renewed.broker, renewed.database) if renewed else ():
            self.broken(commit.at, say("The conversation has outlived the broker of its database."), handle)
