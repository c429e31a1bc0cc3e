"""SEND: a message on one conversation, or the same on several, all or none."""

from __future__ import annotations

from collections.abc import Sequence

from routing.common.event_subclasses import ConversationSubclass
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import RETAINED_SENT, QueuedMessage
from routing.dialog.outbound import enqueue
from routing.dialog.problems import VerbError
from routing.dialog.states import SEND, next_state
from routing.dialog.system_names import DEFAULT
from routing.dialog.unit_of_work import UnitOfWork
from routing.dialog.validation import VALIDATION_CODE


def send(work: UnitOfWork, handles: Sequence[str], message_type: str = DEFAULT, body: bytes | None = None) -> None:
    """Send an application message. Raises `VerbError`; then nothing was sent on any conversation."""
    _check(work, handles, message_type)
    _check_size(work, body)
    for handle in handles:
        endpoint = work.for_update(work.require(handle))
        work.apply_input(endpoint, SEND)
        work.report(ConversationSubclass.SEND_MESSAGE, endpoint, endpoint.send_sequence, len(body) if body else 0)
        if work.context.directory(endpoint.database).retains(endpoint.queue):
            _retain(work, endpoint, message_type, body)
        enqueue(work, endpoint, message_type, body)


def _retain(work: UnitOfWork, endpoint: Endpoint, message_type: str, body: bytes | None) -> None:
    """Keep a copy of the next message in the sender's own queue until its conversation ends (RETENTION)."""
    validation = VALIDATION_CODE[work.context.directory(endpoint.database).validation(message_type)]
    work.changes.retained_sent.append(
        QueuedMessage(
            database=endpoint.database,
            queue=endpoint.queue,
            priority=endpoint.priority,
            conversation_group_id=endpoint.conversation_group_id,
            conversation_handle=endpoint.conversation_handle,
            message_sequence_number=endpoint.send_sequence,
            service_name=endpoint.service_name,
            service_contract_name=endpoint.service_contract_name,
            message_type_name=message_type,
            validation=validation,
            message_body=body or None,
            message_enqueue_time=work.now_ms,
            status=RETAINED_SENT,
        )
    )


def _check_size(work: UnitOfWork, body: bytes | None) -> None:
    most = work.context.settings.longest
    if body is not None and len(body) > most:
        raise VerbError(8459, given=len(body), most=most)


def _check(work: UnitOfWork, handles: Sequence[str], message_type: str) -> None:
    if not handles:
        raise VerbError(8418)
    if len(handles) > 1 and len(set(handles)) < len(handles):
        raise VerbError(8451, handle=next(handle for handle in handles if handles.count(handle) > 1))
    for handle in handles:
        endpoint = work.require(handle)
        if isinstance(number := next_state(endpoint.is_initiator, endpoint.state, SEND), int):
            raise VerbError(number, state=endpoint.state)
        directory = work.context.directory(endpoint.database)
        directory.check_sending(endpoint.service_contract_name, message_type, endpoint.is_initiator)
