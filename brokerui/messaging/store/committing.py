"""A commit: all changes of a batch, in the order of `Changes`, each kind with one statement whatever its number."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from brokerui.messaging.models.queues import SLOTS
from brokerui.messaging.store import instance_state
from brokerui.messaging.store.claiming import Claim
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.objects import packed
from brokerui.messaging.store.session import CONVERSATION, Answer, OneWaySession, Row, RowsAsTable
from brokerui.messaging.store.tables import ENDPOINTS, HELD, LASTING, MESSAGES, OUTGOING, RETAINED, SELDOM, WrittenTable
from routing.dialog.batch import ChangeSet
from routing.dialog.endpoint import ConversationGroupState, Endpoint, QueueKey
from routing.dialog.messages import QueuedMessage

ENDLESS: Final = 2**62
"""Beyond all message numbers."""
_CHANGING: Final = tuple(column for column in ENDPOINTS.columns if column not in LASTING)
_OFTEN: Final = tuple(column for column in _CHANGING if column not in SELDOM)

_values = attrgetter(*ENDPOINTS.columns[1:])
_changing = attrgetter("conversation_handle", *_CHANGING)
_often = attrgetter("conversation_handle", *_OFTEN)
_seldom = attrgetter(*SELDOM)
_retained = attrgetter(*RETAINED.columns[1:])

_RECEIVED = "DELETE FROM queue_messages WHERE queuing_order IN (SELECT given.key FROM {given}) RETURNING queue_number"
_AND_ORDER = ", queuing_order"
_OF_CONVERSATION = (
    "row.instance_id = %(instance)s AND row.conversation_group_id = given.group_id"
    " AND row.conversation_handle = given.handle"
)
_SENT = (
    "row.instance_id = %(instance)s AND row.conversation_handle = given.handle"
    " AND row.message_sequence_number >= given.first AND row.message_sequence_number < given.below"
)
_UNHELD = (
    "row.instance_id = %(instance)s AND row.conversation_handle = given.handle"
    " AND row.message_sequence_number = given.number"
)
_OF_HANDLES = "DELETE FROM {table} WHERE instance_id + 0 = %(instance)s AND conversation_handle {among}"
_MOVED = (
    "UPDATE queue_messages SET conversation_group_id = given.new_group FROM {given} WHERE instance_id = %(instance)s"
    " AND conversation_group_id = given.group_id AND conversation_handle = given.handle"
)
_GROUPS = (
    "INSERT INTO conversation_groups (instance_id, conversation_group_id, database, service_name, queue, conversations)"
    " SELECT %(instance)s, given.id, given.database, given.service_name, given.queue, given.change"
    " FROM {given} WHERE true ORDER BY given.id ON CONFLICT (instance_id, conversation_group_id)"
    " DO UPDATE SET conversations = conversation_groups.conversations + excluded.conversations"
)
_LEFT = (
    "DELETE FROM conversation_groups WHERE instance_id = %(instance)s AND conversations <= 0"
    " AND conversation_group_id {among}"
)
_OBJECTS = (
    "INSERT INTO transmission_objects (instance_id, conversation_handle, state)"
    " SELECT e.instance_id, given.handle, given.state FROM {given} JOIN conversation_endpoints e"
    " ON e.instance_id + 0 = %(instance)s AND e.conversation_handle = given.handle WHERE true"
    " ORDER BY given.handle ON CONFLICT (instance_id, conversation_handle) DO UPDATE SET state = excluded.state"
)
_COUNTERS = (
    "INSERT INTO queue_counters (queue_number, slot, instance_id, database, queue, messages)"
    " SELECT given.number, %(slot)s, %(instance)s, given.database, given.queue, given.change FROM {given} WHERE true"
    " ORDER BY given.number ON CONFLICT (queue_number, slot)"
    " DO UPDATE SET messages = queue_counters.messages + excluded.messages"
)
COUNTING: Final = (
    "INSERT INTO queue_counters (queue_number, slot, instance_id, database, queue, messages)"
    " SELECT received.queue_number, %(slot)s, %(instance)s, %(database)s::text, %(name)s::text, -count(*)"
    " FROM received GROUP BY received.queue_number ON CONFLICT (queue_number, slot)"
    " DO UPDATE SET messages = queue_counters.messages + excluded.messages"
)
"""Counts the rows of `received`, which have left their queue, in the statement that deletes them."""
# A plain RECEIVE: its messages leave and are counted on one way to the database.
_RECEIVED_AND_COUNTED = f"WITH received AS ({_RECEIVED}) {COUNTING}"
_WAITING = (
    "SELECT conversation_id, conversation_handle FROM conversation_endpoints"
    " WHERE instance_id = %(instance)s AND may_wait AND (outgoing > 0 OR held > 0)"
)
_FOR_SERVICES = " AND (database, far_service) IN (SELECT given.database, given.service FROM {given})"
_NOW = "CAST(%(now)s AS bigint)"
_RETRIED = (
    "UPDATE conversation_endpoints SET"
    f" next_attempt = CASE WHEN outgoing > 0 THEN {_NOW} ELSE next_attempt END,"
    f" take_up_at = CASE WHEN held > 0 THEN {_NOW} END,"
    f" due = CASE WHEN due < {_NOW} THEN due ELSE {_NOW} END"
    " WHERE instance_id + 0 = %(instance)s AND conversation_handle {among}"
)


class Commit:
    """The statements of one commit."""

    def __init__(self, claim: Claim, changes: ChangeSet) -> None:
        self._claim = claim
        self._session = claim.session
        self._instance = claim.instance
        self._changes = changes
        self._counts: Counter[int] = Counter()
        """By the numbers of queues: how many more messages stand in them."""
        self._queues: dict[int, QueueKey] = {}
        self._acknowledged: Answer = list
        self._updated: Answer = list

    def write(self) -> None:
        """Within a transaction, which ends with it. The locks that other workers may wait for come last."""
        self._remove()
        self._write_conversations()
        self._write_messages()
        if self._changes.retry_all or self._changes.retry_services:
            self._retry()
        self._write_groups()
        instance_state.write(self._session, self._instance, self._changes)
        self._count()

    def waited_ms(self) -> Iterator[int]:
        """Of each message that the peer acknowledged: milliseconds since its SEND. Only after the transaction: asking
        for it before would be a way to the database of its own."""
        return (self._changes.now_ms - enqueued for (enqueued,) in self._acknowledged())

    def versions(self) -> dict[str, str]:
        """Return the versions of the endpoints that have changed; only after the transaction, too."""
        return dict(self._updated())

    def _with(self, given: RowsAsTable) -> dict[str, Any]:
        return {**self._claim.mine, **given.parameters, "top": None, "now": self._changes.now_ms}

    def _run(self, sql: str, rows: Sequence[Row], **kinds: str) -> None:
        """A statement over given rows, if there are any."""
        if rows:
            given = self._session.given(rows, **kinds)
            self._session.run(sql.format(given=given.sql), self._with(given))

    def _run_among(self, sql: str, keys: Sequence[str], **names: str) -> None:
        """Run a statement on the rows that have one of these keys; none if there are no keys."""
        if keys:
            among = self._session.among(keys)
            self._session.run(sql.format(among=among.sql, **names), self._with(among))

    def _delete(self, table: WrittenTable, condition: str, rows: Sequence[Row], **kinds: str) -> None:
        """Rows of a table that belong to given ones, if there are any."""
        if rows:
            given = self._session.given(rows, **kinds)
            self._session.run(self._deleting(table, condition, given), self._with(given))

    def _deleting(self, table: WrittenTable, condition: str, given: RowsAsTable) -> str:
        session = self._session
        firsts = session.firsts(table, condition, "instance_id")
        found = f"SELECT found.{session.row} FROM {given.sql} {firsts}"
        return f"DELETE FROM {table.name} WHERE {session.row} {session.of_rows(found)}"

    # ------------------------------------------------------------ what goes

    def _remove(self) -> None:
        changes = self._changes
        if changes.received:
            self._receive(changes.received, changes.retained_received)
        self._remove_sent()
        if changes.cleared_queues:
            self._empty(changes.cleared_queues)
        self._delete(HELD, _UNHELD, changes.unbuffered, handle="text", number="int8")
        if changes.removed:
            self._run_among(_OF_HANDLES, changes.removed, table="conversation_endpoints")
            self._run_among(_OF_HANDLES, changes.removed, table="transmission_objects")

    def _receive(self, received: Sequence[QueuedMessage], retained: Sequence[QueuedMessage]) -> None:
        """Received messages leave. Those that have left with their conversation meanwhile are not retained either."""
        given = self._session.given([(message.queuing_order,) for message in received], key="int8")
        if isinstance(self._session, OneWaySession) and self._is_plain_receive():
            queue = {"database": received[0].database, "name": received[0].queue, "slot": slot()}
            self._session.run(_RECEIVED_AND_COUNTED.format(given=given.sql), {**self._with(given), **queue})
            return
        sql = _RECEIVED.format(given=given.sql) + (_AND_ORDER if retained else "")
        rows = self._session.rows(sql, given.parameters)
        self._take([row[:1] for row in rows] if retained else rows, received)
        if retained:
            still = {order for _, order in rows}
            self._retain([message for message in retained if message.queuing_order in still])

    def _is_plain_receive(self) -> bool:
        """Whether nothing else changes the depth of a queue, nor any conversation. The counter is locked last then."""
        changes = self._changes
        others = changes.retained_received, changes.enqueued, changes.cleared_queues, changes.endpoints, changes.removed
        return not any(others)

    def _remove_sent(self) -> None:
        """From the transmission queue: messages that arrived, and messages that are not needed any more."""
        changes, kinds = self._changes, {"handle": "text", "first": "int8", "below": "int8"}
        # Those acknowledged before have left: the index is not read where they stood.
        arrived = [
            (handle, self._acknowledged_before(handle), below) for handle, below in changes.acknowledged_below.items()
        ]
        if arrived:
            given = self._session.given(arrived, **kinds)
            sql = f"{self._deleting(OUTGOING, _SENT, given)} RETURNING enqueue_time"
            self._acknowledged = self._session.ask(sql, self._with(given))
        dropped = [(handle, first, ENDLESS) for handle, first in changes.dropped_from.items()]
        self._delete(OUTGOING, _SENT, dropped, **kinds)

    def _acknowledged_before(self, handle: str) -> int:
        known = self._claim.endpoints.get(handle)
        return known.acknowledged_sequence if known else 0

    def _empty(self, handles: Sequence[str]) -> None:
        endpoints = [self._claim.endpoints[handle] for handle in handles]
        rows = [(endpoint.conversation_group_id, endpoint.conversation_handle) for endpoint in endpoints]
        given = self._session.given(rows, group_id="text", handle="text")
        sql = f"{self._deleting(MESSAGES, _OF_CONVERSATION, given)} RETURNING queue_number"
        self._take(self._session.rows(sql, self._with(given)), endpoints)
        # After the others: a receive that retains some of them has ended by then.
        self._run_among(_OF_HANDLES, list(handles), table=RETAINED.name)
        holding = [endpoint.conversation_handle for endpoint in endpoints if endpoint.held]
        self._run_among(_OF_HANDLES, holding, table="held_fragments")

    # ------------------------------------------------------------ written rows

    def _write_conversations(self) -> None:
        changes, known = self._changes, self._claim.endpoints
        moved = [(handle, known[handle].conversation_group_id, into) for handle, into in changes.moved.items()]
        self._run(_MOVED, moved, handle="text", group_id="text", new_group="text")
        changed = [endpoint for handle, endpoint in changes.endpoints.items() if handle in known]
        new = [endpoint for handle, endpoint in changes.endpoints.items() if handle not in known]
        if changed:
            is_much = any(_seldom(one) != _seldom(known[one.conversation_handle]) for one in changed)
            columns, values = (_CHANGING, _changing) if is_much else (_OFTEN, _often)
            rows = [(self._instance, *values(one)) for one in changed]
            self._updated = self._session.update_endpoints(columns, rows)
        if new:
            self._session.insert(ENDPOINTS, [(self._instance, *_values(endpoint)) for endpoint in new])

    def _write_messages(self) -> None:
        changes, session, instance = self._changes, self._session, self._instance
        if changes.enqueued:
            session.insert(MESSAGES, [self._enqueued(message) for message in changes.enqueued])
        if changes.retained_sent:
            orders = session.next_orders(len(changes.retained_sent))
            for message, order in zip(changes.retained_sent, orders, strict=True):
                message.queuing_order = order
            self._retain(changes.retained_sent)
        if changes.buffered:
            session.insert(HELD, [(instance, *held) for held in changes.buffered])
        if changes.outgoing:
            session.insert(OUTGOING, [(instance, *message) for message in changes.outgoing])
        objects = [(one.conversation_handle, packed(one)) for one in changes.transmissions]
        self._run(_OBJECTS, objects, handle="text", state="text")

    def _enqueued(self, message: QueuedMessage) -> Row:
        """A row of the queue."""
        number = self._number(message.queue_key)
        self._counts[number] += 1
        return (
            self._instance,
            number,
            message.status,
            message.priority,
            message.rank,
            message.conversation_group_id,
            message.conversation_handle,
            message.message_sequence_number,
            message.service_name,
            message.service_contract_name,
            message.message_type_name,
            message.validation,
            message.message_body,
            message.message_enqueue_time,
        )

    def _retain(self, messages: Sequence[QueuedMessage]) -> None:
        """Insert messages that stay in their queue until their conversation ends; they do not count as waiting."""
        self._session.insert(RETAINED, [(self._instance, *_retained(message)) for message in messages])

    def _write_groups(self) -> None:
        """By how much they have changed: an application and the engine may change the same one, each of its
        conversations under a claim of its own."""
        rows = []
        for group_id, group in self._changes.groups.items():
            before = self._claim.groups.get(group_id)
            one = group or before or ConversationGroupState(group_id, "", "", "")
            change = (group.conversations if group else 0) - (before.conversations if before else 0)
            rows.append((group_id, one.database, one.service_name, one.queue, change))
        kinds = {"id": "text", "database": "text", "service_name": "text", "queue": "text", "change": "int4"}
        self._run(_GROUPS, [row for row in rows if row[-1]], **kinds)
        self._run_among(_LEFT, [row[0] for row in rows if row[-1] < 0])

    # ------------------------------------------------------------ conversations that become due again

    def _retry(self) -> None:
        sql, parameters = _WAITING, dict[str, Any](self._claim.mine)
        if not self._changes.retry_all:
            given = self._session.given(sorted(self._changes.retry_services), database="text", service="text")
            sql, parameters = sql + _FOR_SERVICES.format(given=given.sql), {**parameters, **given.parameters}
        free = self._session.free(CONVERSATION, sql, parameters)
        self._run_among(_RETRIED, [handle for _, handle in free])

    # ------------------------------------------------------------ counters

    def _number(self, queue: QueueKey) -> int:
        number = queue_number(self._instance, queue)
        self._queues[number] = queue
        return number

    def _take(self, rows: Iterable[Row], of: Iterable[QueuedMessage | Endpoint]) -> None:
        """Messages have left; these tell the names of their queues."""
        for one in of:
            self._number(one.queue_key)
        self._counts.subtract(number for (number,) in rows)

    def _count(self) -> None:
        rows = [(number, *self._queues[number], change) for number, change in self._counts.items() if change]
        if rows:
            given = self._session.given(rows, number="int8", database="text", queue="text", change="int8")
            named = {"slot": slot(), **self._claim.mine, **given.parameters}
            self._session.run(_COUNTERS.format(given=given.sql), named)


def slot() -> int:
    """The row of a queue's counters in which this process counts: others then do not wait for it."""
    return os.getpid() % SLOTS
