"""RECEIVE: the first group of a queue that is free, and its messages in their order.

A group is read conversation by conversation, and no further than messages are asked for: what stands behind them costs
nothing.
"""

from __future__ import annotations

from typing import Final

from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.session import GROUP, Session
from brokerui.messaging.store.tables import MESSAGES
from routing.dialog.batch import Batch, Receive
from routing.dialog.messages import QueuedMessage

_NEXT: Final = (
    "SELECT conversation_group_id AS key FROM queue_messages WHERE queue_number = %(queue)s"
    " ORDER BY priority DESC, queuing_order"
)
_OF_HANDLE: Final = (
    "SELECT e.conversation_group_id AS key FROM conversation_endpoints e"
    " WHERE e.instance_id = %(instance)s AND e.conversation_handle = %(handle)s"
    " AND EXISTS (SELECT 1 FROM queue_messages m WHERE m.queue_number = %(queue)s AND m.instance_id = e.instance_id"
    " AND m.conversation_group_id = e.conversation_group_id AND m.conversation_handle = e.conversation_handle)"
)
_OF_GROUP: Final = (
    "SELECT conversation_group_id AS key FROM queue_messages WHERE queue_number = %(queue)s"
    " AND instance_id = %(instance)s AND conversation_group_id = %(group)s LIMIT 1"
)
# Each conversation is found by one look into the index, and so is the first message of each rank in it.
_HEADS: Final = """
    WITH RECURSIVE mine(conversation_handle) AS (
        SELECT min(m.conversation_handle) FROM queue_messages m
        WHERE m.instance_id = %(instance)s AND m.conversation_group_id = %(group)s
        UNION ALL
        SELECT (SELECT min(m.conversation_handle) FROM queue_messages m WHERE m.instance_id = %(instance)s
            AND m.conversation_group_id = %(group)s AND m.conversation_handle > mine.conversation_handle)
        FROM mine WHERE mine.conversation_handle IS NOT NULL
    )
    SELECT mine.conversation_handle, max(m.priority), min(m.queuing_order) FROM mine
    JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2) ranks ON true
    JOIN queue_messages m ON m.queuing_order = (
        SELECT f.queuing_order FROM queue_messages f
        WHERE f.instance_id = %(instance)s AND f.conversation_group_id = %(group)s
        AND f.conversation_handle = mine.conversation_handle AND f.rank = ranks.rank
        ORDER BY f.message_sequence_number, f.queuing_order LIMIT 1)
    GROUP BY mine.conversation_handle ORDER BY 2 DESC, 3
"""
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
    "row.instance_id = %(instance)s AND row.conversation_group_id = given.conversation_group_id"
    " AND row.conversation_handle = given.conversation_handle"
)
_ORDER: Final = "rank, message_sequence_number, queuing_order"


def receive(session: Session, instance: int, locked: set[str], batch: Batch, asked: Receive) -> None:
    """Into the batch; the group is locked."""
    while batch.received_group is None:
        group = _lock_group(session, instance, asked)
        if group is None:
            return
        locked.add(group)
        # Before it was locked, another may have received all of it.
        heads = [asked.handle] if asked.handle is not None else _heads(session, instance, group)
        if heads:
            batch.received_group = group
            batch.received = _messages(session, instance, group, heads, asked)


def _lock_group(session: Session, instance: int, asked: Receive) -> str | None:
    queue = queue_number(instance, asked.queue)
    if asked.handle is not None:
        found = session.take(GROUP, _OF_HANDLE, {"instance": instance, "handle": asked.handle, "queue": queue}, 1)
    elif asked.group is not None:
        found = session.take(GROUP, _OF_GROUP, {"instance": instance, "group": asked.group, "queue": queue}, 1)
    else:
        found = session.take(GROUP, _NEXT, {"queue": queue}, 1)
    return found[0][0] if found else None


def _heads(session: Session, instance: int, group: str) -> list[str]:
    """The conversations of a group that have messages, in the order in which they are received."""
    return [row[0] for row in session.rows(_HEADS, {"instance": instance, "group": group})]


def _messages(
    session: Session, instance: int, group: str, heads: list[str], asked: Receive
) -> tuple[QueuedMessage, ...]:
    if asked.top == 0:
        return ()
    places = [(handle, group, place) for place, handle in enumerate(heads[: asked.top])]
    given = session.given(places, conversation_handle="text", conversation_group_id="text", place="int4")
    firsts = session.firsts(MESSAGES, _SAME, _ORDER)
    columns = ", ".join(f"found.{column}" for column in _COLUMNS)
    sql = f"SELECT {columns} FROM {given.sql} {firsts} ORDER BY given.place, {_found(_ORDER)}"
    rows = session.rows(sql, {**given.parameters, "top": asked.top, "instance": instance})
    return tuple(QueuedMessage(*asked.queue, *row) for row in rows[: asked.top])


def _found(order: str) -> str:
    return ", ".join(f"found.{column}" for column in order.split(", "))
