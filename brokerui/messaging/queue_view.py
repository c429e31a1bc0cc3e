"""The rows of a queue, as `SELECT * FROM queue` shows them, a page at a time: nothing is locked, no body is read.

First what RECEIVE will return, in its order by priority; then what RETENTION keeps (status 0 received, 3 sent); then
messages with missing fragments, or that came before others (status 2). While the queue is off, the last wait
in the transmission queue of its database instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db.models.functions import Length

from brokerui.core.paging import KeysetPage
from brokerui.estate.selectors import estate_current
from brokerui.messaging.broker_cache import broker_of, check_queue
from brokerui.messaging.held_fragments import HELD_MESSAGES
from brokerui.messaging.keyset_views import Key, Row, TablePage, TableView, table_page
from brokerui.messaging.models import ConversationEndpoint, HostedInstance, Queue, QueueMessage
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.store.numbers import queue_number
from routing.dialog.messages import DISABLED, QueuedMessage
from routing.dialog.validation import VALIDATION_CODE

FIRST_KEY: Final = ("", 11, 0)
"""Before all rows of each source; 11 is above every priority level."""
_OF_ENDPOINT: Final = (
    "(SELECT e.{} FROM conversation_endpoints e"
    " WHERE e.conversation_handle = r.conversation_handle AND e.instance_id + 0 = r.instance_id)"
)
_IN_QUEUE: Final = {name: _OF_ENDPOINT.format(name) for name in ("database", "queue")}
_HELD: Final = HELD_MESSAGES._replace(filters=_IN_QUEUE)
_RETAINED: Final = TableView(
    "retained_messages",
    ("conversation_handle", "queuing_order", "instance_id"),
    (
        "status",
        "message_sequence_number",
        "message_type_name",
        "validation",
        "message_enqueue_time",
        "length(r.message_body)",
    ),
    filters=_IN_QUEUE,
)


class QueueRow(NamedTuple):
    """A row of a queue, without the body."""

    message: QueuedMessage
    message_bytes: int | None
    """The length of the body, as far as it is here; None: there is none."""
    fragments: int = 1
    """Fragments of the message that are here."""
    all_fragments: int = 1


class _Place(NamedTuple):
    """A queue of an instance."""

    address: QueueAddress
    instance_id: int

    @property
    def where(self) -> dict[str, Any]:
        return {"instance_id": self.instance_id, "database": self.address.database, "queue": self.address.queue}


Source = Callable[[_Place, Key, int], tuple[list[QueueRow], Key | None]]
"""The rows of a place after a key, and after which key the next page begins; None: there are no more."""


def queue_view(address: QueueAddress, after: Key | None, limit: int) -> KeysetPage[QueueRow, Key]:
    """Return the rows after a key: the number of the source, then three parts. Raises what `check_queue` does."""
    check_queue(broker_of(address.instance), (address.database, address.queue))
    place = _Place(address, HostedInstance.objects.values_list("id", flat=True).get(name=address.instance))
    number, *begin = after or (0, *FIRST_KEY)
    rows: list[QueueRow] = []
    for source in range(int(number), len(SOURCES)):
        if len(rows) == limit:
            return KeysetPage(tuple(rows), (source, *FIRST_KEY))
        key = tuple(begin) if source == number else FIRST_KEY
        found, end = SOURCES[source](place, key, limit - len(rows))
        rows += found
        if end is not None:
            return KeysetPage(tuple(rows), (source, *end))
    return KeysetPage(tuple(rows), None)


# ---------------------------------------------------------------- what RECEIVE will return


def _ready(place: _Place, after: Key, limit: int) -> tuple[list[QueueRow], Key | None]:
    """A key is an empty text, priority and queuing order: the rest of a priority level, then the lower ones."""
    _, level, order = after
    number = queue_number(place.instance_id, (place.address.database, place.address.queue))
    mine = QueueMessage.objects.filter(queue_number=number).annotate(size=Length("message_body"))
    mine = mine.defer("message_body").order_by("-priority", "queuing_order")
    rows = list(mine.filter(priority=level, queuing_order__gt=order)[: limit + 1])
    rows += mine.filter(priority__lt=level)[: limit + 1 - len(rows)] if len(rows) <= limit else []
    shown = [QueueRow(_message(place, row, row), row.size) for row in rows[:limit]]
    last = rows[limit - 1] if len(rows) > limit else None
    return shown, ("", last.priority, last.queuing_order) if last else None


def _message(place: _Place, row: Any, conversation: Any) -> QueuedMessage:
    """Return the message of a row with the columns of a queue and of its conversation."""
    return QueuedMessage(
        place.address.database,
        place.address.queue,
        conversation.priority,
        conversation.conversation_group_id,
        row.conversation_handle,
        row.message_sequence_number,
        conversation.service_name,
        conversation.service_contract_name,
        row.message_type_name,
        row.validation,
        None,
        row.message_enqueue_time,
        row.status,
        row.queuing_order,
    )


# ---------------------------------------------------------------- rows of RETENTION, and of the reassembly buffer


class _Kept(NamedTuple):
    """The columns of a queue that do not stand in the endpoint."""

    conversation_handle: str
    queuing_order: int
    status: int
    message_sequence_number: int
    message_type_name: str
    validation: str
    message_enqueue_time: int


def _retained(place: _Place, after: Key, limit: int) -> tuple[list[QueueRow], Key | None]:
    """A key is handle, queuing order and instance."""
    page = table_page(_RETAINED, place.where, after, limit)
    kept = [(_Kept(str(key[0]), int(key[1]), *row[:-1]), row[-1:]) for key, row in page.rows]
    return _with_endpoints(place, kept), page.end


def _held(place: _Place, after: Key, limit: int) -> tuple[list[QueueRow], Key | None]:
    """A key is handle and message number, and 0."""
    if _is_off(place):
        return [], None
    page = table_page(_HELD, place.where, after[:2], limit)
    return _with_endpoints(place, _as_kept(place, page)), None if page.end is None else (*page.end, 0)


def _is_off(place: _Place) -> bool:
    off = Queue.objects.filter(
        instance_id=place.instance_id,
        database=place.address.database,
        name=place.address.queue,
        is_receive_enabled=False,
    )
    return off.exists()


def _as_kept(place: _Place, page: TablePage) -> list[tuple[_Kept, Row]]:
    database = estate_current().estate.instances[place.address.instance].databases[place.address.database]
    letters = {one.name: VALIDATION_CODE[one.validation] for one in database.message_types}
    found = []
    for (handle, number), (_, message_type, enqueued, _, _, size, fragments, all_fragments) in page.rows:
        letter = letters.get(message_type, "N")
        kept = _Kept(str(handle), 0, DISABLED, int(number), message_type, letter, enqueued)
        found.append((kept, (size, fragments, all_fragments)))
    return found


def _with_endpoints(place: _Place, kept: Sequence[tuple[_Kept, Row]]) -> list[QueueRow]:
    """Return the rows of the conversations that are still there."""
    handles = {one.conversation_handle for one, _ in kept}
    found = ConversationEndpoint.objects.filter(instance_id=place.instance_id, conversation_handle__in=handles)
    endpoints: Mapping[str, ConversationEndpoint] = {one.conversation_handle: one for one in found}
    return [
        QueueRow(_message(place, one, endpoints[one.conversation_handle]), *sizes)
        for one, sizes in kept
        if one.conversation_handle in endpoints
    ]


SOURCES: Final[tuple[Source, ...]] = (_ready, _retained, _held)
