"""A store that records every commit and crashes at the planned ones.

The broker does not notice the recording. Whatever is not in the inner store is lost with the broker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from routing.dialog.appended_messages import AppendedMessages, AppendOutcome, changes_of
from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import ConversationKey, Endpoint, QueueKey
from routing.dialog.messages import BufferedFragment, OutboundMessage, QueuedMessage
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE
from routing.runtime.store import OutdatedError, QueueDepth
from routing.simulation.application_records import body_of
from routing.simulation.memory_store import MemoryStore
from routing.simulation.records import Committed, EndpointSnapshot, KeptMessage, RetainedRow
from routing.simulation.world import PlannedCrash


class SimulatedCrash(Exception):
    """A broker's process crashes during a commit."""

    def __init__(self, crash: PlannedCrash) -> None:
        super().__init__(crash.name)
        self.crash = crash


class RecordingStore:
    """The store of a simulated broker."""

    def __init__(
        self, broker: str, crashes: tuple[PlannedCrash, ...], written: Callable[[ChangeSet, Committed], None]
    ) -> None:
        self.inner = MemoryStore()
        self.moment = 0
        """World time in milliseconds."""
        self.can_crash = True
        self._broker = broker
        self._crashes = list(reversed(crashes))
        self._written = written
        self._commits = 0
        self.recalls: Callable[[], bool] = lambda: True
        """Whether a broker that asks for conversations as they were left gets them."""

    def recall(self, conversations: Iterable[ConversationKey], now_ms: int) -> ClaimedBatch | None:
        return self.inner.recall(conversations, now_ms) if self.recalls() else None

    def claim(self, wanted: ClaimRequest, now_ms: int) -> ClaimedBatch:
        return self.inner.claim(wanted, now_ms)

    def commit(self, changes: ChangeSet) -> None:
        self._commits += 1
        crash = self._due()
        if crash is not None and not crash.is_written:
            raise SimulatedCrash(crash)
        record = record_changes(changes, self._broker, self.moment)
        try:
            self.inner.commit(changes)
        except OutdatedError:
            if crash is not None:
                self._crashes.append(crash)  # it is for the commit that comes in its place
            raise
        self._written(changes, record)
        if crash is not None:
            raise SimulatedCrash(crash)

    def append(self, appended: AppendedMessages) -> AppendOutcome | None:
        stored = self.inner.endpoint(appended.before.conversation_handle)
        with self._without_claim() as write:
            outcome = self.inner.append(appended)
            if outcome is not None:
                assert stored is not None, "the store has the endpoint"
                write(changes_of(appended, stored))
        return outcome

    def take(self, request: ReceiveRequest, known: ClaimedBatch, now_ms: int) -> ClaimedBatch | None:
        with self._without_claim() as write:
            batch = self.inner.take(request, known, now_ms)
            if batch is not None and batch.received:
                write(ChangeSet(0, now_ms, received=list(batch.received)))
        return batch

    @contextmanager
    def _without_claim(self) -> Iterator[Callable[[ChangeSet], None]]:
        """Crash before or after the store writes without a claim, if it is to. Where it writes nothing, the crash is
        for the commit that comes in its place."""
        crash = self._due()
        if crash is not None and not crash.is_written:
            raise SimulatedCrash(crash)
        before = self._commits
        yield self._write
        if crash is not None and self._commits == before:
            self._crashes.append(crash)
        elif crash is not None:
            raise SimulatedCrash(crash)

    def _write(self, changes: ChangeSet) -> None:
        self._commits += 1
        self._written(changes, record_changes(changes, self._broker, self.moment))

    def _due(self) -> PlannedCrash | None:
        if self._crashes and self.can_crash and self._crashes[-1].commit <= self._commits:
            return self._crashes.pop()
        return None

    def flush(self) -> None:
        self.inner.flush()

    def release(self, token: int) -> None:
        self.inner.release(token)

    def forget_claims(self) -> None:
        self.inner.forget_claims()

    def depth(self, queue: QueueKey) -> QueueDepth:
        return self.inner.depth(queue)

    def next_due(self) -> int | None:
        return self.inner.next_due()


def record_changes(changes: ChangeSet, broker: str, moment: int) -> Committed:
    """Return the changes as a history record."""
    return Committed(
        at=moment,
        broker=broker,
        now=changes.now_ms,
        taken=tuple(
            [(m.conversation_handle, m.message_sequence_number, m.message_type_name) for m in changes.received]
        ),
        acknowledged_below=tuple(changes.acknowledged_below.items()),
        cleared_queues=tuple(changes.cleared_queues),
        unbuffered=tuple(changes.unbuffered),
        dropped_from=tuple(changes.dropped_from.items()),
        removed=tuple(changes.removed),
        endpoints=tuple([_row(endpoint) for endpoint in changes.endpoints.values()]),
        enqueued=tuple([_queued(message) for message in changes.enqueued]),
        retained=tuple([retained_row(message) for message in (*changes.retained_received, *changes.retained_sent)]),
        buffered=tuple([_held(held) for held in changes.buffered]),
        outgoing=tuple([_outgoing(message) for message in changes.outgoing]),
        queues=tuple([(database, queue, is_on) for (database, queue), is_on in changes.queues.items()]),
        requests=tuple([(*request_key, handle) for request_key, handle in changes.requests.items()]),
        retry_all=changes.retry_all or bool(changes.retry_services),
        events=tuple(changes.events),
    )


def _row(endpoint: Endpoint) -> EndpointSnapshot:
    return EndpointSnapshot(
        handle=endpoint.conversation_handle,
        conversation_id=endpoint.conversation_id,
        is_initiator=endpoint.is_initiator,
        database=endpoint.database,
        queue=endpoint.queue,
        service=endpoint.service_name,
        far_service=endpoint.far_service,
        far_broker_instance=endpoint.far_broker_instance,
        state=endpoint.state,
        lifetime=endpoint.lifetime,
        send_sequence=endpoint.send_sequence,
        transmitted=endpoint.transmitted,
        acknowledged_sequence=endpoint.acknowledged_sequence,
        receive_sequence=endpoint.receive_sequence,
        attempts=endpoint.attempts,
        next_attempt=endpoint.next_attempt,
        encryption=endpoint.encryption,
    )


_KINDS = {END_DIALOG_TYPE: "end", ERROR_TYPE: "error"}


def _queued(message: QueuedMessage) -> KeptMessage:
    kind = _KINDS.get(message.message_type_name, "")
    return KeptMessage(
        handle=message.conversation_handle,
        sequence=message.message_sequence_number,
        fragment=0,
        fragments=1,
        message_type=message.message_type_name,
        body=body_of(message.message_body),
        kind=kind,
    )


def retained_row(message: QueuedMessage) -> RetainedRow:
    """Return the record of a message that RETENTION keeps."""
    body = body_of(message.message_body)
    handle, number = message.conversation_handle, message.message_sequence_number
    return RetainedRow(handle, message.status, number, message.message_type_name, body)


def _held(held: BufferedFragment) -> KeptMessage:
    kind = "end" if held.is_end_of_dialog else "error" if held.is_conversation_error else ""
    return KeptMessage(
        handle=held.conversation_handle,
        sequence=held.message_sequence_number,
        fragment=held.fragment,
        fragments=held.fragments,
        message_type=held.message_type_name,
        body=body_of(held.body),
        kind=kind,
    )


def _outgoing(message: OutboundMessage) -> KeptMessage:
    kind = "end" if message.is_end_of_dialog else "error" if message.is_conversation_error else ""
    return KeptMessage(
        handle=message.conversation_handle,
        sequence=message.message_sequence_number,
        fragment=0,
        fragments=1,
        message_type=message.message_type_name,
        body=body_of(message.message_body),
        kind=kind,
    )
