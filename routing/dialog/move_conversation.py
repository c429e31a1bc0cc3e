"""MOVE CONVERSATION: into another conversation group of the same queue."""

from __future__ import annotations

from routing.dialog.problems import Refused
from routing.dialog.states import MOVE, after
from routing.dialog.work import Work


def move_conversation(work: Work, handle: str, group_id: str) -> None:
    """With the messages that wait for it. Both groups must have been claimed."""
    endpoint = work.named(handle)
    if isinstance(number := after(endpoint.is_initiator, endpoint.state, MOVE), int):
        raise Refused(number, state=endpoint.state)
    group = work.group(group_id)
    if group is None or group.queue_key != endpoint.queue_key:
        raise Refused(8439, group=group_id)
    if group_id != endpoint.conversation_group_id:
        work.move(work.own(endpoint), group_id)
