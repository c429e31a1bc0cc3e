"""RECEIVE on one way: the first group that is free is locked, its messages are read and leave, and all is committed.

Nothing is deleted where the state of the instance is another than the caller knows; then it claims. What the caller has
to decide first, such as RETENTION, it has decided by that state.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from brokerui.messaging.store.committing import COUNTING, slot
from brokerui.messaging.store.instance_state import NUMBER, InstanceState
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.receiving import (
    COLUMNS,
    FEW,
    HEADS,
    IN_QUEUE,
    FreeGroup,
    lock_next,
    message_parameters,
    messages_of,
)
from brokerui.messaging.store.session import OneWaySession
from routing.dialog.batch import ClaimedBatch, ReceiveRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.messages import QueuedMessage

SharedGroups = set[QueueKey]
"""Queues in which a group had messages of several conversations, as one store has seen them."""

# The messages are given in the order in which they were read. The array keeps a planner that believes the queue to be
# short from comparing each message of it with each that was read. One row without a message: the state is known.
_TAKEN: Final = (
    "WITH known AS MATERIALIZED (SELECT one.first, one.first IS NOT DISTINCT FROM one.last AS is_alone"
    " FROM (SELECT {first} AS first, {last} AS last OFFSET 0) AS one WHERE {is_known}),"
    " read AS MATERIALIZED ({read}),"
    " received AS (DELETE FROM queue_messages WHERE queuing_order = ANY(ARRAY(SELECT read.queuing_order FROM read))"
    " RETURNING queue_number),"
    f" counted AS ({COUNTING})"
    f" SELECT {', '.join(COLUMNS)}, {IN_QUEUE}, known.is_alone FROM known LEFT JOIN read ON true ORDER BY read.place"
)
_IS_KNOWN: Final = f"(%(known)s::int8, %(version)s::int8) = ({NUMBER.format(instance='%(instance)s')})"
_HANDLE: Final = (
    "(SELECT m.conversation_handle FROM queue_messages m WHERE m.instance_id = %(instance)s"
    " AND m.conversation_group_id = {group} ORDER BY m.conversation_handle {order} LIMIT 1)"
)
# The server prepares all parts of a statement before it runs, those for the order of several conversations too: two
# fifths of a small RECEIVE. A queue has the statement with them once a group had several.
_ALONE: Final = "SELECT known.first AS conversation_handle, 0 AS priority, 0 AS first FROM known WHERE known.is_alone"
_SEVERAL: Final = "SELECT heads.* FROM known CROSS JOIN ({heads}) AS heads"


def take(
    session: OneWaySession, instance: int, now: int, request: ReceiveRequest, known: InstanceState, shared: SharedGroups
) -> ClaimedBatch | None:
    """Receive and commit. None: nothing has happened, and the caller claims."""
    with session.at_once():
        found = _ask(session, instance, now, request, known, request.queue in shared)
    groups, rows = found.group(), found.messages()
    if rows and not rows[0][-1] and request.queue not in shared:
        shared.add(request.queue)
        return take(session, instance, now, request, known, shared)
    messages = [row[:-2] for row in rows if row[-3] is not None]
    if not rows or bool(groups) is not bool(messages):
        return None
    if not groups and request.handle is not None:
        return None  # there may be no such conversation
    batch = ClaimedBatch(0, off=known.off, rollbacks=known.rollbacks, requests=known.requests, mirrored=known.mirrored)
    if messages:
        batch.received_group = groups[0][0]
        batch.received = tuple(QueuedMessage(*request.queue, *message) for message in messages)
        batch.is_rest_empty = rows[0][-2] == len(messages) <= FEW
    return batch


def _ask(
    session: OneWaySession, instance: int, now: int, request: ReceiveRequest, known: InstanceState, is_shared: bool
) -> FreeGroup:
    parameters = {"instance": instance, "now": now, "queue": queue_number(instance, request.queue)}
    group, taken = lock_next(session, parameters, request), session.taken_one()
    counted = {"slot": slot(), "database": request.queue[0], "name": request.queue[1]}
    state = {"known": known.number, "version": known.live_version}
    sql = _taking(type(session), taken.sql, is_shared, request.handle is not None)
    return FreeGroup(group, session.ask(sql, {**message_parameters(parameters, taken, request), **state, **counted}))


@cache
def _taking(database: type[OneWaySession], group: str, is_shared: bool, is_of_handle: bool) -> str:
    """Return the statement for the group that was taken, which an expression names. `is_of_handle`: messages of one
    conversation are asked for."""
    heads = _SEVERAL.format(heads=HEADS.format(group=group)) if is_shared and not is_of_handle else _ALONE
    first, last = (_HANDLE.format(group=group, order=order) for order in ("", "DESC"))
    if is_of_handle:
        first = last = "CAST(%(handle)s AS text)"
    return _TAKEN.format(first=first, last=last, is_known=_IS_KNOWN, read=messages_of(database, group, heads))
