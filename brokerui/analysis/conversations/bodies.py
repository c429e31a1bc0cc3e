"""The body of one message, a part at a time, from whichever table has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import BinaryField, QuerySet
from django.db.models.functions import Length, Substr

from brokerui.analysis.conversations.sides import RETAINED, Kept, endpoint_row
from brokerui.core.instance_limit import check_instances
from brokerui.messaging.models import (
    ConversationEndpoint,
    HeldFragment,
    OutgoingMessage,
    QueueMessage,
    RetainedMessage,
)
from routing.common.sentence import Sentence, say

TIMER_RANK: Final = 0
"""Of a message of type DialogTimer, which has no number of its own."""


@dataclass(frozen=True, slots=True)
class MessageKey:
    """A message of a side of a conversation, in the table that has it."""

    handle: str
    kept: Kept
    number: int


class BodyAbsentError(Exception):
    """There is no body to show; `problem` says why."""

    def __init__(self, problem: Sentence, *, is_gone: bool = False) -> None:
        super().__init__(problem.render())
        self.problem = problem
        self.is_gone = is_gone
        """Whether the message itself is not there."""


@dataclass(frozen=True, slots=True)
class BodyPart:
    """Bytes of a body from `start` on."""

    place: str
    """`instance/database` of the side."""
    message_type: str
    all_bytes: int
    start: int
    data: bytes

    @property
    def is_last(self) -> bool:
        return self.start + len(self.data) >= self.all_bytes


def body_part(key: MessageKey, start: int = 0, most: int | None = None) -> BodyPart:
    """Return up to `most` bytes of a body, all of them where None.

    Raises `VerbError` (8426) where the conversation is gone, `BodyAbsentError` where there is no body, and
    `InstanceForbiddenError`.
    """
    side = endpoint_row(key.handle)
    check_instances([side.instance.name])
    place = f"{side.instance.name}/{side.database}"
    if key.kept is Kept.INCOMPLETE:
        return _joined(key, side, place, start, most)
    part = Substr("message_body", start + 1, most, output_field=BinaryField())
    found = _rows(key, side).annotate(size=Length("message_body"), part=part)
    row = found.values_list("message_type_name", "size", "part").first()
    if row is None:
        raise _gone(key.number)
    message_type, size, data = row
    if size is None:
        raise BodyAbsentError(say("Message {number} has no body: it was sent without one (NULL)", number=key.number))
    return BodyPart(place, message_type, size, start, bytes(data or b""))  # SQLite: no byte is NULL


def _rows(key: MessageKey, side: ConversationEndpoint) -> QuerySet[Any, Any]:
    mine: Mapping[str, Any] = {
        "conversation_handle": side.conversation_handle,
        "instance": side.instance_id,
        "message_sequence_number": key.number,
    }
    if key.kept is Kept.TO_SEND:
        return OutgoingMessage.objects.filter(**mine).order_by("message_sequence_number")
    if key.kept is Kept.NOT_READ:
        waiting = QueueMessage.objects.filter(**mine, conversation_group_id=side.conversation_group_id)
        return waiting.exclude(rank=TIMER_RANK).order_by("queuing_order")
    status = next(status for status, kept in RETAINED.items() if kept is key.kept)
    return RetainedMessage.objects.filter(**mine, status=status).order_by("queuing_order")


def _joined(key: MessageKey, side: ConversationEndpoint, place: str, start: int, most: int | None) -> BodyPart:
    """Of a message that came in fragments and waits for earlier ones, or for its queue."""
    mine = {"conversation_handle": side.conversation_handle, "instance": side.instance_id}
    rows = HeldFragment.objects.filter(**mine, message_sequence_number=key.number).order_by("fragment")
    found = list(rows.values_list("message_type_name", "fragments", "body"))
    if not found:
        raise _gone(key.number)
    message_type, fragments, _body = found[0]
    if len(found) < fragments:
        words = say(
            "Message {number} is not complete: {here} of {all} fragments have arrived",
            number=key.number,
            here=len(found),
            all=fragments,
        )
        raise BodyAbsentError(words)
    body = b"".join(bytes(data) for *_, data in found)
    return BodyPart(place, message_type, len(body), start, body[start : None if most is None else start + most])


def _gone(number: int) -> BodyAbsentError:
    words = say(
        "Message {number} is not there any more: it was acknowledged or received, or its conversation has ended",
        number=number,
    )
    return BodyAbsentError(words, is_gone=True)
