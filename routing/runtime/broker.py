"""One running instance: takes conversations from a store, runs the dialog protocol on them, and asks the routing rules
where their messages go.

Only here the dialog protocol meets the routing rules. Time and random choices come in as arguments; nothing here
waits. A frame leaves only after the commit of the changes that it reports (ACK-5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from routing.adjacent.fragment import Fragment, read_fragment, rewrite_hop
from routing.adjacent.roles import RoleAnswer, RoleMessage, write_role
from routing.common.broker_events import Event
from routing.common.choices import Choices
from routing.common.names import MSDB
from routing.dialog import inbound_fragment, reassembly, route_request
from routing.dialog.appended_messages import AppendedMessages, AppendOutcome, appended_messages, leaving
from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.broker_context import (
    OutboundFrame,
    SendingSide,
)
from routing.dialog.control_messages import send_due_acks
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint, QueueKey
from routing.dialog.receive import receive
from routing.dialog.repeated_send import repeated_send
from routing.dialog.settings import DialogSettings
from routing.dialog.timers import fire_due, send_posted
from routing.dialog.transmission import TransmissionCache
from routing.dialog.unit_of_work import UnitOfWork
from routing.mirror.registry import PrincipalRegistry, answer_role_question, reply_address
from routing.mirror.state_machine import MirroredRoute, MirroredRouteKey
from routing.model.estate import Estate
from routing.rules.decision import ROUTE_REQUESTED, Deliver, Drop
from routing.runtime.decision_cache import STATUS_OF_REASON, DecisionCache, ForwardDecision
from routing.runtime.due_work import may_have_more_due
from routing.runtime.forwarding import MEGABYTE, NOT_FORWARDED, Forwarder, ForwarderLimits
from routing.runtime.inbound_frames import InboundFrames, addressed_endpoint, report_classified, report_no_target
from routing.runtime.remembered_conversations import RememberedAnswer, RememberedConversations
from routing.runtime.running_context import RunningBrokerContext, directory_of
from routing.runtime.store import OutdatedError, Store
from routing.security.instance_security import InstanceSecurity

DUE_CONVERSATIONS_PER_BATCH = 200
"""Conversations with something due that one batch handles at most."""
BYTES_AT_ONCE = 128 << 10
"""Bytes of bodies that leave with the commit of an application at most."""
POSTPONED_RETRY_MS = 100
"""Milliseconds after which fragments of conversations that another worker holds are tried again at the latest."""


class Broker:
    """A hosted instance."""

    def __init__(
        self,
        estate: Estate,
        instance: str,
        store: Store,
        choices: Choices,
        settings: DialogSettings | None = None,
        security: InstanceSecurity | None = None,
    ) -> None:
        self.instance = instance
        self.store = store
        self.choices = choices
        self.settings = settings or DialogSettings()
        self.security = security or InstanceSecurity()
        self.transmissions = TransmissionCache(self.settings.transmission_bytes)
        self.forwarder = Forwarder(_limits(estate, instance))
        addresses = estate.instances[instance].addresses
        self.principals = PrincipalRegistry(choices, reply_address(addresses))
        self.remembered = RememberedConversations()
        self._mirrored: Mapping[MirroredRouteKey, MirroredRoute] = {}
        self._outbound: list[OutboundFrame] = []
        self._events: list[tuple[int, Event]] = []
        self._filled: set[QueueKey] = set()
        self._postponed: list[bytes] = []
        self._postponed_bytes = 0
        self._again_at = 0
        self.change_estate(estate)

    def change_estate(self, estate: Estate) -> None:
        """Use another version of the estate. Call `retry_all` afterwards, so that waiting messages are routed again."""
        self.estate = estate
        databases = estate.instances[self.instance].databases.values()
        self.directories: Mapping[str, Directory] = {database.name: directory_of(database) for database in databases}
        self.decisions = DecisionCache(estate, self.instance, self.directories, self.choices, self.principals)

    # ------------------------------------------------------------ units of work

    def work(self, wanted: ClaimRequest, now_ms: int) -> UnitOfWork:
        """Claim, and begin to work on it. Afterwards `commit` or `release`; `Batch.busy` has conversations
        that other workers hold."""
        return self._work_on(self.store.claim(wanted, now_ms), now_ms)

    def _work_on(self, batch: ClaimedBatch, now_ms: int) -> UnitOfWork:
        self.remembered.saw(batch)
        if batch.mirrored is not self._mirrored:
            self._mirrored = batch.mirrored
            self.principals.learn(batch.mirrored.values())
        return UnitOfWork(batch, now_ms, self.choices, RunningBrokerContext(self, now_ms))

    def commit(self, work: UnitOfWork) -> None:
        """Commit all changes durably. Raises `routing.runtime.store.Conflict` if the store wrote none of them."""
        route_request.settle_requests(work)
        changes = work.change_set()
        flushed = changes.transmissions = self.transmissions.to_flush()
        self._commit(work, changes)
        self.transmissions.put(work.transmissions.values())
        self.transmissions.forget(changes.removed)
        self.remembered.learn(changes)
        self.transmissions.flushed(flushed)
        self._outbound += work.outbound
        self._filled.update({(message.database, message.queue) for message in changes.enqueued})
        self._events += [(work.now_ms, event) for event in changes.events]

    def remembered_work(self, handle: str, now_ms: int) -> UnitOfWork | None:
        """Begin to work on a conversation as it was seen last, without a claim; then `append`. None: it is not
        remembered."""
        batch = self.remembered.batch(handle)
        return UnitOfWork(batch, now_ms, self.choices, RunningBrokerContext(self, now_ms)) if batch else None

    def append(self, work: UnitOfWork, *, at_once: bool) -> AppendOutcome | None:
        """Commit a unit of work on a remembered conversation, if it only adds messages for the network, and the
        conversation is still as it is remembered. None: nothing has happened, and the caller claims it.

        `at_once`: the messages leave with the commit if they can; the outcome says whether they do.
        """
        appended = appended_messages(work)
        if appended is not None and at_once and self._is_small(work):
            appended = leaving(work, appended)
        outcome = None if appended is None or self.principals.has_used() else self.store.append(appended)
        if appended is None or outcome is None:
            self.remembered.forget(*work.batch.endpoints)
            return None
        self.remembered.appended(appended, outcome, self._answer(work, appended) if outcome.have_left else None)
        self._outbound += work.outbound if outcome.have_left else ()
        self._report_appended(appended, outcome)
        return outcome

    def send_again(
        self, handle: str, message_type: str, body: bytes, now_ms: int, *, at_once: bool
    ) -> AppendOutcome | None:
        """Commit a SEND of one message as the engine has answered the last one on a remembered conversation, without
        asking it. None: nothing has happened, and the caller asks it (`remembered_work`). `at_once`: as of `append`."""
        found = self.remembered.answered(handle, message_type, self._basis(), now_ms)
        if found is None or not found[1].fits(found[0], body, now_ms):
            return None
        endpoint, repeated = found
        appended = repeated.appended(endpoint, body, now_ms, self.choices if at_once else None)
        outcome = self.store.append(appended)
        if outcome is None:
            self.remembered.forget(handle)
            return None
        self.remembered.sent_again(appended, outcome)
        if outcome.have_left:
            self._outbound.append(repeated.frame(appended))
        self._report_appended(appended, outcome)
        return outcome

    def _report_appended(self, appended: AppendedMessages, outcome: AppendOutcome) -> None:
        events = (*appended.events, *(appended.leaving_events if outcome.have_left else ()))
        self._events += [(appended.now_ms, event) for event in events]

    def _answer(self, work: UnitOfWork, appended: AppendedMessages) -> RememberedAnswer | None:
        """Return the answer to the SEND of a message that has left; None if it may not be repeated."""
        repeated = repeated_send(work, appended)
        certain = self.decisions.certain_between(appended.before, work.now_ms, work.batch.requests)
        return None if repeated is None or certain is None else RememberedAnswer(repeated, self._basis(), *certain)

    def _basis(self) -> tuple[object, ...]:
        """Return all that an answer of the engine is made from beside its conversation; each is replaced as a whole."""
        return self.decisions, self.security, self.remembered.instance

    def take(self, request: ReceiveRequest, now_ms: int) -> ClaimedBatch | None:
        """Receive and commit without a claim, by the state of the instance as it was seen last. None: nothing has
        happened, and the caller claims; the claim also raises the error for the application, if there is one."""
        known = self.remembered.instance
        batch = None if known is None or self._retains(request.queue) else self.store.take(request, known, now_ms)
        if batch is not None:
            work = UnitOfWork(batch, now_ms, self.choices, RunningBrokerContext(self, now_ms))
            receive(work, request)
            self._events += [(now_ms, event) for event in work.changes.events]
        return batch

    def _retains(self, queue: QueueKey) -> bool:
        """Whether messages stay in a queue when they are received; the store makes sure that the estate is the same."""
        return self.directories[queue[0]].retains(queue[1])

    def send_at_once(self, work: UnitOfWork) -> None:
        """Send the messages that the application posted with its commit, by the current routes.

        A message of several fragments leaves when it is due, and so do messages of more than `BYTES_AT_ONCE`."""
        if self._is_small(work):
            send_posted(work)

    def _is_small(self, work: UnitOfWork) -> bool:
        sizes = [len(one.message_body or b"") for one in work.changes.outgoing]
        return max(sizes, default=0) <= self.settings.fragment_bytes and sum(sizes) <= BYTES_AT_ONCE

    def _commit(self, work: UnitOfWork, changes: ChangeSet) -> None:
        """Commit with the changes of mirrored routes; messages that wait for a principal found now become due."""
        self.principals.handle(work.now_ms)
        frames, events = self.principals.frames(), self.principals.events()
        changes.mirrored = self.principals.changed()
        if events:
            changes.events += events
            found = {event.service for event in events if event.principal}
            changes.retry_services |= {(database, service) for database in self.directories for service in found}
        try:
            self.store.commit(changes)
        except BaseException:
            self.principals.take_back(frames, events, changes.mirrored)
            raise
        work.outbound += [OutboundFrame(*frame) for frame in frames]

    def release(self, work: UnitOfWork) -> None:
        """Give the claim back; nothing of the work has happened."""
        self.store.release(work.batch.token)

    @contextmanager
    def _or_release(self, work: UnitOfWork) -> Iterator[None]:
        """Release the claim if anything raises before the commit."""
        try:
            yield
        except BaseException:
            self.release(work)
            raise

    # ------------------------------------------------------------ frames from peers

    def receive(self, frames: Sequence[bytes], now_ms: int, *, is_async_commit: bool = False) -> None:
        """Keep, forward or drop fragments of any peers, in any order, damaged or not; answer and learn roles (MIR-2).

        `is_async_commit`: the frames of `frames_to_send` leave only after `Store.flush` then (ACK-5).
        Raises `routing.runtime.store.Conflict`: none of them was kept, and their senders will send them again.
        """
        came, self._postponed, self._postponed_bytes = [*self._postponed, *frames], [], 0
        arrivals = InboundFrames(came)
        if not self._is_taken_as_recalled(arrivals, now_ms, is_async_commit):
            wanted = ClaimRequest(conversations=arrivals.conversations())
            self._take_all(self.work(wanted, now_ms), arrivals, is_async_commit)
        self._note_forwarded(now_ms)

    def _is_taken_as_recalled(self, arrivals: InboundFrames, now_ms: int, is_async_commit: bool) -> bool:
        """Take the arrivals of conversations as the store has left them, without a claim. False: nothing has happened,
        and the caller claims."""
        if arrivals.role_messages or self.transmissions.to_flush():
            return False
        batch = self.store.recall(arrivals.conversations(), now_ms)
        if batch is None:
            return False
        try:
            self._take_all(self._work_on(batch, now_ms), arrivals, is_async_commit)
        except OutdatedError:
            return False
        return True

    def _take_all(self, work: UnitOfWork, arrivals: InboundFrames, is_async_commit: bool) -> None:
        """Commit what the arrivals change; what they have forwarded leaves after that."""
        with self._or_release(work):
            for corrupted in arrivals.damaged:
                inbound_fragment.report_corrupted(work, "", "", corrupted)
            for message in arrivals.role_messages:
                self._hear(work, message)
            onward = [(fragment, self._take(work, fragment)) for fragment in arrivals.in_order()]
            work.changes.is_async_commit = is_async_commit
            self._finish(work, comes_again=True)
        for fragment, way in onward:
            if way is not None:
                self._forward(fragment, way, work.now_ms)

    def _hear(self, work: UnitOfWork, message: RoleMessage) -> None:
        if isinstance(message, RoleAnswer):
            self.principals.hear(message, work.now_ms)
        elif message.reply_to:
            answered = write_role(answer_role_question(self.estate, self.instance, message))
            work.outbound.append(OutboundFrame(message.reply_to, answered))

    def cannot_reach(self, address: str, now_ms: int) -> None:
        """The caller could not connect to an address, or its connection broke (MIR-3)."""
        self.principals.cannot_reach(address, now_ms)
        self.commit(self.work(ClaimRequest(), now_ms))

    def _take(self, work: UnitOfWork, fragment: Fragment) -> ForwardDecision | None:
        """Return the way of a fragment that is for others."""
        key = addressed_endpoint(fragment)
        if key in work.batch.busy:
            self._postpone(fragment, work.now_ms)
            return None
        endpoint = work.by_key(key)
        onward = self._onward(work, fragment, endpoint)
        decision = onward.decision
        if isinstance(decision, Deliver):
            report_classified(work, fragment, decision)
            inbound_fragment.receive_fragment(work, self.directories[decision.database], fragment, endpoint)
        elif isinstance(decision, Drop) and decision.reason not in NOT_FORWARDED:
            if decision.reason == ROUTE_REQUESTED:
                names = fragment.header.names
                work.missing_routes.setdefault((MSDB, names.to_service), names.to_broker_instance)
            report_no_target(work, fragment, STATUS_OF_REASON[decision.reason])
        else:
            return onward
        return None

    def _onward(self, work: UnitOfWork, fragment: Fragment, endpoint: Endpoint | None) -> ForwardDecision:
        header = fragment.header
        names = header.names
        sender = SendingSide("", names.to_service, names.to_broker_instance, header.is_initiator)
        holding_it = endpoint.database if endpoint is not None else None
        return self.decisions.onward(sender, holding_it, header.hops_remaining, work.now_ms, work.batch.requests)

    def _forward(self, fragment: Fragment, onward: ForwardDecision, now_ms: int) -> None:
        header = fragment.header
        if onward.hops != header.hops_remaining:  # it has been here more than once (LOOP-2)
            fragment = read_fragment(rewrite_hop(fragment.raw, onward.hops, header.time_consumed))
        assert not isinstance(onward.decision, Deliver), "it is for others"
        self.forwarder.forward(fragment, onward.decision, now_ms)

    def _postpone(self, fragment: Fragment, now_ms: int) -> None:
        """Keep a fragment whose conversation another worker holds for the next call, unless too many bytes wait."""
        if self._postponed_bytes + len(fragment.raw) <= self.settings.postponed_bytes:
            self._postponed.append(fragment.raw)
            self._postponed_bytes += len(fragment.raw)
            self._again_at = now_ms + POSTPONED_RETRY_MS

    # ------------------------------------------------------------ time

    def handle_timer(self, now_ms: int) -> None:
        """Do everything that is due."""
        while self.turn(now_ms):
            pass

    def turn(self, now_ms: int, limit: int = DUE_CONVERSATIONS_PER_BATCH) -> bool:
        """Do the due work of at most `limit` conversations; True: more may be due that no other worker holds.

        May be called at any time, by any number of processes.
        """
        self.forwarder.handle_timer(now_ms)
        self._note_forwarded(now_ms)
        if self._postponed and self._again_at <= now_ms:
            self.receive((), now_ms)
        asking = self.principals.next_timer()
        work = self.work(ClaimRequest(due=limit), now_ms)
        if not work.batch.due and (asking is None or asking > now_ms):
            self.release(work)
            return False
        with self._or_release(work):
            self._finish(work)
        return may_have_more_due(work, limit)

    def next_timer(self) -> int | None:
        """When `handle_timer` is due next; None: nothing is scheduled."""
        moments = [self.store.next_due(), self.forwarder.next_timer(), self.principals.next_timer()]
        moments += [self._again_at] if self._postponed else []
        return min((moment for moment in moments if moment is not None), default=None)

    def _finish(self, work: UnitOfWork, *, comes_again: bool = False) -> None:
        """Reassemble arrived fragments, do the due work, send the acknowledgements that are due, and commit it all.

        `comes_again`: peers send again what they hear no answer to. A commit that keeps no message and answers nothing
        may then be lost, and does not wait for the disk: its locks are held for half of the time.
        """
        for handle in work.batch.due:
            if (endpoint := work.get(handle)) is not None:
                reassembly.mark_if_ready(work, endpoint)
        if wanted := reassembly.bodies_needed(work):
            more = self.store.claim(ClaimRequest(bodies=wanted, token=work.batch.token), work.now_ms)
            work.batch.bodies = more.bodies
        reassembly.release_ready(work)
        fire_due(work)
        send_due_acks(work)
        if comes_again and not work.outbound and not work.changes.enqueued:
            work.changes.is_async_commit = True
        self.commit(work)

    def retry_all(self, now_ms: int) -> None:
        """Make all waiting conversations due: routes have changed, or an address can be reached again (MATCH-7)."""
        work = self.work(ClaimRequest(), now_ms)
        work.changes.retry_all = True
        self.commit(work)

    # ------------------------------------------------------------ what goes out

    def frames_to_send(self, now_ms: int) -> list[OutboundFrame]:
        """Frames of committed work since the last call, and fragments to forward, each with its address."""
        given, self._outbound = self._outbound, []
        if self.forwarder.has_news:
            given += self._forwarded(now_ms)
        return given

    def _forwarded(self, now_ms: int) -> list[OutboundFrame]:
        if not self.estate.instances[self.instance].forwarding:
            self.forwarder.abandon(now_ms)
        room = self.settings.room
        given = [
            OutboundFrame(address, raw)
            for address in self.forwarder.waiting()
            for raw in self.forwarder.take(address, room, now_ms)
        ]
        self._note_forwarded(now_ms)
        return given

    def events(self) -> list[tuple[int, Event]]:
        """Events since the last call, each with its time in milliseconds."""
        given, self._events = self._events, []
        return given

    def filled(self) -> set[QueueKey]:
        """Queues that received messages since the last call."""
        given, self._filled = self._filled, set()
        return given

    def _note_forwarded(self, now_ms: int) -> None:
        self._events += [(now_ms, event) for event in self.forwarder.events()]


def _limits(estate: Estate, instance: str) -> ForwarderLimits:
    endpoint = estate.instances[instance].endpoint
    return ForwarderLimits(endpoint.forward_size * MEGABYTE) if endpoint else ForwarderLimits()
