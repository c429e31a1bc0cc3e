"""Waiting messages on servers, as pages and REST show them: each row with its cause and next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from routing.common.finding import INFO
from routing.common.sentence import Sentence
from routing.dialog.states import STATES
from routing.lint.collected import StatusMeaning, status_meaning
from routing.lint.left_over import MANY, MEANS, STEPS
from routing.lint.linted_objects import HostedDatabase
from routing.model.collected import CollectedEndpoints, CollectedTransmissions, EndpointSum, TransmissionSum
from routing.model.estate import Database, Estate, Instance


@dataclass(frozen=True, slots=True)
class CollectedWaiting:
    """Messages of a database on a real server that waited for one service with one status."""

    held: HostedDatabase
    queue: CollectedTransmissions
    row: TransmissionSum

    @property
    def instance(self) -> str:
        return self.held.instance.name

    @property
    def database(self) -> str:
        return self.held.database.name

    def meaning(self, estate: Estate, at: datetime) -> StatusMeaning:
        """The cause and the next step, by the routes at the moment of the collection, or at `at` where it is not
        known."""
        return status_meaning(estate, self.held, self.queue, self.row, self.queue.collected_at or at)

    def age_s(self) -> int | None:
        """Seconds for which the oldest had waited when its server was asked; None: not known."""
        if self.row.oldest is None or self.queue.collected_at is None:
            return None
        return max(0, int((self.queue.collected_at - self.row.oldest).total_seconds()))


def collected_waiting(estate: Estate) -> Iterator[CollectedWaiting]:
    """Yield the collected sums of waiting messages, in the order of the estate."""
    for instance, database in _databases(estate):
        queue = database.transmission_queue
        for row in queue.rows if queue is not None else ():
            yield CollectedWaiting(HostedDatabase(instance, database), queue or CollectedTransmissions(), row)


@dataclass(frozen=True, slots=True)
class CollectedConversations:
    """Conversations of a database on a real server with the same services and state."""

    held: HostedDatabase
    endpoints: CollectedEndpoints
    row: EndpointSum

    @property
    def place(self) -> str:
        return f"{self.held.instance.name}/{self.held.database.name}"

    @property
    def state(self) -> str:
        """As `state_desc` has it."""
        return {str(state): words for state, words in STATES.items()}.get(self.row.state, self.row.state)

    @property
    def means(self) -> Sentence | None:
        return MEANS.get(self.row.state)

    @property
    def next_step(self) -> Sentence | None:
        """Return the next step; None for a number that conversations under way may reach."""
        return STEPS.get(self.row.state) if self.row.endpoints >= MANY else None


def collected_conversations(estate: Estate) -> list[CollectedConversations]:
    """Return the collected sums of conversations, the largest first."""
    found = [
        CollectedConversations(HostedDatabase(instance, database), database.conversation_endpoints, row)
        for instance, database in _databases(estate)
        if database.conversation_endpoints is not None
        for row in database.conversation_endpoints.rows
    ]
    return sorted(found, key=lambda one: -one.row.endpoints)


def databases_collected(estate: Estate) -> list[HostedDatabase]:
    """The databases whose transmission queue was collected, empty or not."""
    found = (HostedDatabase(instance, database) for instance, database in _databases(estate))
    return [held for held in found if held.database.transmission_queue is not None]


def _databases(estate: Estate) -> Iterator[tuple[Instance, Database]]:
    return ((instance, each) for instance in estate.instances.values() for each in instance.databases.values())


def most_urgent(
    waiting: Iterable[tuple[CollectedWaiting, StatusMeaning]],
) -> list[tuple[CollectedWaiting, StatusMeaning]]:
    """Sort: statuses that need an administrator first, then by number of messages."""
    return sorted(waiting, key=lambda one: (one[1].severity == INFO, -one[0].row.messages))
