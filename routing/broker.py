"""One instance at work: conversations from a store, the dialog protocol over them, routing for where they go.

Here, and only here, the dialog layer meets routing. Time and choices come in as arguments; nothing here waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from routing.conversation import Conversation
from routing.decision import (
    FORWARDING_DISABLED,
    HOP_LIMIT,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Choice,
    Decision,
    Deliver,
    Send,
)
from routing.dialog.batch import Wanted
from routing.dialog.choices import Choices
from routing.dialog.directory import Directory
from routing.dialog.due import advance
from routing.dialog.endpoint import Endpoint
from routing.dialog.work import Place, Work
from routing.estate import Database, Estate
from routing.events import Event
from routing.router import route
from routing.store import Store

STATUS: Mapping[str, int] = {
    NO_ROUTE: 9793,
    SERVICE_NOT_FOUND: 9796,
    ROUTE_REQUESTED: 9770,
    NO_PRINCIPAL: 9753,
    NOT_AN_ADDRESS: 9785,
    FORWARDING_DISABLED: 9792,
    HOP_LIMIT: 9793,
}
"""`transmission_status`, as the number of the product's text, for a reason of routing's."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(now: int) -> datetime:
    """Routing's UTC datetime of the engine's milliseconds."""
    return _EPOCH + timedelta(milliseconds=now)


def milliseconds(at: datetime) -> int:
    """The engine's milliseconds of a UTC datetime."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


class Broker:
    """A hosted instance."""

    def __init__(self, estate: Estate, instance: str, store: Store, choices: Choices) -> None:
        self.estate = estate
        self.instance = instance
        self.store = store
        self.choices = choices
        databases = estate.instances[instance].databases.values()
        self._directories = {database.name: _directory(database) for database in databases}

    def work(self, wanted: Wanted, now: int) -> Work:
        """Claim, and begin to work on it. Afterwards `commit` or `release`; see `Batch.busy` for what others hold."""
        return Work(self.store.claim(wanted, now), now, self.choices, _Around(self, self._directories))

    def commit(self, work: Work) -> list[Event]:
        """All that was done, durably; what happened. Raises `routing.store.Conflict`, and then nothing was."""
        changes = work.finished()
        self.store.commit(changes)
        return changes.events

    def release(self, work: Work) -> None:
        """Nothing of it was done."""
        self.store.release(work.batch.token)

    def retry_all(self, now: int) -> None:
        """Routes have changed, or something can be reached again: whatever waits is due (MATCH-7)."""
        work = self.work(Wanted(), now)
        work.changes.retry_all = True
        self.commit(work)

    def drain(self, limit: int, now: int) -> list[Event]:
        """Do what is due in up to so many conversations. May be called at any time, by any number of processes."""
        work = self.work(Wanted(due=limit), now)
        advance(work)
        return self.commit(work)


class _Around:
    """What the dialog layer asks of this instance, each thing once for a batch."""

    def __init__(self, broker: Broker, directories: Mapping[str, Directory]) -> None:
        self._broker = broker
        self._directories = directories
        self._places: dict[tuple[object, ...], Place] = {}

    def directory(self, database: str) -> Directory:
        return self._directories[database]

    def place(self, endpoint: Endpoint, now: int) -> Place:
        """One routing decision for all conversations that are alike; choices that are open are drawn for each."""
        key = (
            endpoint.database,
            endpoint.far_service,
            endpoint.far_broker_instance,
            endpoint.is_initiator,
            endpoint.kept_route,
            endpoint.kept_identifier,
            endpoint.kept_database,
        )
        found = self._places.get(key)
        if found is None:
            found, is_certain = self._decided(endpoint, now)
            if is_certain:
                self._places[key] = found
        return found

    def _decided(self, endpoint: Endpoint, now: int) -> tuple[Place, bool]:
        kept = Choice(endpoint.kept_route, endpoint.kept_identifier, endpoint.kept_database)
        decisions = self._routed(endpoint, endpoint.database, now, kept)
        is_certain = len(decisions) == 1
        decision = self._drawn(decisions)
        chosen = decision
        if isinstance(decision, Send) and decision.to == self._broker.instance:
            # LOOP-2: as if it came from outside.
            decisions = self._routed(endpoint, None, now, Choice(database=endpoint.kept_database))
            is_certain = is_certain and len(decisions) == 1
            decision = self._drawn(decisions)
        return self._place(decision, chosen), is_certain

    def _routed(self, endpoint: Endpoint, database: str | None, now: int, kept: Choice) -> tuple[Decision, ...]:
        conversation = Conversation(
            self._broker.instance,
            database,
            endpoint.far_service,
            endpoint.far_broker_instance,
            is_reply=not endpoint.is_initiator,
        )
        return route(self._broker.estate, conversation, moment(now), kept=kept)

    def _drawn(self, decisions: tuple[Decision, ...]) -> Decision:
        return decisions[self._broker.choices.below(len(decisions))] if len(decisions) > 1 else decisions[0]

    def _place(self, decision: Decision, chosen: Decision) -> Place:
        by, identifier = (chosen.route, chosen.identifier) if isinstance(chosen, (Deliver, Send)) else (None, None)
        if isinstance(decision, Deliver):
            return Place(self._directories[decision.database], 0, by, identifier)
        if isinstance(decision, Send):
            return Place(None, 0, by, identifier, decision.address.key)
        return Place(None, STATUS[decision.reason])


def _directory(database: Database) -> Directory:
    return Directory(
        database.name,
        database.broker_instance,
        database.services,
        database.contracts,
        database.message_types,
        database.priorities,
    )
