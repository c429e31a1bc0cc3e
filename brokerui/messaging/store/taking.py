"""RECEIVE on one way: the first group that is free is locked, its messages are read and leave, and all is committed.

Nothing is deleted where the state of the instance is another than the caller knows; then it claims. What the caller has
to decide first, such as RETENTION, it has decided by that state.
"""

from __future__ import annotations

from typing import Final

from brokerui.messaging.store.committing import COUNTING, slot
from brokerui.messaging.store.instance_state import NUMBER, InstanceState
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.receiving import COLUMNS, FEW, FreeGroup, lock_next, reading
from brokerui.messaging.store.session import OneWaySession
from routing.dialog.batch import ClaimedBatch, ReceiveRequest
from routing.dialog.messages import QueuedMessage

# The messages are given in the order in which they were read. The array keeps a planner that believes the queue to be
# short from comparing each message of it with each that was read.
_TAKEN: Final = (
    "WITH read AS MATERIALIZED ({read}),"
    " received AS (DELETE FROM queue_messages WHERE queuing_order = ANY(ARRAY(SELECT read.queuing_order FROM read))"
    " RETURNING queue_number),"
    f" counted AS ({COUNTING})"
    f" SELECT {', '.join(COLUMNS)}, in_queue FROM read ORDER BY read.place"
)
_IS_KNOWN: Final = f"(%(known)s::int8, %(version)s::int8) = ({NUMBER})"


def take(
    session: OneWaySession, instance: int, now: int, request: ReceiveRequest, known: InstanceState
) -> ClaimedBatch | None:
    """Receive and commit. None: nothing has happened, and the caller claims."""
    state = {"known": known.number, "version": known.live_version}
    with session.at_once():
        number = session.ask(NUMBER.format(instance=instance), {})
        found = _ask(session, instance, now, request, state)
    groups, rows = found.group(), found.messages()
    if number() != [tuple(state.values())] or bool(groups) is not bool(rows):
        return None
    if not groups and request.handle is not None:
        return None  # there may be no such conversation
    batch = ClaimedBatch(0, off=known.off, rollbacks=known.rollbacks, requests=known.requests, mirrored=known.mirrored)
    if rows:
        batch.received_group = groups[0][0]
        batch.received = tuple(QueuedMessage(*request.queue, *row[:-1]) for row in rows)
        batch.is_rest_empty = rows[0][-1] == len(rows) <= FEW
    return batch


def _ask(session: OneWaySession, instance: int, now: int, request: ReceiveRequest, state: dict[str, int]) -> FreeGroup:
    parameters = {"instance": instance, "now": now, "queue": queue_number(instance, request.queue)}
    group = lock_next(session, parameters, request)
    read = reading(session, parameters, request, f" AND {_IS_KNOWN.format(instance='%(instance)s')}")
    counted = {"slot": slot(), "database": request.queue[0], "name": request.queue[1]}
    return FreeGroup(group, session.ask(_TAKEN.format(read=read.sql), {**read.parameters, **state, **counted}))
