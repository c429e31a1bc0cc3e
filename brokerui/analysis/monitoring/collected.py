"""What servers showed of messages that wait, as pages and REST show it: each row with its cause and next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from routing.common.finding import INFO
from routing.lint.collected import ToldStatus, told_status
from routing.lint.context import HostedDatabase
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.estate import Estate


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

    def told(self, estate: Estate, at: datetime) -> ToldStatus:
        """The cause and the next step, by the routes at the moment of the collection, or at `at` where it is not
        known."""
        return told_status(estate, self.held, self.queue, self.row, self.queue.collected_at or at)

    def age_s(self) -> int | None:
        """Seconds for which the oldest had waited when its server was asked; None: not known."""
        if self.row.oldest is None or self.queue.collected_at is None:
            return None
        return max(0, int((self.queue.collected_at - self.row.oldest).total_seconds()))


def collected_waiting(estate: Estate) -> Iterator[CollectedWaiting]:
    """All of them, in the order of the estate."""
    for instance in estate.instances.values():
        for database in instance.databases.values():
            queue = database.transmission_queue
            for row in queue.rows if queue is not None else ():
                yield CollectedWaiting(HostedDatabase(instance, database), queue or CollectedTransmissions(), row)


def most_urgent(told: Iterable[tuple[CollectedWaiting, ToldStatus]]) -> list[tuple[CollectedWaiting, ToldStatus]]:
    """Those that need a person first, then the largest."""
    return sorted(told, key=lambda one: (one[1].severity == INFO, -one[0].row.messages))
