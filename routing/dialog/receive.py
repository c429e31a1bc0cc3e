"""RECEIVE and GET CONVERSATION GROUP: what one conversation group has for the application, its lock claimed with it."""

from __future__ import annotations

from routing.dialog.batch import Receive
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import Refused
from routing.dialog.work import Work


def receive(work: Work, asked: Receive) -> tuple[QueuedMessage, ...]:
    """The messages that the batch claimed; they leave the queue when the work is committed.

    By priority, conversation by conversation, each in the order of its sender (DLG-EOIO). Empty: there is nothing, or
    others hold what there is. Called once for a claim.
    """
    _check(work, asked)
    work.changes.received.extend(work.batch.received)
    return work.batch.received


def get_conversation_group(work: Work, asked: Receive) -> str | None:
    """The group that the batch has locked, whose messages can be received under the same token; None: there is none."""
    _check(work, asked)
    return work.batch.received_group


def _check(work: Work, asked: Receive) -> None:
    if work.is_off(asked.queue):
        raise Refused(9617, queue=asked.queue[1])
