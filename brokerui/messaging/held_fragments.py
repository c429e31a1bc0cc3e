"""Fragments that came over the network and are in no queue yet, message by message (FRAG-3, NET-2).

A message with missing fragments, or that came before others, counts as a row of its queue with status 2; while
the queue is off, it waits in the transmission queue of the receiver's database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from brokerui.messaging.keyset_views import Key, TableView, run

HELD_MESSAGES: Final = TableView(
    "held_fragments",
    ("conversation_handle", "message_sequence_number"),
    (
        "min(r.instance_id)",
        "max(r.message_type_name)",
        "min(r.enqueue_time)",
        "max(CASE WHEN r.is_conversation_error THEN 1 ELSE 0 END)",
        "max(CASE WHEN r.is_end_of_dialog THEN 1 ELSE 0 END)",
        "sum(length(r.body))",
        "count(*)",
        "max(r.fragments)",
    ),
    is_summed=True,
)
# A count, and no EXISTS: a planner would join both tables as a whole.
_OFF: Final = (
    "(SELECT count(*) FROM conversation_endpoints e JOIN queue_states q"
    " ON q.instance_id = e.instance_id AND q.database = e.database AND q.name = e.queue"
    " WHERE e.conversation_handle = r.conversation_handle AND e.instance_id + 0 = r.instance_id"
    " AND NOT q.is_receive_enabled) > 0"
)
HELD_OF_QUEUES_OFF: Final = HELD_MESSAGES._replace(always=_OFF)


class OutOfOrder(NamedTuple):
    """The columns of sys.conversation_endpoints about held fragments."""

    receive_sequence_frag: int = 0
    """The fragment expected next, of the message expected next."""
    first_out_of_order_sequence: int | None = None
    last_out_of_order_sequence: int | None = None
    last_out_of_order_frag: int | None = None


_SPAN: Final = (
    "SELECT r.conversation_handle AS handle, r.instance_id AS instance,"
    " min(r.message_sequence_number) AS first, max(r.message_sequence_number) AS last"
    " FROM held_fragments r JOIN conversation_endpoints e"
    " ON e.conversation_handle = r.conversation_handle AND e.instance_id + 0 = r.instance_id"
    " WHERE r.conversation_handle IN ({handles}) AND r.message_sequence_number > e.receive_sequence"
    " GROUP BY r.conversation_handle, r.instance_id"
)
_LAST: Final = (
    "SELECT s.handle, s.instance, s.first, s.last, (SELECT max(r.fragment) FROM held_fragments r"
    " WHERE r.conversation_handle = s.handle AND r.message_sequence_number = s.last AND r.instance_id = s.instance)"
    " FROM ({span}) s"
)
# Fragments of the next message that have come without a gap stand each at the place of its number.
_NEXT: Final = (
    "SELECT f.conversation_handle, f.instance_id, count(*) FROM"
    " (SELECT r.conversation_handle, r.instance_id, r.fragment, row_number()"
    " OVER (PARTITION BY r.conversation_handle, r.instance_id ORDER BY r.fragment) - 1 AS place"
    " FROM held_fragments r JOIN conversation_endpoints e"
    " ON e.conversation_handle = r.conversation_handle AND e.instance_id + 0 = r.instance_id"
    " WHERE r.conversation_handle IN ({handles}) AND r.message_sequence_number = e.receive_sequence) f"
    " WHERE f.fragment = f.place GROUP BY f.conversation_handle, f.instance_id"
)


def out_of_order(handles: Sequence[str]) -> dict[Key, OutOfOrder]:
    """Return what conversations hold, by handle and instance id; two queries, none for no conversations."""
    if not handles:
        return {}
    places = ", ".join(["%s"] * len(handles))
    span = _SPAN.format(handles=places)
    found = {row[:2]: OutOfOrder(0, *row[2:]) for row in run(_LAST.format(span=span), handles)}
    for handle, instance, number in run(_NEXT.format(handles=places), handles):
        found[handle, instance] = found.get((handle, instance), OutOfOrder())._replace(receive_sequence_frag=number)
    return found
