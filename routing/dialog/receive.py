"""RECEIVE and GET CONVERSATION GROUP: what one conversation group has for the application, its lock claimed with it."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Final

from routing.common.broker_events import MessagesReceived
from routing.dialog.batch import Receive
from routing.dialog.messages import SEQUENCED, QueuedMessage
from routing.dialog.problems import Refused
from routing.dialog.work import Work

_handle: Final = attrgetter("conversation_handle")


def receive(work: Work, asked: Receive) -> tuple[QueuedMessage, ...]:
    """The messages that the batch claimed; they leave the queue when the work is committed.

    By priority, conversation by conversation, each in the order of its sender (DLG-EOIO). Empty: there is nothing, or
    others hold what there is. Called once for a claim.
    """
    _check(work, asked)
    work.changes.received.extend(work.batch.received)
    for handle, messages in groupby(work.batch.received, _handle):
        _tell(work, handle, list(messages))
    return work.batch.received


def get_conversation_group(work: Work, asked: Receive) -> str | None:
    """The group that the batch has locked, whose messages can be received under the same token; None: there is none."""
    _check(work, asked)
    return work.batch.received_group


def _tell(work: Work, handle: str, messages: list[QueuedMessage]) -> None:
    """Messages Received, of one conversation, whose timers and errors come first."""
    sequenced = next((message for message in messages if message.rank == SEQUENCED), None)
    work.changes.events.append(
        MessagesReceived(
            *messages[0].queue_key,
            handle,
            sequenced.message_sequence_number if sequenced else -1,
            messages[-1].message_sequence_number if sequenced else -1,
            len(messages),
            sum([len(message.message_body) for message in messages if message.message_body]),
            min([message.message_enqueue_time for message in messages]),
        )
    )


def _check(work: Work, asked: Receive) -> None:
    if asked.top is not None and asked.top < 0:
        raise Refused(127, given=asked.top)
    # What was shown while the queue was on may be taken.
    if work.is_off(asked.queue) and not asked.only:
        raise Refused(9617, queue=asked.queue[1])
    if work.batch.is_unknown:
        raise Refused(8426, handle=asked.handle)
