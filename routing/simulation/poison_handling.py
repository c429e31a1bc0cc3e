"""Applications that can work on nothing: they roll back, tell so, and are put right when their queue has gone off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from routing.dialog.batch import ClaimRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.queue_status import note_commit, note_rollback
from routing.dialog.unit_of_work import UnitOfWork
from routing.simulation.clock import Scheduler
from routing.simulation.fault_schedule import Poison
from routing.simulation.history import ReceiveFinished, Record
from routing.simulation.simulated_broker import COMMITTED, ROLLED_BACK, SimulatedBroker
from routing.simulation.world import World

SetQueueStatus = Callable[[str, QueueKey], None]
"""A queue of an instance, on or off, as it is to be."""


class PoisonHandling:
    """The queues of a world that are ever poisoned. Of these alone it is told how their transactions end, as where
    others are WITH POISON_MESSAGE_HANDLING (STATUS = OFF)."""

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
        """Whether its application can work on nothing now."""
        return bool(self._lasting(broker, queue))

    def _lasting(self, broker: str, queue: QueueKey) -> list[Poison]:
        now = self._agenda.now
        return [
            one
            for one in self._of.get((broker, queue), ())
            if one.begins <= now < self._heals and one.name not in self._cured
        ]

    def tell(self, broker: str, queue: QueueKey, how: str) -> None:
        """A transaction that received from a queue has ended, one way or the other."""
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
        """The queue has gone off. Somebody looks, and puts it on again when all is right."""
        self._cured.update(one.name for one in self._lasting(broker, queue))
        down = max(one.down for one in self._of[broker, queue])
        self._agenda.at(min(self._agenda.now + down, max(self._agenda.now, self._heals)), self._turn, broker, queue)
