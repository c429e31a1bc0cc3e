"""Rows of the product's views of messaging, a page at a time, each page by the key of its table.

No page costs more because tables are large: it begins after a key, and looks at no more than `WINDOW` rows for those
that are asked for. So a page may have few rows, or none, although others follow; `after` says from where to go on.
Bodies are not read: only how long they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection

from brokerui.core.paging import KeysetPage
from brokerui.messaging.models import ConversationEndpoint, HostedInstance
from brokerui.messaging.transmission_status import statuses
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.dialog.problems import VerbError

Key = tuple[str | int, ...]
"""The key of a row after which a page begins."""
Names = Mapping[int, str]
"""Of instances, by their ids."""
Rows = Sequence[tuple[Any, ...]]
"""Instance, then columns of a table."""
Where = Mapping[str, Any]
"""Values of columns by their names: `instance`, `database`, …; only rows that have all of them are shown."""

WINDOW: Final = 10_000
"""Rows that one page looks at."""
LIMIT: Final = 100


class EndpointRow(NamedTuple):
    """What sys.conversation_endpoints shows of one; moments are milliseconds since 1970."""

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


class GroupRow(NamedTuple):
    """What sys.conversation_groups shows of one."""

    instance: str
    database: str
    conversation_group_id: str
    service_name: str
    queue: str
    conversations: int
    """Not the product's, as `queue`: how many are in it."""


class TransmissionRow(NamedTuple):
    """What sys.transmission_queue shows of a message; moments are milliseconds since 1970."""

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
    """Not the product's: the length of the body; None: there is none."""


def conversation_endpoints(where: Where, after: Key | None = None, limit: int = LIMIT) -> KeysetPage[EndpointRow, Key]:
    """By handle."""
    return _page(_ENDPOINTS, where, after, limit, _endpoint_rows)


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
    """By identifier."""
    return _page(_GROUPS, where, after, limit, _group_rows)


def transmission_queue(where: Where, after: Key | None = None, limit: int = LIMIT) -> KeysetPage[TransmissionRow, Key]:
    """By conversation, each in its order."""
    return _page(_OUTGOING, where, after, limit, _with_endpoints)


def _endpoint_rows(_names: Names, rows: Rows) -> list[EndpointRow]:
    found = [EndpointRow(*row) for row in rows]
    return [one._replace(is_initiator=bool(one.is_initiator)) for one in found]  # of SQLite it is a number


def _group_rows(_names: Names, rows: Rows) -> list[GroupRow]:
    return [GroupRow(*row) for row in rows]


# ---------------------------------------------------------------- tables


class _View(NamedTuple):
    """A table, and how it is looked through."""

    table: str
    keys: tuple[str, ...]
    """Columns of its primary key."""
    columns: tuple[str, ...]
    """Besides the instance, which comes first."""
    filters: Mapping[str, str]
    """The expression to compare, where it is no column of the table."""
    found: tuple[str, ...] = ("conversation_handle",)
    """Columns that an index finds a few rows by: no window is needed for them."""


_OF_ENDPOINT = (
    "(SELECT e.{} FROM conversation_endpoints e"
    " WHERE e.conversation_handle = r.conversation_handle AND e.instance_id = r.instance_id)"
)
_ENDPOINTS = _View(
    "conversation_endpoints",
    ("conversation_handle", "instance_id"),
    EndpointRow._fields[1:],
    {},
    ("conversation_handle", "conversation_id"),
)
_GROUPS = _View(
    "conversation_groups",
    ("conversation_group_id", "instance_id"),
    GroupRow._fields[1:],
    {},
    ("conversation_group_id",),
)
_OUTGOING = _View(
    "transmission_queue",
    ("conversation_handle", "message_sequence_number", "instance_id"),
    (
        "conversation_handle",
        "message_sequence_number",
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


def _page(view: _View, where: Where, after: Key | None, limit: int, made: Any) -> KeysetPage[Any, Key]:
    names = dict(HostedInstance.objects.values_list("id", "name"))
    wanted = dict(where)
    if "instance" in wanted:
        wanted["instance_id"] = next((number for number, name in names.items() if name == wanted["instance"]), None)
        del wanted["instance"]
        if wanted["instance_id"] is None:
            return KeysetPage((), None)
    end = _end_of_window(view, wanted, after)
    rows = _rows(view, wanted, after, end, limit + 1)
    keys = [row[: len(view.keys)] for row in rows]
    shown = made(names, [(names[row[len(view.keys) - 1]], *row[len(view.keys) :]) for row in rows[:limit]])
    return KeysetPage(tuple(shown), keys[limit - 1] if len(rows) > limit else end)


def _end_of_window(view: _View, wanted: Where, after: Key | None) -> Key | None:
    """The last key that this page may look at; None: there are no more, or few rows are looked at anyway."""
    if set(wanted) <= set(view.found):
        return None
    found = {name: value for name, value in wanted.items() if name in view.found}
    conditions, parameters = _conditions(view, found, after, None)
    keys = ", ".join(f"r.{key}" for key in view.keys)
    sql = (
        f"SELECT {keys} FROM {view.table} r WHERE {conditions}"  # noqa: S608 - of names that stand here
        f" ORDER BY {keys} LIMIT 1 OFFSET {WINDOW - 1}"
    )
    return next(iter(_run(sql, parameters)), None)


def _rows(view: _View, wanted: Where, after: Key | None, end: Key | None, limit: int) -> list[tuple[Any, ...]]:
    """Their keys, then their columns."""
    conditions, parameters = _conditions(view, wanted, after, end)
    keys = ", ".join(f"r.{key}" for key in view.keys)
    columns = ", ".join(name if "(" in name else f"r.{name}" for name in view.columns)
    sql = (
        f"SELECT {keys}, {columns} FROM {view.table} r WHERE {conditions}"  # noqa: S608 - of names that stand here
        f" ORDER BY {keys} LIMIT {int(limit)}"
    )
    return _run(sql, parameters)


def _conditions(view: _View, wanted: Where, after: Key | None, end: Key | None) -> tuple[str, list[Any]]:
    keys = ", ".join(f"r.{key}" for key in view.keys)
    places = ", ".join(["%s"] * len(view.keys))
    conditions = [f"{view.filters.get(name, f'r.{name}')} = %s" for name in wanted]
    parameters = list(wanted.values())
    for sign, key in ((">", after), ("<=", end)):
        if key is not None:
            conditions.append(f"({keys}) {sign} ({places})")
            parameters += key
    return " AND ".join(conditions) or "true", parameters


def _run(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


# ---------------------------------------------------------------- the transmission queue


def _with_endpoints(names: Names, rows: Rows) -> list[TransmissionRow]:
    """The columns of the view that come from the conversation's endpoint."""
    found = ConversationEndpoint.objects.filter(conversation_handle__in={row[1] for row in rows})
    endpoints = {(names[one.instance_id], one.conversation_handle): one for one in found}
    texts = statuses(endpoints)
    # Since the first of the two queries, a conversation may have ended.
    there = [row for row in rows if row[:2] in endpoints]
    return [_transmission_row(row, endpoints[row[:2]], texts[row[:2]]) for row in there]


def _transmission_row(row: tuple[Any, ...], endpoint: ConversationEndpoint, status: str) -> TransmissionRow:
    instance, handle, number, message_type, enqueue_time, is_error, is_end, length = row
    return TransmissionRow(
        instance=instance,
        database=endpoint.database,
        conversation_handle=handle,
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
