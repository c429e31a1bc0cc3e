"""Queries for the group that RECEIVE takes next: the first in the order of the queue that no lease and no reader has.

The messages of a group that is leased, or that a reader holds, stay where they are, and may be a hundred thousand at
the head of the queue. So three looks follow each other, each only where the one before it was cut short: at the first
messages; at the first message of each conversation that has any; at all messages.
"""

from __future__ import annotations

from typing import Final, NamedTuple

FURTHER: Final = ""
"""In place of a group: none of those that the look has seen is free, and it has not seen all."""


class QueueLook(NamedTuple):
    """A query of groups, and an expression that is `FURTHER` where the query may have left out others, else NULL."""

    sql: str
    is_cut_short: str


# The groups that are leased are read once: no planner makes a join of this.
_NOT_LEASED: Final = (
    "m.conversation_group_id NOT IN (SELECT l.conversation_group_id FROM receive_leases l"
    " WHERE l.state = 'leased' AND l.until > %(now)s AND l.instance_id = %(instance)s)"
)
_ORDER: Final = "ORDER BY m.priority DESC, m.queuing_order"
_FIRST: Final = (
    "SELECT q.conversation_group_id, q.priority, q.queuing_order FROM queue_messages q"
    " WHERE q.queue_number = %(queue)s ORDER BY q.priority DESC, q.queuing_order LIMIT {messages}"
)
# Each value is a subquery of its own with one descent of the index: no planner makes a join of it, which could read the
# whole queue where statistics are of a time when it was short.
_NEXT_ONE: Final = (
    "(SELECT q.{column} FROM queue_messages q {after} ORDER BY q.conversation_group_id, q.conversation_handle LIMIT 1)"
)
_AFTER: Final = (
    "WHERE (q.conversation_group_id, q.conversation_handle)"
    " > (waiting.conversation_group_id, waiting.conversation_handle)"
)
_CONVERSATION: Final = ("conversation_group_id", "conversation_handle")
_WAITING: Final = (
    f"WITH RECURSIVE waiting({', '.join(_CONVERSATION)}) AS ("
    f"SELECT {', '.join(_NEXT_ONE.format(column=column, after='') for column in _CONVERSATION)} UNION ALL"
    f" SELECT {', '.join(_NEXT_ONE.format(column=column, after=_AFTER) for column in _CONVERSATION)}"
    " FROM waiting WHERE waiting.conversation_group_id IS NOT NULL),"
    " few AS (SELECT * FROM waiting WHERE waiting.conversation_group_id IS NOT NULL LIMIT {conversations} + 1)"
)
_FIRST_ONE: Final = (
    "(SELECT f.{column} FROM queue_messages f"
    " WHERE f.instance_id = %(instance)s AND f.conversation_group_id = few.conversation_group_id"
    " AND f.conversation_handle = few.conversation_handle AND f.rank = ranks.rank"
    " ORDER BY f.message_sequence_number, f.queuing_order LIMIT 1) AS {column}"
)
_FIRST_OF_EACH: Final = (
    "SELECT few.conversation_group_id,"
    f" {', '.join(_FIRST_ONE.format(column=column) for column in ('queue_number', 'priority', 'queuing_order'))}"
    " FROM few CROSS JOIN (SELECT 0 AS rank UNION ALL SELECT 1 UNION ALL SELECT 2) AS ranks"
)


def looks(messages: int, conversations: int) -> tuple[QueueLook, ...]:
    """Return the three looks: at the first messages of the queue, their number given; at each conversation that has
    messages, of any queue of the database, where there are no more than given; at all messages of the queue."""
    first, waiting = _FIRST.format(messages=messages), _WAITING.format(conversations=conversations)
    return (
        QueueLook(
            f"SELECT m.conversation_group_id AS key FROM ({first}) AS m WHERE {_NOT_LEASED} {_ORDER}",
            f"(SELECT '{FURTHER}' FROM queue_messages q WHERE q.queue_number = %(queue)s LIMIT 1 OFFSET {messages})",
        ),
        QueueLook(
            f"{waiting} SELECT m.conversation_group_id AS key FROM ({_FIRST_OF_EACH}) AS m"
            f" WHERE (SELECT count(*) FROM few) <= {conversations} AND m.queue_number = %(queue)s"
            f" AND {_NOT_LEASED} {_ORDER}",
            f"CASE WHEN ({waiting} SELECT count(*) FROM few) > {conversations} THEN '{FURTHER}' END",
        ),
        QueueLook(
            "SELECT m.conversation_group_id AS key FROM queue_messages m"
            f" WHERE m.queue_number = %(queue)s AND {_NOT_LEASED} {_ORDER}",
            "NULL",
        ),
    )


LOOKS: Final = looks(messages=500, conversations=400)
