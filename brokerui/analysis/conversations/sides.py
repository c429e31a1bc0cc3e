"""Both sides of a conversation, as far as their instances are hosted here, and the messages that each side has.

No body is read: only how long it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.db.models.functions import Length

from brokerui.messaging.held_fragments import HELD_MESSAGES
from brokerui.messaging.keyset_views import table_page
from brokerui.messaging.models import ConversationEndpoint, OutgoingMessage, QueueMessage, RetainedMessage
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.dialog.problems import VerbError

SHOWN: Final = 100
"""Messages of each table that are shown of a side."""


class Kept(StrEnum):
    """Where a message is."""

    TO_SEND = "to_send"
    """In the transmission queue: not sent, or not acknowledged."""
    NOT_READ = "not_read"
    """In the queue, for RECEIVE."""
    INCOMPLETE = "incomplete"
    """Fragments or earlier messages are missing, or the queue is off."""
    SENT_COPY = "sent_copy"
    """Sent, and kept until the conversation ends (RETENTION)."""
    READ_COPY = "read_copy"
    """Received, and kept until the conversation ends (RETENTION)."""


RETAINED: Final = {0: Kept.READ_COPY, 3: Kept.SENT_COPY}


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A message without its body."""

    kept: Kept
    number: int
    message_type: str
    message_bytes: int | None
    """None: there is no body."""
    since: int
    """When it came there, in milliseconds since 1970."""
    fragments: int = 1
    all_fragments: int = 1


@dataclass(frozen=True, slots=True)
class ConversationSide:
    """One endpoint of a conversation with its messages; moments are milliseconds since 1970."""

    instance: str
    database: str
    handle: str
    is_initiator: bool
    service: str
    queue: str
    state: str
    to_send: int
    sent: int
    """Messages that were sent at least once."""
    written: int
    """Messages that SEND and END have written."""
    acknowledged: int
    received: int
    """Messages that have arrived in their order."""
    attempts: int
    next_attempt: int | None
    dialog_timer: int | None
    lifetime_end: int
    group: str
    priority: int
    encryption: bool
    kept_route: str | None
    messages: tuple[KeptRow, ...] = ()
    """At most `SHOWN` of each kind, in their order."""

    @property
    def place(self) -> str:
        return f"{self.instance}/{self.database}"

    def of_kind(self, *kinds: Kept) -> list[KeptRow]:
        return [message for message in self.messages if message.kept in kinds]


@dataclass(frozen=True, slots=True)
class ConversationSides:
    """A conversation: what both sides share, and those sides that are hosted here."""

    conversation_id: str
    contract: str
    far_service: str
    """The service on the other side, which may not be hosted here."""
    near: ConversationSide
    """The side whose handle was given."""
    far: ConversationSide | None

    @property
    def initiator(self) -> ConversationSide | None:
        return self.near if self.near.is_initiator else self.far

    @property
    def target(self) -> ConversationSide | None:
        return self.far if self.near.is_initiator else self.near

    @property
    def initiator_service(self) -> str:
        return self.initiator.service if self.initiator else self.far_service

    @property
    def target_service(self) -> str:
        return self.target.service if self.target else self.far_service

    @property
    def sides(self) -> tuple[ConversationSide, ...]:
        """The hosted sides, the initiator first."""
        return tuple(side for side in (self.initiator, self.target) if side is not None)


def sides_of(handle: str) -> ConversationSides:
    """Return the conversation that has an endpoint with this handle. Raises `VerbError` (8426)."""
    row = endpoint_row(handle)
    rows = ConversationEndpoint.objects.select_related("instance").filter(conversation_id=row.conversation_id)
    other = next((_side(one) for one in rows if one.is_initiator is not row.is_initiator), None)
    return ConversationSides(row.conversation_id, row.service_contract_name, row.far_service, _side(row), other)


def handle_of(identifier: str) -> str | None:
    """Return the handle of the side that this text names: a handle, or the identifier of a conversation; None: no
    side here has it."""
    try:
        wanted = parse_identifier(identifier)
    except Invalid:
        return None
    named = Q(conversation_handle=wanted) | Q(conversation_id=wanted)
    rows = ConversationEndpoint.objects.filter(named).order_by("-is_initiator")
    return rows.values_list("conversation_handle", flat=True).first()


def endpoint_row(handle: str) -> ConversationEndpoint:
    """Return the row of a side, with its instance. Raises `VerbError` (8426)."""
    row = ConversationEndpoint.objects.select_related("instance").filter(conversation_handle=handle).first()
    if row is None:
        raise VerbError(8426, handle=handle)
    return row


def _side(row: ConversationEndpoint) -> ConversationSide:
    return ConversationSide(
        instance=row.instance.name,
        database=row.database,
        handle=row.conversation_handle,
        is_initiator=row.is_initiator,
        service=row.service_name,
        queue=row.queue,
        state=row.state,
        to_send=row.outgoing,
        sent=row.transmitted,
        written=row.send_sequence,
        acknowledged=row.acknowledged_sequence,
        received=row.receive_sequence,
        attempts=row.attempts,
        next_attempt=row.next_attempt if row.outgoing else None,
        dialog_timer=row.dialog_timer,
        lifetime_end=row.lifetime,
        group=row.conversation_group_id,
        priority=row.priority,
        encryption=row.encryption,
        kept_route=row.kept_route,
        messages=tuple(_messages(row)),
    )


# -- Messages ----------------------------------------------------------------------------------------------


def _messages(row: ConversationEndpoint) -> Iterator[KeptRow]:
    mine = {"conversation_handle": row.conversation_handle, "instance": row.instance_id}
    yield from _of_model(Kept.TO_SEND, OutgoingMessage.objects.filter(**mine), "enqueue_time")
    waiting = QueueMessage.objects.filter(**mine, conversation_group_id=row.conversation_group_id)
    yield from _of_model(Kept.NOT_READ, waiting, "message_enqueue_time")
    yield from _incomplete(row)
    for status, kept in RETAINED.items():
        yield from _of_model(kept, RetainedMessage.objects.filter(**mine, status=status), "message_enqueue_time")


def _of_model(kept: Kept, rows: QuerySet[Any, Any], since: str) -> Iterator[KeptRow]:
    columns = ("message_sequence_number", "message_type_name", "size", since)
    found = rows.annotate(size=Length("message_body")).order_by("message_sequence_number")
    for values in found.values_list(*columns)[:SHOWN]:
        yield KeptRow(kept, *values)


def _incomplete(row: ConversationEndpoint) -> Iterator[KeptRow]:
    """Messages with fragments that are held; a row of the view says which instance, so that nobody else's is shown."""
    if not row.held:
        return
    for (_, number), values in table_page(
        HELD_MESSAGES, {"conversation_handle": row.conversation_handle}, None, SHOWN
    ).rows:
        instance, message_type, since, _error, _end, size, fragments, all_fragments = values
        if instance == row.instance_id:
            yield KeptRow(Kept.INCOMPLETE, int(number), message_type, size, since, fragments, all_fragments)
