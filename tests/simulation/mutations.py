"""The engine, broken on purpose: what each mutation does, and the promise that has to be found broken.

A mutation replaces a piece of the engine where the engine looks it up, for as long as its context lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple
from unittest.mock import patch

from routing.adjacent.fragment import AckRange, Fragment, Header, rewrite_hop
from routing.adjacent.guard import TAG_BYTES
from routing.common.choices import Choices
from routing.common.event_subclasses import ConversationSubclass
from routing.common.identifier import identifier_of
from routing.common.retry import retry_delay_ms
from routing.dialog import (
    control_messages,
    end_conversation,
    error_conversations,
    fragment_writer,
    inbound_fragment,
    inbound_message,
    outbound,
    poison_messages,
    reassembly,
    retransmission,
    send,
)
from routing.dialog import (
    unit_of_work as work,
)
from routing.dialog.appended_messages import AppendedMessages
from routing.dialog.broker_context import OutboundFrame, SendingSide
from routing.dialog.directory import Directory
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import QueuedMessage
from routing.dialog.received_ranges import record_fragment
from routing.dialog.repeated_send import RepeatedSend
from routing.dialog.states import CD
from routing.dialog.unit_of_work import UnitOfWork
from routing.mirror.registry import PrincipalRegistry
from routing.model import estate
from routing.runtime import broker, decision_cache, forwarding
from routing.runtime.broker import Broker
from routing.security.instance_security import InstanceSecurity
from routing.simulation import applications, poison_handling
from routing.simulation import simulated_broker as host
from routing.simulation.cipher import SimulatedAead
from routing.simulation.memory_queue import MemoryQueue
from routing.simulation.memory_store import MemoryStore

Patches = Iterator[tuple[Any, str, Any]]
"""Whose attribute, which, and what it is for the time being."""


class Mutation(NamedTuple):
    name: str
    patches: Callable[[], Patches]
    promise: str = ""
    """That has to be found broken; empty: whichever is."""

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The engine is broken in this one way."""
        applied = [patch.object(where, name, value) for where, name, value in self.patches()]
        for one in applied:
            one.start()
        try:
            yield
        finally:
            for one in reversed(applied):
                one.stop()


MUTATIONS: list[Mutation] = []


def mutation(patches: Callable[[], Patches]) -> Callable[[], Patches]:
    MUTATIONS.append(Mutation(patches.__name__.replace("_", " "), patches))
    return patches


def breaking(promise: str) -> Callable[[Callable[[], Patches]], Callable[[], Patches]]:
    def register(patches: Callable[[], Patches]) -> Callable[[], Patches]:
        MUTATIONS.append(Mutation(patches.__name__.replace("_", " "), patches, promise))
        return patches

    return register


# ------------------------------------------------------------------------------------------------ SEND without a claim
@mutation
def append_messages_that_are_never_due() -> Patches:
    onto = AppendedMessages.onto

    def as_before(appended: AppendedMessages, stored: Endpoint) -> Endpoint:
        after = onto(appended, stored)
        after.ready_since, after.due = stored.ready_since, stored.due
        return after

    yield AppendedMessages, "onto", as_before


@mutation
def send_the_frames_of_messages_that_were_not_appended() -> Patches:
    real = Broker.append

    def append(self: Broker, work: UnitOfWork, *, at_once: bool) -> Any:
        outcome = real(self, work, at_once=at_once)
        if outcome is None:
            self._outbound += work.outbound
        return outcome

    yield Broker, "append", append


@mutation
def repeat_a_send_with_the_frame_of_another_number() -> Patches:
    frame = RepeatedSend.frame

    def of_the_next(answer: RepeatedSend, appended: AppendedMessages) -> OutboundFrame:
        (message,) = appended.messages
        later = message._replace(message_sequence_number=message.message_sequence_number + 1)
        return frame(answer, replace(appended, messages=(later,)))

    yield RepeatedSend, "frame", of_the_next


# --------------------------------------------------------------------------------------------- RECEIVE without a claim
@breaking("queues-off")
def take_by_what_was_known_of_the_instance() -> Patches:
    yield MemoryStore, "_is_known", lambda store, known, batch: True


@breaking("once-in-order")
def take_and_leave_in_the_queue() -> Patches:
    real = MemoryStore.take

    def take(store: MemoryStore, *request: Any) -> Any:
        with patch.object(MemoryQueue, "take"):
            return real(store, *request)

    yield MemoryStore, "take", take


@breaking("retained-until-the-end")
def take_from_a_queue_that_retains() -> Patches:
    yield Broker, "_retains", lambda broker, queue: False


# ------------------------------------------------------------------------------------------------ acknowledgements
@mutation
def acknowledge_before_the_commit() -> Patches:
    real = Broker.commit

    def commit(self: Broker, work: UnitOfWork) -> Any:
        """Send the frames at once, whether the commit happens or not."""
        host = self.store._written.__self__  # type: ignore[attr-defined] - the bound method has its host
        for address, frame in work.outbound:
            host._around.network.send(host.name, host.now, address, frame)
        work.outbound.clear()
        return real(self, work)

    yield Broker, "commit", commit


@mutation
def acknowledge_what_was_corrupted() -> Patches:
    def opened(fragment: Fragment, guard: Any) -> bytes:
        return fragment.raw[fragment.body_at : fragment.body_at + fragment.body_size]

    yield inbound_fragment, "open_fragment", opened


@mutation
def acknowledge_the_gaps_too() -> Patches:
    real = control_messages.ack_ranges

    def mutated_ranges(received: Any) -> tuple[Any, ...]:
        ranges = real(received)
        return ((*ranges[0][:2], *ranges[-1][2:]),) if ranges else ()

    yield control_messages, "ack_ranges", mutated_ranges
    yield retransmission, "ack_ranges", mutated_ranges


@mutation
def take_any_acknowledgement_as_one_of_everything() -> Patches:
    real = inbound_fragment.receive_ack

    def take(work: UnitOfWork, endpoint: Endpoint, ranges: Any, kind: Any) -> bool:
        if endpoint.transmitted:
            ranges = (AckRange(0, 0, endpoint.transmitted - 1, (1 << 20) - 1),)
        return real(work, endpoint, ranges, kind)

    yield inbound_fragment, "receive_ack", take


@breaking("acknowledged-for-good")
def forget_with_each_batch_what_was_discarded() -> Patches:
    def discard(work: UnitOfWork, endpoint: Endpoint, header: Header) -> None:
        """Acknowledge it, and keep no account."""
        received = work.received_ranges(endpoint)
        *_, received = record_fragment(received, header.sequence, header.fragment, header.fragments, header.sequence)
        work.set_received(endpoint, received)
        work.acks_due[endpoint.conversation_handle] = None

    yield inbound_fragment, "discard", discard


@breaking("acknowledged-for-good")
def lose_with_the_end_the_account_of_what_was_held() -> Patches:
    yield end_conversation, "empty_queue_of_ended", lambda work, endpoint: work.empty_queue(endpoint)


@mutation
def remove_before_it_is_acknowledged() -> Patches:
    real = retransmission.schedule_next_attempt

    def schedule(work: UnitOfWork, endpoint: Endpoint) -> None:
        if endpoint.sending_sequence > endpoint.acknowledged_sequence:
            work.mark_acknowledged(endpoint, endpoint.sending_sequence)
        real(work, endpoint)

    yield retransmission, "schedule_next_attempt", schedule


# ------------------------------------------------------------------------------------------------ once, in order
@mutation
def forget_a_duplicate() -> Patches:
    real = inbound_fragment._receive_sequenced

    def take(work: UnitOfWork, here: Any, endpoint: Endpoint, header: Any, message: Any, guard: Any) -> None:
        if header.sequence < endpoint.receive_sequence and header.fragments == 1 and endpoint.state == "CO":
            inbound_fragment.deliver(work, here, work.for_update(endpoint), message)
        else:
            real(work, here, endpoint, header, message, guard)

    yield inbound_fragment, "_receive_sequenced", take


@mutation
def ignore_the_expected_sequence() -> Patches:
    real = inbound_fragment._accept

    def keep(work: UnitOfWork, here: Any, endpoint: Endpoint, header: Any, message: Any) -> None:
        if header.fragments == 1 and not work.is_queue_off(endpoint.queue_key):
            inbound_fragment.deliver(work, here, work.for_update(endpoint), message)
            work.acks_due[endpoint.conversation_handle] = None
        else:
            real(work, here, endpoint, header, message)

    yield inbound_fragment, "_accept", keep


@mutation
def deliver_a_part_as_the_whole() -> Patches:
    real = inbound_fragment._accept

    def keep(work: UnitOfWork, here: Any, endpoint: Endpoint, header: Any, message: Any) -> None:
        is_next = header.sequence == endpoint.receive_sequence and not work.is_queue_off(endpoint.queue_key)
        if header.fragments > 1 and header.fragment == 0 and is_next:
            inbound_fragment.deliver(work, here, work.for_update(endpoint), message)
        else:
            real(work, here, endpoint, header, message)

    yield inbound_fragment, "_accept", keep


@mutation
def drop_a_part() -> Patches:
    real = inbound_fragment.buffer

    def hold(work: UnitOfWork, endpoint: Endpoint, header: Any, message: Any) -> None:
        if header.fragment != 1:
            real(work, endpoint, header, message)

    yield inbound_fragment, "buffer", hold


@mutation
def join_the_parts_in_the_order_of_their_coming() -> Patches:
    real = reassembly._all_fragments

    def fragments(work: UnitOfWork, handle: str, number: int) -> Any:
        return tuple(reversed(real(work, handle, number)))

    yield reassembly, "_all_fragments", fragments


@mutation
def reuse_a_sequence_number() -> Patches:
    real = outbound.enqueue

    def put(work: UnitOfWork, endpoint: Endpoint, *arguments: Any, **named: Any) -> None:
        if endpoint.send_sequence == 3:
            endpoint.send_sequence = 2
        real(work, endpoint, *arguments, **named)

    yield send, "enqueue", put


@mutation
def receive_without_taking_away() -> Patches:
    real = MemoryStore.commit

    def commit(self: Any, changes: Any) -> None:
        changes.received = changes.received[1:]
        real(self, changes)

    yield MemoryStore, "commit", commit


@mutation
def take_away_what_was_rolled_back() -> Patches:
    real = Broker.release

    def release(self: Broker, work: UnitOfWork) -> None:
        work.changes.received.extend(work.batch.received if not work.changes.received else ())
        if work.changes.received and work.batch.received:
            recording: Any = self.store
            # The world expects no crash where something is released.
            could_crash, recording.can_crash = recording.can_crash, False
            recording.commit(work.change_set())
            recording.can_crash = could_crash
        else:
            real(self, work)

    yield Broker, "release", release


# ------------------------------------------------------------------------------------------------ retention
@breaking("retained-until-the-end")
def retain_in_every_queue() -> Patches:
    yield Directory, "retains", lambda *_: True


@breaking("retained-until-the-end")
def retain_nothing_of_what_is_sent() -> Patches:
    yield send, "_retain", lambda *_: None


@breaking("retained-until-the-end")
def retain_beyond_the_end() -> Patches:
    real = MemoryQueue.empty

    def empty(self: Any, handle: str) -> None:
        kept = self.retained.get(handle)
        real(self, handle)
        if kept:
            self.retained[handle] = kept

    yield MemoryQueue, "empty", empty


@breaking("retained-until-the-end")
def go_on_with_retention_as_it_was_at_first() -> Patches:
    real = broker._directory
    first: dict[str, Any] = {}

    def directory(database: Any) -> Any:
        made = real(database)
        made._queues = first.setdefault(database.name, made._queues)
        return made

    yield broker, "_directory", directory


@breaking("once-in-order")
def receive_what_is_retained_again() -> Patches:
    real = MemoryQueue.take

    def take(self: Any, message: QueuedMessage) -> None:
        if message.conversation_handle not in self.retained:
            real(self, message)

    yield MemoryQueue, "take", take


# ------------------------------------------------------------------------------------------------ ended with an error
@breaking("erred-on-both-sides")
def end_no_conversation_with_an_error() -> Patches:
    yield host, "error_conversations", lambda work, handles: None


@breaking("erred-on-both-sides")
def end_with_an_error_and_tell_no_peer() -> Patches:
    yield error_conversations, "_tell_peer", lambda *_: None


# ------------------------------------------------------------------------------------------------ rollbacks
@breaking("once-in-order")
def count_a_rollback_and_lose_what_was_received() -> Patches:
    real = poison_messages.note_rollback

    def note(work: UnitOfWork, queue: Any) -> bool:
        of_it = work.context._broker  # type: ignore[attr-defined] - the mutation looks inside of the context
        work.changes.received += list(of_it.store.inner._queue(queue).messages.values())[:1]
        return real(work, queue)

    yield poison_handling, "note_rollback", note


@breaking("once-in-order")
def give_what_was_rolled_back_in_another_order() -> Patches:
    real_release, real_order = Broker.release, MemoryQueue.in_order
    given: set[tuple[str, int]] = set()

    def release(self: Broker, work: UnitOfWork) -> None:
        given.update((one.conversation_handle, one.message_sequence_number) for one in work.batch.received[:1])
        real_release(self, work)

    def in_order(self: Any, group: str, request: Any) -> Any:
        found = real_order(self, group, replace(request, top=None))
        return sorted(found, key=lambda one: (one.conversation_handle, one.message_sequence_number) in given)[
            : request.top
        ]

    yield Broker, "release", release
    yield MemoryQueue, "in_order", in_order


@breaking("rollbacks-counted")
def go_on_counting_rollbacks_after_a_commit() -> Patches:
    yield poison_handling, "note_commit", lambda work, queue: None


@breaking("rollbacks-counted")
def never_mind_rollbacks() -> Patches:
    yield poison_messages, "MAX_CONSECUTIVE_ROLLBACKS", 1000


# ------------------------------------------------------------------------------------------------ brokers of databases
@breaking("disabled-is-silent")
def send_from_a_disabled_broker() -> Patches:
    yield decision_cache, "_silent", lambda instance: {}


@breaking("disabled-is-silent")
def acknowledge_from_a_disabled_broker() -> Patches:
    """What it has, whenever anything comes."""
    real = Broker._take

    def take(self: Broker, work: UnitOfWork, fragment: Fragment) -> None:
        header = fragment.header
        endpoint = work.by_key((identifier_of(header.conversation_id), not header.is_initiator))
        if endpoint is not None and endpoint.database in self.decisions._silent:
            with patch.object(self.decisions, "_silent", {}):
                control_messages.send_ack(work, endpoint)
        else:
            real(self, work, fragment)

    yield Broker, "_take", take


@breaking("disabled-is-silent")
def take_what_comes_for_a_disabled_broker() -> Patches:
    yield estate.Database, "can_be_target", property(lambda self: self.mirroring_role != estate.MIRROR)


@breaking("disabled-is-silent")
def keep_the_conversations_of_an_old_broker() -> Patches:
    yield host, "remove_conversations", lambda broker, database, handles, now: None


@breaking("disabled-is-silent")
def go_by_the_identifier_of_an_old_broker() -> Patches:
    real = broker._directory
    first: dict[str, Any] = {}

    def directory(database: Any) -> Any:
        made = real(database)
        made.broker_instance = first.setdefault(database.name, made.broker_instance)
        return made

    yield broker, "_directory", directory


# ------------------------------------------------------------------------------------------------ queues that are off
@mutation
def forget_the_held_when_the_queue_comes_on() -> Patches:
    real = reassembly.mark_if_ready

    def look(work: UnitOfWork, endpoint: Endpoint) -> None:
        if endpoint.take_up_at is None:
            real(work, endpoint)

    yield reassembly, "mark_if_ready", look


@mutation
def ignore_that_a_queue_is_off() -> Patches:
    yield work.UnitOfWork, "is_queue_off", lambda self, queue: False


# ------------------------------------------------------------------------------------------------ sending again
@mutation
def never_send_again() -> Patches:
    real = retransmission.schedule_next_attempt

    def schedule(work: UnitOfWork, endpoint: Endpoint) -> None:
        real(work, endpoint)
        endpoint.next_attempt = None

    yield retransmission, "schedule_next_attempt", schedule


@mutation
def send_again_much_too_soon() -> Patches:
    yield retransmission, "retry_delay_ms", lambda failures, choices: 700


@mutation
def wait_always_as_at_first() -> Patches:
    def waiting(failures: int, choices: Choices) -> int:
        return retry_delay_ms(1, choices)

    yield retransmission, "retry_delay_ms", waiting


def _after_a_restart(delay_ms: Callable[[int], int]) -> Patches:
    """The delay before the next attempt, by the usual one, once a broker of the world was stopped."""
    real, stop = host.SimulatedBroker.start, host.SimulatedBroker.stop
    state = {"is_restarted": False}

    def started(broker: host.SimulatedBroker, estate_: estate.Estate | None = None) -> None:
        if broker._life == 0:  # another world begins
            state["is_restarted"] = False
        real(broker, estate_)

    def stopped(broker: host.SimulatedBroker, why: str) -> None:
        stop(broker, why)
        state["is_restarted"] = True

    def delay(failures: int, choices: Choices) -> int:
        usual = retry_delay_ms(failures, choices)
        return delay_ms(usual) if state["is_restarted"] else usual

    yield host.SimulatedBroker, "start", started
    yield host.SimulatedBroker, "stop", stopped
    yield retransmission, "retry_delay_ms", delay


@breaking("retry-rule")
def send_again_too_soon_after_a_restart() -> Patches:
    return _after_a_restart(lambda usual: usual // 2)


@mutation
def send_again_too_seldom_after_a_restart() -> Patches:
    return _after_a_restart(lambda usual: usual * 10_000)


# ------------------------------------------------------------------------------------------------ targets
@mutation
def skip_the_pin() -> Patches:
    yield inbound_fragment, "pin", lambda endpoint, identifier: True


@mutation
def forget_what_was_closed() -> Patches:
    """It comes to life again with the next copy of its first message."""
    real = inbound_message.close_endpoint

    def close(work: UnitOfWork, endpoint: Endpoint) -> None:
        if endpoint.state == CD:
            work.remove(endpoint)
        else:
            real(work, endpoint)

    for module in (inbound_message, retransmission, end_conversation):
        yield module, "close_endpoint", close


@mutation
def close_without_waiting() -> Patches:
    real = end_conversation.end_conversation

    def end(work: UnitOfWork, handle: str) -> None:
        real(work, handle)
        seen = work.get(handle)
        if seen is not None and seen.state == "DO":
            work.remove(work.for_update(seen))

    yield applications, "end_conversation", end


@mutation
def lose_what_was_held_when_a_commit_is_large() -> Patches:
    real = MemoryStore.commit

    def commit(self: Any, changes: Any) -> None:
        del changes.buffered[2:]
        real(self, changes)

    yield MemoryStore, "commit", commit


@mutation
def take_answers_of_strangers() -> Patches:
    yield inbound_fragment, "is_other_peer", lambda endpoint, identifier: False


# ------------------------------------------------------------------------------------------------ keys
@mutation
def send_plain_where_encryption_is_demanded() -> Patches:
    real = InstanceSecurity.protection

    def protection(self: InstanceSecurity, database: str, far_service: str, encryption: bool) -> Any:
        return real(self, database, far_service, False)

    yield InstanceSecurity, "protection", protection


@mutation
def seal_without_hiding_anything() -> Patches:
    yield SimulatedAead, "_mixed", lambda self, nonce, body: bytes(body)


@mutation
def open_whatever_the_tag_says() -> Patches:
    yield SimulatedAead, "open", lambda self, nonce, sealed, header: self._mixed(nonce, bytes(sealed[:-TAG_BYTES]))


@mutation
def protect_a_dialog_by_the_bindings_of_the_day() -> Patches:
    real = fragment_writer.guard_for

    def guard_of(work: UnitOfWork, endpoint: Endpoint) -> Any:
        if endpoint.is_initiator:
            endpoint.integrity = 0
        return real(work, endpoint)

    yield retransmission, "guard_for", guard_of


# ------------------------------------------------------------------------------------------------ limits
@mutation
def hold_without_a_limit() -> Patches:
    yield inbound_fragment, "_limit_exceeded", lambda work, endpoint, header, message: 0


@mutation
def forward_without_a_limit() -> Patches:
    real = forwarding.Forwarder._objection

    def objection(self: Any, held: Any) -> int:
        found = real(self, held)
        return 0 if found == forwarding.NO_MEMORY else found

    yield forwarding.Forwarder, "_objection", objection


# ------------------------------------------------------------------------------------------------ routing
@breaking("asked-once")
def ask_for_a_route_that_is_asked_for_and_forget_who_has_asked() -> Patches:
    """The store lets it, too."""
    real = decision_cache.DecisionCache.place
    yield decision_cache.DecisionCache, "place", lambda self, sender, now, pending: real(self, sender, now, ())
    yield MemoryStore, "_check", lambda self, changes: None


@mutation
def ask_for_a_route_that_is_asked_for() -> Patches:
    real = decision_cache.DecisionCache.place

    def place(self: Any, sender: Any, now: int, pending: Any) -> Any:
        return real(self, sender, now, ())

    yield decision_cache.DecisionCache, "place", place


@mutation
def send_to_the_silent_mirror() -> Patches:
    yield (
        PrincipalRegistry,
        "principals",
        lambda self, route, service, identifier: (route.address, route.mirror_address),
    )


@mutation
def forward_without_taking_off_a_hop() -> Patches:
    yield forwarding, "rewrite_hop", lambda raw, hops, consumed: rewrite_hop(raw, hops + 1, consumed)


@mutation
def ignore_the_hop_limit() -> Patches:
    real = decision_cache.DecisionCache.onward

    def onward(self: Any, sender: Any, database: Any, hops: int, *arguments: Any) -> Any:
        return real(self, sender, database, max(hops, 1), *arguments)

    yield decision_cache.DecisionCache, "onward", onward


@mutation
def use_routes_that_have_expired() -> Patches:
    yield decision_cache.DecisionCache, "_forget_what_expired", lambda self, now: None


@mutation
def choose_again_each_time() -> Patches:
    real = decision_cache.DecisionCache.place

    def place(self: Any, sender: Any, *arguments: Any) -> Any:
        forgetful = SendingSide(sender.database, sender.far_service, sender.far_broker_instance, sender.is_initiator)
        return real(self, forgetful, *arguments)

    yield decision_cache.DecisionCache, "place", place


@mutation
def send_by_the_table_of_msdb() -> Patches:
    real = decision_cache.DecisionCache._decisions

    def decisions(self: Any, sender: Any, database: Any, *arguments: Any) -> Any:
        return real(self, sender, None, *arguments)

    yield decision_cache.DecisionCache, "_decisions", decisions


# ------------------------------------------------------------------------------------------------ events
@mutation
def tell_events_twice() -> Patches:
    real = Broker.events
    yield Broker, "events", lambda self: 2 * real(self)


@mutation
def tell_nothing_of_sends() -> Patches:
    real = work.UnitOfWork.report

    def tell(
        self: UnitOfWork, subclass: ConversationSubclass, endpoint: Endpoint, number: int = -1, size: int = 0
    ) -> None:
        if subclass != ConversationSubclass.SEND_MESSAGE:
            real(self, subclass, endpoint, number, size)

    yield work.UnitOfWork, "report", tell
