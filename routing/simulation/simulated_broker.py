"""A broker as a process: it is up or down, has a clock and an inbox, and dies without a warning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from routing.common.choices import Choices
from routing.dialog.appended_messages import AppendOutcome
from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.error_conversations import error_conversations
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import VerbError
from routing.dialog.receive import receive
from routing.dialog.unit_of_work import UnitOfWork
from routing.model.estate import Estate
from routing.runtime.broker import Broker
from routing.runtime.forwarding import Forwarder, ForwarderLimits
from routing.runtime.remembered_conversations import RememberedConversations
from routing.runtime.store import Conflict
from routing.simulation.clock import START
from routing.simulation.network import FrameInFlight
from routing.simulation.new_broker import remove_conversations
from routing.simulation.recording_store import RecordingStore, SimulatedCrash
from routing.simulation.records import (
    BrokerBroke,
    BrokerStarted,
    BrokerStopped,
    Committed,
    ConversationsErred,
    EventsReported,
    FrameArrived,
    FrameLost,
    Record,
)
from routing.simulation.world_context import BUSY, COMMITTED, EMPTY, GONE, REFUSED, ROLLED_BACK, WorldContext

GATHER_MS = 30
"""Maximum milliseconds for which arriving frames are collected into one batch."""
MIN_ALARM_INTERVAL_MS = 5
"""Minimum milliseconds between two timer runs when due work is locked by an application."""
FORWARD_PAUSE_MS = 40
"""Milliseconds after which the transport accepts more forwarded frames."""
MAX_SPINS = 4_000
"""Consecutive timer runs without progress after which a broker counts as broken."""

TransactionBody = Callable[[UnitOfWork], Sequence[Record] | None]
"""Body of an application's transaction. Returns the records to add after the commit; None: roll back."""
ReceiveBody = Callable[[UnitOfWork, Sequence[QueuedMessage]], Sequence[Record] | None]
Hearing = Callable[[Sequence[QueuedMessage]], Sequence[Record]]
"""Returns the records of an application that has received messages."""
TransactionCallback = Callable[[str], None]


class SimulatedBroker:
    """One broker of a world, with its store, clock and applications' transactions."""

    def __init__(self, name: str, around: WorldContext) -> None:
        self.name = name
        self.estate = around.world.estate
        self._around = around
        self._clock = around.world.clocks[name]
        self._choices = Choices(around.world.chance("choices", name).getrandbits)
        self._chance = around.world.chance("inbox", name)
        self._hurry = around.world.chance("at once", name)
        self._at_once = self._hurry.pick((0, 500, 1000))
        """Probability in permille that a transaction that is not kept open sends with its commit."""
        self._memory = around.world.chance("remembered", name)
        self._remembers = self._memory.pick((0, 500, 1000))
        """Probability in permille that a SEND is tried on the conversation as the broker remembers it."""
        self._repetition = around.world.chance("repeated", name)
        self._repeats = self._repetition.pick((0, 500, 1000))
        """Probability in permille that such a SEND is answered as the one before, where that answer holds."""
        self._processes: tuple[RememberedConversations, ...] = ()
        """Memories of two application processes that send on the same conversations."""
        self._reading = around.world.chance("taken", name)
        self._takes = self._reading.pick((0, 500, 1000))
        """Probability in permille that a RECEIVE in a transaction of its own is tried without a claim."""
        self.store = RecordingStore(name, around.world.crashes.get(name, ()), self._written)
        arrivals = around.world.chance("recalled", name)
        self.store.recalls = partial(arrivals.happens, arrivals.pick((0, 500, 1000)))
        self._limits = around.world.limits
        self._broker: Broker | None = None
        self._life = 0
        """Number of starts; callbacks of an earlier life are ignored."""
        self._inbox: list[FrameInFlight] = []
        self._alarm: int | None = None
        self._has_rung = 0
        """World time of the last timer run."""
        self._spins = 0
        self._saying: Sequence[Record] = ()
        self._hearing: Hearing = lambda messages: ()
        """For the messages that a commit takes from their queue, where no records were made before it."""
        self.open = 0
        """Number of open application transactions; other receives do not get what they have locked."""
        self._filled: dict[QueueKey, None] = {}

    @property
    def now(self) -> int:
        """Time in ms by the broker's own clock."""
        return self._clock.says(self._around.agenda.now)

    @property
    def is_up(self) -> bool:
        return self._broker is not None

    # ------------------------------------------------------------ life and death

    def start(self, estate: Estate | None = None) -> None:
        """Start from the store alone. With a new estate, retry everything that waits."""
        if self._broker is not None:
            return
        changed = estate is not None
        self.estate = estate or self.estate
        self._life += 1
        self.store.forget_claims()
        self._broker = self._made()
        self._around.history.add(BrokerStarted(self._around.agenda.now, self.name, self.estate))
        if changed:
            self._do(lambda broker: broker.retry_all(self.now))
        else:
            self._do(lambda broker: None)
        for queue in self._queues():
            if self.store.depth(queue).messages:
                self._around.woken(self.name, queue)

    def _made(self) -> Broker:
        around = self._around
        instance, elapsed = self.estate.instances[self.name], around.agenda.now - START
        security = around.world.trust.security(around.cipher, instance, elapsed)
        broker = Broker(self.estate, self.name, self.store, self._choices, self._limits.settings, security)
        self._processes = (broker.remembered, RememberedConversations())
        if self._limits.forwarded is not None:
            broker.forwarder = Forwarder(ForwarderLimits(self._limits.forwarded))
        return broker

    def stop(self, why: str) -> None:
        """Stop the broker; everything in its memory is lost."""
        if self._broker is not None:
            self._broker = None
            self._inbox.clear()
            self._alarm = None
            self._around.history.add(BrokerStopped(self._around.agenda.now, self.name, why))

    def renew(self, database: str, estate: Estate) -> None:
        """Restart with an estate in which a database has a new broker, and delete its conversations (NEW_BROKER)."""
        self.estate = estate
        could_crash, self.store.can_crash = self.store.can_crash, False
        self.store.forget_claims()
        self.store.moment = self._around.agenda.now
        remove_conversations(self._made(), database, self._around.ledger.living(self.name, database), self.now)
        self.store.can_crash = could_crash
        self.start(estate)

    def err_conversations(self, database: str, estate: Estate) -> None:
        """Restart with an estate in which a database's broker is enabled, and end its conversations with an error."""
        could_crash, self.store.can_crash = self.store.can_crash, False
        self.start(estate)
        handles = self._around.ledger.living(self.name, database)
        self._around.history.add(ConversationsErred(self._around.agenda.now, self.name, database))

        def act(broker: Broker) -> None:
            work = broker.work(ClaimRequest(handles=handles), self.now)
            error_conversations(work, handles)
            broker.commit(work)

        self._do(act)
        self.store.can_crash = could_crash

    def _queues(self) -> list[QueueKey]:
        databases = self.estate.instances[self.name].databases.values()
        return [(database.name, s.queue) for database in databases for s in database.services if s.queue is not None]

    def _do(self, act: Callable[[Broker], object]) -> bool:
        """Let the broker act. False: it crashed before the commit was durable."""
        broker = self._broker
        assert broker is not None, "a broker that is up"
        self.store.moment = self._around.agenda.now
        try:
            act(broker)
            self._give_out(broker)
        except SimulatedCrash as died:
            self.stop(f"{died.crash.name}, {'after' if died.crash.is_written else 'before'} a commit")
            self._around.agenda.after(died.crash.down, self.start)
            return died.crash.is_written
        except Exception as error:  # noqa: BLE001 - whatever a broker raises is a finding, and the world goes on
            self._around.history.add(BrokerBroke(self._around.agenda.now, self.name, _error_text(error)))
            self.stop("broke")
            return False
        return True

    def _give_out(self, broker: Broker) -> None:
        agenda, history = self._around.agenda, self._around.history
        for outbound in broker.frames_to_send(self.now):
            self._around.network.send(self.name, self.now, outbound.address, outbound.frame)
        if events := broker.events():
            history.add(EventsReported(agenda.now, self.name, tuple(events)))
        if broker.forwarder.waiting():
            agenda.after(FORWARD_PAUSE_MS, self._forward_more, self._life)
        self._set_alarm(broker.next_timer())
        filled, self._filled = self._filled, {}
        for queue in filled:
            self._around.woken(self.name, queue)

    def _forward_more(self, life: int) -> None:
        """Send more forwarded frames: the transport accepts them again."""
        if life == self._life and self._broker is not None:
            self._do(lambda broker: None)

    # ------------------------------------------------------------ what happens by itself

    def _set_alarm(self, reading: int | None) -> None:
        if reading is None:
            self._alarm = None
            return
        now = self._around.agenda.now
        moment = max(self._clock.shows(reading), now + MIN_ALARM_INTERVAL_MS if self._has_rung == now else now)
        if self._alarm is not None and now <= self._alarm <= moment:
            return  # the earlier alarm fires first and is set again
        self._alarm = moment
        self._around.agenda.at(moment, self._ring, self._life, moment)

    def _ring(self, life: int, moment: int) -> None:
        broker = self._broker
        if broker is None or life != self._life or moment != self._alarm:
            return
        self._alarm = None
        self._has_rung = moment
        before = broker.next_timer()
        self._do(lambda broker: broker.handle_timer(self.now))
        if self.is_up and before is not None and broker.next_timer() == before:
            self._spins += 1
            if self._spins == MAX_SPINS:
                self._around.history.add(
                    BrokerBroke(self._around.agenda.now, self.name, "asks for the same moment for ever")
                )
                self.stop("spins")
                self._spins = 0
        else:
            self._spins = 0

    def arrive(self, flying: FrameInFlight) -> None:
        """Receive a frame from the network; it is lost if the broker is down."""
        if self._broker is None:
            self._around.history.add(FrameLost(self._around.agenda.now, flying.number, f"{self.name} is down"))
            return
        self._inbox.append(flying)
        if len(self._inbox) == 1:
            self._around.agenda.after(self._chance.below(GATHER_MS), self._take_in, self._life)

    def _take_in(self, life: int) -> None:
        if life != self._life or self._broker is None:
            return
        inbox, self._inbox = self._inbox, []
        moment = self._around.agenda.now
        for flying in inbox:
            self._around.history.add(
                FrameArrived(moment, self.name, self.now, flying.number, flying.damage, flying.harm)
            )
        frames = [flying.raw for flying in inbox]
        self._do(lambda broker: broker.receive(frames, self.now))

    def _written(self, changes: ChangeSet, record: Committed) -> None:
        around = self._around
        around.history.add(record)
        around.ledger.apply(record)
        around.history.extend([*self._saying, *self._hearing(changes.received)])
        for message in changes.enqueued:
            self._filled[message.queue_key] = None
        self._filled.update((queue, None) for queue, is_on in changes.queues.items() if is_on)

    # ------------------------------------------------------------ applications

    def transact(
        self,
        wanted: ClaimRequest,
        act: TransactionBody,
        done: TransactionCallback,
        open_for: int = 0,
        *,
        is_send: bool = False,
    ) -> None:
        """Run an application's transaction. `open_for`: milliseconds until its commit. `is_send`: it only sends."""
        if self._broker is None:
            done(GONE)
            return
        self._broker.remembered = self._memory.pick(self._processes)
        if is_send and not open_for and self._memory.happens(self._remembers):
            how = self._appended(wanted.handles[0], act)
            if how:
                done(how)
                return
        work = self._broker.work(wanted, self.now)
        if work.batch.busy:
            self._broker.release(work)
            done(BUSY)
            return
        self._acted(work, lambda: act(work), done, open_for)

    def _appended(self, handle: str, act: TransactionBody) -> str:
        """Send on a conversation as it was seen last; return how it ended, "" where it has to be claimed."""
        assert self._broker is not None, "a broker that is up"
        work = self._broker.remembered_work(handle, self.now)
        try:
            records = act(work) if work is not None else None
        except VerbError:
            return ""
        if work is None or records is None:
            return ""
        outcomes: list[AppendOutcome | None] = []
        self._saying = records
        at_once = self._hurry.happens(self._at_once)
        is_written = self._do(lambda broker: outcomes.append(self._added(broker, work, handle, at_once)))
        self._saying = ()
        if outcomes == [None]:
            return ""
        return COMMITTED if is_written else GONE

    def _added(self, broker: Broker, work: UnitOfWork, handle: str, at_once: bool) -> AppendOutcome | None:
        """Commit a SEND without a claim: as the last one was answered, or as the engine has answered this one."""
        if len(work.changes.outgoing) == 1 and self._repetition.happens(self._repeats):
            (message,) = work.changes.outgoing
            given = handle, message.message_type_name, message.message_body or b"", self.now
            outcome = broker.send_again(*given, at_once=at_once)
            if outcome is not None:
                return outcome
        return broker.append(work, at_once=at_once)

    def take(self, queue: QueueKey, top: int, hear: Hearing, take: Callable[[Sequence[QueuedMessage]], None]) -> str:
        """Run RECEIVE in a transaction of its own, without a claim, by the state of the instance as one of two
        processes has seen it last. Return how it ended, "" where it has to claim. `take` is called with messages that
        were received, also where the broker crashed after the commit.
        """
        if self._broker is None or not self._reading.happens(self._takes):
            return ""
        self._broker.remembered = self._reading.pick(self._processes)
        outcomes: list[ClaimedBatch | None] = []
        received: list[QueuedMessage] = []

        def heard(messages: Sequence[QueuedMessage]) -> Sequence[Record]:
            received.extend(messages)
            return hear(messages)

        self._hearing = heard
        is_written = self._do(lambda broker: outcomes.append(broker.take(ReceiveRequest(queue, top), self.now)))
        self._hearing = lambda messages: ()
        if outcomes == [None]:
            return ""
        if received:
            take(received)
        return GONE if not is_written else COMMITTED if received else EMPTY

    def transact_received(
        self, queue: QueueKey, top: int, act: ReceiveBody, done: TransactionCallback, open_for: int = 0
    ) -> None:
        """Run RECEIVE and the application's reaction in one transaction."""
        if self._broker is None:
            done(GONE)
            return
        first = self._broker.work(ClaimRequest(receive=ReceiveRequest(queue, top)), self.now)
        if not first.batch.received:
            self._broker.release(first)
            done(EMPTY)
            return
        handles = tuple({message.conversation_handle: None for message in first.batch.received})
        request = ReceiveRequest(queue, top, group=first.batch.received_group)
        work = self._broker.work(ClaimRequest(handles=handles, receive=request, token=first.batch.token), self.now)
        if work.batch.busy:
            self._broker.release(work)
            done(BUSY)
            return
        self._acted(work, lambda: act(work, receive(work, request)), done, open_for)

    def _acted(
        self, work: UnitOfWork, act: Callable[[], Sequence[Record] | None], done: TransactionCallback, open_for: int
    ) -> None:
        assert self._broker is not None, "a broker that is up"
        try:
            records = act()
        except VerbError:
            self._broker.release(work)
            done(REFUSED)
            return
        if records is None:
            self._broker.release(work)
            done(ROLLED_BACK)
        elif open_for:
            self.open += 1
            self._around.agenda.after(open_for, self._close, self._life, work, records, done)
        else:
            self._commit(self._life, work, records, done, at_once=self._hurry.happens(self._at_once))

    def _close(self, life: int, work: UnitOfWork, records: Sequence[Record], done: TransactionCallback) -> None:
        self.open -= 1
        self._commit(life, work, records, done)

    def _commit(
        self,
        life: int,
        work: UnitOfWork,
        records: Sequence[Record],
        done: TransactionCallback,
        *,
        at_once: bool = False,
    ) -> None:
        if life != self._life or self._broker is None:
            done(GONE)
            return
        conflicts: list[Conflict] = []

        def commit(broker: Broker) -> None:
            if at_once:
                broker.send_at_once(work)
            try:
                broker.commit(work)
            except Conflict as conflict:
                conflicts.append(conflict)

        self._saying = records
        is_written = self._do(commit)
        self._saying = ()
        done(ROLLED_BACK if conflicts else COMMITTED if is_written else GONE)


def _error_text(error: Exception) -> str:
    """Return the exception and the innermost engine frame that raised it."""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if "simulation" not in code.co_filename:
            place = f"{code.co_filename.rpartition('/routing/')[2]}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error} ({place})"
