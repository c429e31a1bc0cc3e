"""RECEIVE and GET CONVERSATION GROUP: the messages of one conversation group, which the claim has locked."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Final

from routing.common.broker_events import MessagesReceived
from routing.dialog.batch import ReceiveRequest
from routing.dialog.messages import RANK_SEQUENCED, QueuedMessage
from routing.dialog.problems import VerbError
from routing.dialog.unit_of_work import UnitOfWork

_handle: Final = attrgetter("conversation_handle")


def receive(work: UnitOfWork, request: ReceiveRequest) -> tuple[QueuedMessage, ...]:
    """Return the claimed messages; the commit deletes them from the queue, or retains them in it (RETENTION).

    Ordered by priority, then by conversation, each in the order of its sender (DLG-EOIO). Empty if the queue has no
    unlocked messages. Called once per claim.
    """
    _check(work, request)
    work.changes.received.extend(work.batch.received)
    database, queue = request.queue
    if work.context.directory(database).retains(queue):
        work.changes.retained_received.extend(message.retained() for message in work.batch.received)
    for handle, messages in groupby(work.batch.received, _handle):
        _report_received(work, handle, list(messages))
    return work.batch.received


def get_conversation_group(work: UnitOfWork, request: ReceiveRequest) -> str | None:
    """Return the locked group, whose messages the same token can receive; None if there is none."""
    _check(work, request)
    return work.batch.received_group


def _report_received(work: UnitOfWork, handle: str, messages: list[QueuedMessage]) -> None:
    """Report event BrokerUI:Messages Received for one conversation, whose timers and errors come first."""
    sequenced = next((message for message in messages if message.rank == RANK_SEQUENCED), None)
    work.changes.events.append(
        # Positional: keywords would triple the cost of this call, once per message.
        MessagesReceived(
            messages[0].database,
            messages[0].queue,
            handle,
            sequenced.message_sequence_number if sequenced else -1,
            messages[-1].message_sequence_number if sequenced else -1,
            len(messages),
            sum([len(message.message_body) for message in messages if message.message_body]),
            min([message.message_enqueue_time for message in messages]),
        )
    )


def _check(work: UnitOfWork, request: ReceiveRequest) -> None:
    if request.top is not None and request.top < 0:
        raise VerbError(127, given=request.top)
    # Messages shown while the queue was on may still be taken.
    if work.is_queue_off(request.queue) and not request.only:
        raise VerbError(9617, queue=request.queue[1])
    if work.batch.is_unknown:
        raise VerbError(8426, handle=request.handle)
