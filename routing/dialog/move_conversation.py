"""MOVE CONVERSATION: move a conversation to another group of the same queue."""

from __future__ import annotations

from routing.dialog.problems import VerbError
from routing.dialog.states import MOVE, next_state
from routing.dialog.unit_of_work import UnitOfWork


def move_conversation(work: UnitOfWork, handle: str, group_id: str) -> None:
    """Move the conversation and its queued messages. Both groups must be claimed."""
    endpoint = work.require(handle)
    if isinstance(number := next_state(endpoint.is_initiator, endpoint.state, MOVE), int):
        raise VerbError(number, state=endpoint.state)
    group = work.group(group_id)
    if group is None or group.queue_key != endpoint.queue_key:
        raise VerbError(8439, group=group_id)
    if group_id != endpoint.conversation_group_id:
        work.move(work.for_update(endpoint), group_id)
