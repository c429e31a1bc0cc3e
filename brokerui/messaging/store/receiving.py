"""RECEIVE: the first group of a queue that is free, and its messages in their order.

A group is read conversation by conversation, and no further than messages are asked for: what stands behind them costs
nothing.
"""

from __future__ import annotations

from typing import Final

from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.session import GROUP, Answer, Row, Session
from brokerui.messaging.store.tables import MESSAGES
from routing.dialog.batch import ClaimedBatch, ReceiveRequest
from routing.dialog.messages import QueuedMessage

# Whether a group is not leased.
_FREE: Final = (
    "(SELECT 1 FROM receive_leases l WHERE l.conversation_group_id = {group} AND l.instance_id = %(instance)s"
    " AND l.state = 'leased' AND l.until > %(now)s) IS NULL"
)
# The same for each message of a queue. The groups that are leased are read once: no planner makes a join of this.
_NOT_LEASED: Final = (
    "m.conversation_group_id NOT IN (SELECT l.conversation_group_id FROM receive_leases l"
    " WHERE l.state = 'leased' AND l.until > %(now)s AND l.instance_id = %(instance)s)"
)
_NEXT: Final = (
    "SELECT m.conversation_group_id AS key, m.conversation_handle,"
    " (SELECT g.conversations FROM conversation_groups g"
    " WHERE g.conversation_group_id = m.conversation_group_id AND g.instance_id = m.instance_id) AS conversations"
    f" FROM queue_messages m WHERE m.queue_number = %(queue)s AND {_NOT_LEASED}"
    " ORDER BY m.priority DESC, m.queuing_order"
)
_OF_HANDLE: Final = (
    "SELECT e.conversation_group_id AS key FROM conversation_endpoints e"
    " WHERE e.instance_id = %(instance)s AND e.conversation_handle = %(handle)s"
    " AND EXISTS (SELECT 1 FROM queue_messages m WHERE m.queue_number = %(queue)s AND m.instance_id = e.instance_id"
    " AND m.conversation_group_id = e.conversation_group_id AND m.conversation_handle = e.conversation_handle)"
    f" AND {_FREE.format(group='e.conversation_group_id')}"
)
_KNOWN: Final = (
    "SELECT 1 FROM conversation_endpoints e WHERE e.instance_id = %(instance)s AND e.conversation_handle = %(handle)s"
)
_OF_GROUP: Final = (
    "SELECT conversation_group_id AS key FROM queue_messages WHERE queue_number = %(queue)s"
    " AND instance_id = %(instance)s AND conversation_group_id = %(group)s"
    f" AND {_FREE.format(group='%(group)s')} LIMIT 1"
)
# Each conversation is found by one look into the index, and so is the first message of each rank in it.
_HEADS: Final = """
    WITH RECURSIVE mine(conversation_handle) AS (
        SELECT (SELECT m.conversation_handle FROM queue_messages m
            WHERE m.instance_id = %(instance)s AND m.conversation_group_id = %(group)s
            ORDER BY m.conversation_handle LIMIT 1)
        UNION ALL
        SELECT (SELECT m.conversation_handle FROM queue_messages m
            WHERE m.instance_id = %(instance)s AND m.conversation_group_id = %(group)s
            AND m.conversation_handle > mine.conversation_handle ORDER BY m.conversation_handle LIMIT 1)
        FROM mine WHERE mine.conversation_handle IS NOT NULL
    )
    SELECT firsts.conversation_handle, max(firsts.priority) AS priority, min(firsts.queuing_order) AS first
    FROM (SELECT mine.conversation_handle,
            (SELECT f.priority FROM queue_messages f
                WHERE f.instance_id = %(instance)s AND f.conversation_group_id = %(group)s
                AND f.conversation_handle = mine.conversation_handle AND f.rank = ranks.rank
                ORDER BY f.message_sequence_number, f.queuing_order LIMIT 1) AS priority,
            (SELECT f.queuing_order FROM queue_messages f
                WHERE f.instance_id = %(instance)s AND f.conversation_group_id = %(group)s
                AND f.conversation_handle = mine.conversation_handle AND f.rank = ranks.rank
                ORDER BY f.message_sequence_number, f.queuing_order LIMIT 1) AS queuing_order
        FROM mine CROSS JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2) AS ranks) AS firsts
    WHERE firsts.priority IS NOT NULL GROUP BY firsts.conversation_handle
"""
_ONE: Final = "SELECT CAST(%(handle)s AS text) AS conversation_handle, 0 AS priority, 0 AS first"
_COLUMNS: Final = (
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
    "row.instance_id = %(instance)s AND row.conversation_group_id = %(group)s"
    " AND row.conversation_handle = heads.conversation_handle"
)
_ORDER: Final = ("rank", "message_sequence_number", "queuing_order")
FEW: Final = 10
"""Messages that are received at most where the store looks whether others are left: it looks no further."""
_IN_QUEUE: Final = (
    f"(SELECT count(*) FROM (SELECT 1 FROM queue_messages q WHERE q.queue_number = %(queue)s LIMIT {FEW + 1}) AS few)"
)


def ask(session: Session, instance: int, now: int, request: ReceiveRequest) -> Answer:
    """For the first group that is free, which is locked then; nothing where it is asked for by name."""
    if request.only:
        return list
    parameters = {"instance": instance, "now": now, "queue": queue_number(instance, request.queue)}
    if request.handle is not None:
        return session.take(GROUP, _OF_HANDLE, {**parameters, "handle": request.handle}, 1)
    if request.group is not None:
        return session.take(GROUP, _OF_GROUP, {**parameters, "group": request.group}, 1)
    return session.take(GROUP, _NEXT, parameters, 1)


def receive(
    session: Session,
    instance: int,
    now: int,
    locked: set[str],
    batch: ClaimedBatch,
    request: ReceiveRequest,
    found: list[Row],
) -> None:
    """Add the messages of the locked group to the batch. `found` is the reply to `ask`."""
    if request.only:
        if request.group in locked:
            batch.received_group = request.group
            batch.received = _exactly(session, instance, request)
        return
    while found:
        group, handle = _first(request, found[0])
        locked.add(group)
        messages, in_queue = _messages(session, instance, now, group, handle, request)
        # Before it was locked, another may have received all of it, or leased it.
        if messages:
            batch.received_group = group
            batch.received = messages[: request.top]
            batch.is_rest_empty = in_queue == len(batch.received) <= FEW
            return
        found = ask(session, instance, now, request)()
    if request.handle is not None:
        batch.is_unknown = not session.rows(_KNOWN, {"instance": instance, "handle": request.handle})


def _exactly(session: Session, instance: int, request: ReceiveRequest) -> tuple[QueuedMessage, ...]:
    """Return the messages requested by queuing order, in that order."""
    given = session.given([(order,) for order in request.only], key="int8")
    columns = ", ".join(f"m.{column}" for column in _COLUMNS)
    sql = (
        f"SELECT {columns} FROM queue_messages m WHERE m.queuing_order IN (SELECT given.key FROM {given.sql})"
        " AND m.instance_id = %(instance)s AND m.conversation_group_id = %(group)s"
    )
    rows = session.rows(sql, {"instance": instance, "group": request.group, **given.parameters})
    found = {row[-1]: QueuedMessage(*request.queue, *row) for row in rows}
    return tuple(found[order] for order in request.only if order in found)


def _first(request: ReceiveRequest, found: Row) -> tuple[str, str | None]:
    """A group, and the only conversation of it that is to be received, where that is known."""
    if request.handle is not None or request.group is not None:
        return found[0], request.handle
    group, handle, conversations, *_ = found
    # Most groups have one conversation; in others the next is to be found first.
    return group, handle if conversations == 1 else None


def _messages(
    session: Session, instance: int, now: int, group: str, handle: str | None, request: ReceiveRequest
) -> tuple[tuple[QueuedMessage, ...], int]:
    """The first of those that are asked for; at least one, if there is any. And how many the queue holds, or more than
    `FEW`, as the same statement sees it."""
    heads = _HEADS if handle is None else _ONE
    firsts = session.firsts(MESSAGES, _SAME, ", ".join(_ORDER))
    columns, order = (", ".join(f"found.{column}" for column in names) for names in (_COLUMNS, _ORDER))
    sql = (
        f"SELECT {columns}, {_IN_QUEUE} FROM ({heads}) AS heads {firsts} WHERE {_FREE.format(group='%(group)s')}"
        f" ORDER BY heads.priority DESC, heads.first, {order}"
    )
    most = None if request.top is None else max(1, request.top)
    parameters = {"instance": instance, "now": now, "group": group, "handle": handle, "top": most}
    parameters["queue"] = queue_number(instance, request.queue)
    rows = session.rows(f"{sql} {session.at_most}", parameters)
    return tuple(QueuedMessage(*request.queue, *row[:-1]) for row in rows), rows[0][-1] if rows else 0
