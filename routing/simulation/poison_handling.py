"""Poisoned applications: they roll back, report it, and are fixed after their queue was switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from routing.dialog.batch import ClaimRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.poison_messages import note_commit, note_rollback
from routing.dialog.unit_of_work import UnitOfWork
from routing.simulation.application_records import ReceiveFinished
from routing.simulation.clock import Scheduler
from routing.simulation.fault_schedule import Poison
from routing.simulation.records import Record
from routing.simulation.simulated_broker import SimulatedBroker
from routing.simulation.world import World
from routing.simulation.world_context import COMMITTED, ROLLED_BACK

SetQueueStatus = Callable[[str, QueueKey], None]
"""Sets a queue of an instance to its wanted status."""


class PoisonHandling:
    """The poisoned queues of a world. Only for these are rollbacks counted, as if all other queues had
    POISON_MESSAGE_HANDLING (STATUS = OFF)."""

    def __init__(self, world: World, agenda: Scheduler) -> None:
        self._agenda = agenda
        self._heals = world.heals
        self._hosts: Mapping[str, SimulatedBroker] = {}
        self._turn: SetQueueStatus = lambda instance, queue: None
        self._of: dict[tuple[str, QueueKey], list[Poison]] = {}
        for poison in world.upheavals.poisons:
            self._of.setdefault((poison.instance, (poison.database, poison.queue)), []).append(poison)
        self._cured: set[str] = set()

    def begin(self, hosts: Mapping[str, SimulatedBroker], turn: SetQueueStatus) -> None:
        self._hosts, self._turn = hosts, turn

    def rolls_back(self, broker: str, queue: QueueKey) -> bool:
        """Return True if the application of the queue rolls back everything now."""
        return bool(self._lasting(broker, queue))

    def _lasting(self, broker: str, queue: QueueKey) -> list[Poison]:
        now = self._agenda.now
        return [
            one
            for one in self._of.get((broker, queue), ())
            if one.begins <= now < self._heals and one.name not in self._cured
        ]

    def tell(self, broker: str, queue: QueueKey, how: str) -> None:
        """Count the end of a transaction that received from a queue."""
        if (broker, queue) not in self._of or how not in (COMMITTED, ROLLED_BACK):
            return
        poisoned: list[bool] = []

        def act(work: UnitOfWork) -> Sequence[Record] | None:
            if how == ROLLED_BACK:
                poisoned.append(note_rollback(work, queue))
            elif queue in work.batch.rollbacks:
                note_commit(work, queue)
            else:
                return None
            return [ReceiveFinished(self._agenda.now, broker, *queue, how == ROLLED_BACK)]

        def done(outcome: str) -> None:
            if outcome == COMMITTED and any(poisoned):
                self._cure(broker, queue)

        self._hosts[broker].transact(ClaimRequest(), act, done)

    def _cure(self, broker: str, queue: QueueKey) -> None:
        """Fix the application of a switched-off queue and schedule switching it on again."""
        self._cured.update(one.name for one in self._lasting(broker, queue))
        down = max(one.down for one in self._of[broker, queue])
        self._agenda.at(min(self._agenda.now + down, max(self._agenda.now, self._heals)), self._turn, broker, queue)
