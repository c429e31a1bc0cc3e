"""Rows of the product's views of messaging, a page at a time, each page by the key of its table.

No page costs more because tables are large (`brokerui.messaging.keyset_views`): it may have few rows, or none, although
others follow; `after` says from where to go on. Bodies are not read: only how long they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from brokerui.core.paging import KeysetPage
from brokerui.estate.selectors import estate_current
from brokerui.messaging.held_fragments import HELD_OF_QUEUES_OFF, OutOfOrder, out_of_order
from brokerui.messaging.keyset_views import (
    Key,
    Row,
    TablePage,
    TableView,
    Where,
    instance_names,
    merged,
    table_page,
    with_instance_id,
)
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.transmission_status import status_text, statuses
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.dialog.problems import VerbError
from routing.model.estate import Estate

LIMIT: Final = 100
QUEUED_FOR_DELIVERY: Final = 9749
"""The transmission status of a message whose queue is off."""
LAST_INSTANCE: Final = 2**15 - 1
"""The largest id of an instance."""


class EndpointRow(NamedTuple):
    """A row of sys.conversation_endpoints; moments are milliseconds since 1970."""

    instance: str
    database: str
    conversation_handle: str
    conversation_id: str
    is_initiator: bool
    service_name: str
    service_contract_name: str
    conversation_group_id: str
    lifetime: int
    state: str
    far_service: str
    far_broker_instance: str | None
    security_timestamp: int | None
    dialog_timer: int | None
    send_sequence: int
    end_dialog_sequence: int | None
    receive_sequence: int
    priority: int
    outgoing: int
    """Not the product's: its messages in the transmission queue."""
    key_id: bytes
    """Not the product's: what its session keys were made of."""
    receive_sequence_frag: int = 0
    first_out_of_order_sequence: int | None = None
    last_out_of_order_sequence: int | None = None
    last_out_of_order_frag: int | None = None


class GroupRow(NamedTuple):
    """A row of sys.conversation_groups."""

    instance: str
    database: str
    conversation_group_id: str
    service_name: str
    queue: str
    conversations: int
    """Not the product's, as `queue`: how many are in it."""


class TransmissionRow(NamedTuple):
    """A message in sys.transmission_queue; moments are milliseconds since 1970."""

    instance: str
    database: str
    conversation_handle: str
    to_service_name: str
    to_broker_instance: str | None
    from_service_name: str
    service_contract_name: str
    enqueue_time: int
    message_sequence_number: int
    message_type_name: str
    is_conversation_error: bool
    is_end_of_dialog: bool
    transmission_status: str
    """`NUMBER: why`; empty: nothing was tried yet, or it was sent and is not acknowledged."""
    priority: int
    message_bytes: int | None
    """Not the product's: the length of the body, so far; None: there is none."""
    waits_for_queue: str | None = None
    """Not the product's: it has come for this queue, which is off; None: it is to be sent."""


# ---------------------------------------------------------------- conversation endpoints and groups

_ENDPOINTS = TableView(
    "conversation_endpoints",
    ("conversation_handle", "instance_id"),
    (*EndpointRow._fields[1 : EndpointRow._fields.index("receive_sequence_frag")], "held"),
    found=("conversation_handle", "conversation_id"),
)
_OPEN = "r.state <> 'CD'"
ENDPOINT_ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "handle": _ENDPOINTS.keys,
    "id": ("conversation_id", "is_initiator", "instance_id"),
}
"""The orders of endpoints that an index has, each with its key. By conversation both ends of one follow each other."""
_HANDLE: Final = EndpointRow._fields.index("conversation_handle") - 1
"""The place of the handle among the columns of `_ENDPOINTS`."""
_GROUPS = TableView(
    "conversation_groups",
    ("conversation_group_id", "instance_id"),
    GroupRow._fields[1:],
    found=("conversation_group_id",),
)


def conversation_endpoints(
    where: Where, after: Key | None = None, limit: int = LIMIT, *, with_closed: bool = True, order: str = "handle"
) -> KeysetPage[EndpointRow, Key]:
    """Return a page by handle, or in another of `ENDPOINT_ORDERS`; a minus before its name: the largest key first.

    `with_closed`: also targets that are kept against replays only (CD).
    """
    keys, always = ENDPOINT_ORDERS[order.removeprefix("-")], "" if with_closed else _OPEN
    view = _ENDPOINTS._replace(keys=keys, always=always, is_backwards=order.startswith("-"))
    page, names = _page(view, where, after, limit)
    found = out_of_order([row[_HANDLE] for _key, row in page.rows if row[-1]])
    rows = [
        _endpoint_row(names[int(key[-1])], row, found.get((row[_HANDLE], key[-1]), OutOfOrder()))
        for key, row in page.rows
    ]
    return KeysetPage(tuple(rows), page.end)


def _endpoint_row(instance: str, row: Row, held: OutOfOrder) -> EndpointRow:
    found = EndpointRow(instance, *row[:-1])._replace(**held._asdict())
    # A flag is a number in SQLite, and bytes are no `bytes` in PostgreSQL.
    return found._replace(is_initiator=bool(found.is_initiator), key_id=bytes(found.key_id))


def endpoint_of(handle: str) -> EndpointRow:
    """Return the side of a conversation that has this handle, in any spelling of it. Raises `VerbError` (8426)."""
    try:
        found = conversation_endpoints({"conversation_handle": parse_identifier(handle)}).rows
    except Invalid:
        found = ()
    if not found:
        raise VerbError(8426, handle=handle)
    return found[0]


def conversation_groups(where: Where, after: Key | None = None, limit: int = LIMIT) -> KeysetPage[GroupRow, Key]:
    """Return a page by identifier."""
    page, names = _page(_GROUPS, where, after, limit)
    return KeysetPage(tuple(GroupRow(names[int(key[1])], *row) for key, row in page.rows), page.end)


def _page(view: TableView, where: Where, after: Key | None, limit: int) -> tuple[TablePage, dict[int, str]]:
    names = instance_names()
    wanted = with_instance_id(where, names)
    return (TablePage([], None) if wanted is None else table_page(view, wanted, after, limit)), names


# ---------------------------------------------------------------- the transmission queue

_OF_ENDPOINT: Final = (
    "(SELECT e.{} FROM conversation_endpoints e"
    " WHERE e.conversation_handle = r.conversation_handle AND e.instance_id + 0 = r.instance_id)"
)
_OUTGOING = TableView(
    "transmission_queue",
    ("conversation_handle", "message_sequence_number", "instance_id"),
    (
        "message_type_name",
        "enqueue_time",
        "is_conversation_error",
        "is_end_of_dialog",
        "length(r.message_body)",
    ),
    # One look into the key of the other table for each row, whatever a planner knows of both.
    {
        "database": _OF_ENDPOINT.format("database"),
        "to_service_name": _OF_ENDPOINT.format("far_service"),
        "from_service_name": _OF_ENDPOINT.format("service_name"),
    },
)
_HELD = HELD_OF_QUEUES_OFF._replace(
    filters={
        "database": _OF_ENDPOINT.format("database"),
        "to_service_name": _OF_ENDPOINT.format("service_name"),
        "from_service_name": _OF_ENDPOINT.format("far_service"),
    }
)
OUTGOING, INCOMING = 0, 1
"""In a key: whether a message is to be sent, or has come for a queue that is off."""


def transmission_queue(where: Where, after: Key | None = None, limit: int = LIMIT) -> KeysetPage[TransmissionRow, Key]:
    """Return a page by conversation, each in its order: messages to be sent, and those for queues here that are off."""
    names = instance_names()
    wanted = with_instance_id(where, names)
    if wanted is None:
        return KeysetPage((), None)
    page = merged([_outgoing(wanted, after, limit), _incoming(wanted, after, limit)], limit)
    return KeysetPage(tuple(_with_endpoints(names, page.rows)), page.end)


def _outgoing(wanted: Where, after: Key | None, limit: int) -> TablePage:
    """A key of the page is handle, number, `OUTGOING`, instance."""
    begin = None if after is None else (*after[:2], after[3] if after[2] == OUTGOING else LAST_INSTANCE)
    page = table_page(_OUTGOING, wanted, begin, limit)
    rows = [((*key[:2], OUTGOING, key[2]), row) for key, row in page.rows]
    return TablePage(rows, (*page.end[:2], OUTGOING, page.end[2]) if page.end else None)


def _incoming(wanted: Where, after: Key | None, limit: int) -> TablePage:
    """A key of the page is handle, number, `INCOMING`, instance."""
    begin, with_first = (None, False) if after is None else (after[:2], after[2] == OUTGOING)
    page = table_page(_HELD, wanted, begin, limit, with_first=with_first)
    rows = [((*key, INCOMING, row[0]), row[1:6]) for key, row in page.rows]
    return TablePage(rows, (*page.end, INCOMING, LAST_INSTANCE) if page.end else None)


def _with_endpoints(names: Mapping[int, str], rows: Sequence[tuple[Key, Row]]) -> list[TransmissionRow]:
    """Return the columns of the view with those that come from the conversation's endpoint."""
    found = ConversationEndpoint.objects.filter(conversation_handle__in={key[0] for key, _ in rows})
    endpoints = {(names[one.instance_id], one.conversation_handle): one for one in found}
    texts = statuses(endpoints)
    estate = estate_current().estate if any(key[2] == INCOMING for key, _ in rows) else None
    shown = []
    for (handle, number, kind, instance), row in rows:
        place = names[int(instance)], str(handle)
        # Since the first of the two queries, a conversation may have ended.
        if (endpoint := endpoints.get(place)) is not None:
            made = _transmission_row(place[0], endpoint, int(number), row, texts[place])
            shown.append(made if estate is None or kind == OUTGOING else _as_incoming(made, endpoint, estate))
    return shown


def _transmission_row(
    instance: str, endpoint: ConversationEndpoint, number: int, row: Row, status: str
) -> TransmissionRow:
    message_type, enqueue_time, is_error, is_end, length = row
    return TransmissionRow(
        instance=instance,
        database=endpoint.database,
        conversation_handle=endpoint.conversation_handle,
        to_service_name=endpoint.far_service,
        to_broker_instance=endpoint.far_broker_instance,
        from_service_name=endpoint.service_name,
        service_contract_name=endpoint.service_contract_name,
        enqueue_time=enqueue_time,
        message_sequence_number=number,
        message_type_name=message_type,
        is_conversation_error=bool(is_error),
        is_end_of_dialog=bool(is_end),
        transmission_status=status,
        priority=endpoint.priority,
        message_bytes=length,
    )


def _as_incoming(row: TransmissionRow, endpoint: ConversationEndpoint, estate: Estate) -> TransmissionRow:
    """Return the row of a message that has come for a queue here: it is for this side."""
    here = estate.instances.get(row.instance)
    database = here.databases.get(endpoint.database) if here else None
    return row._replace(
        to_service_name=endpoint.service_name,
        to_broker_instance=database.broker_instance if database else None,
        from_service_name=endpoint.far_service,
        transmission_status=status_text(QUEUED_FOR_DELIVERY),
        waits_for_queue=endpoint.queue,
    )
