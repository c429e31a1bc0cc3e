"""RECEIVE: the first group of a queue that is free, and its messages in their order.

The group is locked by one statement and read by the next, which sees all commits until the lock; both travel together.
A group is read conversation by conversation, and no further than messages are asked for: what stands behind them costs
nothing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, NamedTuple

from brokerui.messaging.store.next_group import FURTHER, LOOKS
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.session import GROUP, Answer, RowsAsTable, Session
from brokerui.messaging.store.tables import MESSAGES
from routing.dialog.batch import ClaimedBatch, ReceiveRequest
from routing.dialog.messages import QueuedMessage

# Whether a group is not leased.
_FREE: Final = (
    "(SELECT 1 FROM receive_leases l WHERE l.conversation_group_id = {group} AND l.instance_id = %(instance)s"
    " AND l.state = 'leased' AND l.until > %(now)s) IS NULL"
)
_OF_HANDLE: Final = (
    "SELECT e.conversation_group_id AS key FROM conversation_endpoints e"
    " WHERE e.instance_id + 0 = %(instance)s AND e.conversation_handle = %(handle)s"
    " AND EXISTS (SELECT 1 FROM queue_messages m WHERE m.queue_number = %(queue)s AND m.instance_id = e.instance_id"
    " AND m.conversation_group_id = e.conversation_group_id AND m.conversation_handle = e.conversation_handle)"
    f" AND {_FREE.format(group='e.conversation_group_id')}"
)
_KNOWN: Final = (
    "SELECT 1 FROM conversation_endpoints e"
    " WHERE e.instance_id + 0 = %(instance)s AND e.conversation_handle = %(handle)s"
)
_OF_GROUP: Final = (
    "SELECT conversation_group_id AS key FROM queue_messages WHERE queue_number = %(queue)s"
    " AND instance_id = %(instance)s AND conversation_group_id = %(group)s"
    f" AND {_FREE.format(group='%(group)s')} LIMIT 1"
)
# Each conversation is found by one look into the index, and so is the first message of each rank in it. Most groups
# have one conversation: then its handle is all that the order of its messages needs. Without spaces: the driver
# takes long statements apart each time.
HEADS: Final = re.sub(
    r"\s+",
    " ",
    """
    WITH RECURSIVE mine(conversation_handle) AS (
        SELECT (SELECT m.conversation_handle FROM queue_messages m
            WHERE m.instance_id = %(instance)s AND m.conversation_group_id = {group}
            ORDER BY m.conversation_handle LIMIT 1)
        UNION ALL
        SELECT (SELECT m.conversation_handle FROM queue_messages m
            WHERE m.instance_id = %(instance)s AND m.conversation_group_id = {group}
            AND m.conversation_handle > mine.conversation_handle ORDER BY m.conversation_handle LIMIT 1)
        FROM mine WHERE mine.conversation_handle IS NOT NULL
    ),
    few(is_one) AS (SELECT count(mine.conversation_handle) = 1 FROM mine)
    SELECT firsts.conversation_handle, max(firsts.priority) AS priority, min(firsts.queuing_order) AS first
    FROM (SELECT mine.conversation_handle,
            (SELECT f.priority FROM queue_messages f
                WHERE f.instance_id = %(instance)s AND f.conversation_group_id = {group}
                AND f.conversation_handle = mine.conversation_handle AND f.rank = ranks.rank
                ORDER BY f.message_sequence_number, f.queuing_order LIMIT 1) AS priority,
            (SELECT f.queuing_order FROM queue_messages f
                WHERE f.instance_id = %(instance)s AND f.conversation_group_id = {group}
                AND f.conversation_handle = mine.conversation_handle AND f.rank = ranks.rank
                ORDER BY f.message_sequence_number, f.queuing_order LIMIT 1) AS queuing_order
        FROM mine CROSS JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2) AS ranks
        WHERE NOT (SELECT few.is_one FROM few)) AS firsts
    WHERE firsts.priority IS NOT NULL GROUP BY firsts.conversation_handle
    UNION ALL SELECT mine.conversation_handle, 0, 0 FROM mine
    WHERE (SELECT few.is_one FROM few) AND mine.conversation_handle IS NOT NULL
""",
)
_ONE: Final = "SELECT CAST(%(handle)s AS text) AS conversation_handle, 0 AS priority, 0 AS first"
COLUMNS: Final = (
    "priority",
    "conversation_group_id",
    "conversation_handle",
    "message_sequence_number",
    "service_name",
    "service_contract_name",
    "message_type_name",
    "validation",
    "message_body",
    "message_enqueue_time",
    "status",
    "queuing_order",
)
_SAME: Final = (
    "row.instance_id = %(instance)s AND row.conversation_group_id = {group}"
    " AND row.conversation_handle = heads.conversation_handle"
)
_ORDER: Final = ("rank", "message_sequence_number", "queuing_order")
FEW: Final = 10
"""Messages that are received at most where the store looks whether others are left: it looks no further."""
# Both sides evaluate a branch of CASE only where it is taken: the count walks over all messages that have left the
# queue since its index was vacuumed.
IN_QUEUE: Final = (
    f"CASE WHEN read.place = 1 AND (SELECT more.place FROM read AS more LIMIT 1 OFFSET {FEW}) IS NULL THEN (SELECT"
    f" count(*) FROM (SELECT 1 FROM queue_messages q WHERE q.queue_number = %(queue)s LIMIT {FEW + 1}) AS few) END"
    " AS in_queue"
)
"""A column beside the rows of `reading`, as `read`: the number of messages in the queue, or one more than `FEW`, as
the same statement sees it. It stands in the first row alone, and only where no more than `FEW` are read."""


class FreeGroup(NamedTuple):
    """The first group that is free, locked, and its messages as the statement after the lock reads them."""

    group: Answer = list
    """`FURTHER` where a look at more of the queue is due."""
    messages: Answer = list
    look: int = 0
    """Which of `LOOKS` this was."""


def ask(session: Session, instance: int, now: int, request: ReceiveRequest, look: int = 0) -> FreeGroup:
    """For the first group that is free, which is locked then; nothing where it is asked for by name."""
    if request.only:
        return FreeGroup()
    parameters = {"instance": instance, "now": now, "queue": queue_number(instance, request.queue)}
    group, read = lock_next(session, parameters, request, look), reading(session, parameters, request)
    sql = f"WITH read AS MATERIALIZED ({read.sql}) SELECT read.*, {IN_QUEUE} FROM read ORDER BY read.place"
    return FreeGroup(group, session.ask(sql, read.parameters), look)


def receive(
    session: Session,
    instance: int,
    now: int,
    locked: set[str],
    batch: ClaimedBatch,
    request: ReceiveRequest,
    found: FreeGroup,
) -> None:
    """Add the messages of the locked group to the batch. `found` is the reply to `ask`."""
    if request.only:
        if request.group in locked:
            batch.received_group = request.group
            batch.received = _exactly(session, instance, request)
        return
    while groups := found.group():
        ((group, *_),) = groups
        if group == FURTHER:
            found = ask(session, instance, now, request, found.look + 1)
            continue
        locked.add(group)
        rows = found.messages()
        # Before it was locked, another may have received all of it, or leased it.
        if rows:
            batch.received_group = group
            batch.received = tuple(QueuedMessage(*request.queue, *row[:-2]) for row in rows)[: request.top]
            batch.is_rest_empty = rows[0][-1] == len(batch.received) <= FEW
            return
        found = ask(session, instance, now, request)
    if request.handle is not None:
        batch.is_unknown = not session.rows(_KNOWN, {"instance": instance, "handle": request.handle})


def lock_next(session: Session, parameters: dict[str, Any], request: ReceiveRequest, look: int = 0) -> Answer:
    """Lock the first group that is free and return it; no row where there is none, `FURTHER` where this look was cut
    short."""
    if request.handle is not None:
        return session.take(GROUP, _OF_HANDLE, {**parameters, "handle": request.handle}, 1)
    if request.group is not None:
        return session.take(GROUP, _OF_GROUP, {**parameters, "group": request.group}, 1)
    return session.take_first(GROUP, LOOKS[look].sql, parameters, LOOKS[look].is_cut_short)


def reading(session: Session, parameters: dict[str, Any], request: ReceiveRequest) -> RowsAsTable:
    """Return a query of the first messages of the group that was taken, of those that are asked for; at least one, if
    there is any. Each with its place. Where no group was taken they are of another, or none."""
    taken = session.taken_one()
    heads = HEADS.format(group=taken.sql) if request.handle is None else _ONE
    return RowsAsTable(messages_of(type(session), taken.sql, heads), message_parameters(parameters, taken, request))


def message_parameters(parameters: dict[str, Any], taken: RowsAsTable, request: ReceiveRequest) -> dict[str, Any]:
    """Return the parameters of `messages_of`."""
    most = None if request.top is None else max(1, request.top)
    return {**parameters, **taken.parameters, "handle": request.handle, "top": most}


@cache
def messages_of(database: type[Session], group: str, heads: str) -> str:
    """Return the query of the first messages of a group, which an expression names. `heads`: a query of its
    conversations in their order."""
    firsts = database.firsts(MESSAGES, _SAME.format(group=group), ", ".join(_ORDER))
    columns, order = (", ".join(f"found.{column}" for column in names) for names in (COLUMNS, _ORDER))
    place = f"row_number() OVER (ORDER BY heads.priority DESC, heads.first, {order}) AS place"
    return (
        f"SELECT {columns}, {place} FROM ({heads}) AS heads {firsts}"
        f" WHERE {_FREE.format(group=group)} ORDER BY place {database.at_most}"
    )


def _exactly(session: Session, instance: int, request: ReceiveRequest) -> tuple[QueuedMessage, ...]:
    """Return the messages requested by queuing order, in that order."""
    given = session.given([(order,) for order in request.only], key="int8")
    columns = ", ".join(f"m.{column}" for column in COLUMNS)
    sql = (
        f"SELECT {columns} FROM queue_messages m WHERE m.queuing_order IN (SELECT given.key FROM {given.sql})"
        " AND m.instance_id = %(instance)s AND m.conversation_group_id = %(group)s"
    )
    rows = session.rows(sql, {"instance": instance, "group": request.group, **given.parameters})
    found = {row[-1]: QueuedMessage(*request.queue, *row) for row in rows}
    return tuple(found[order] for order in request.only if order in found)
