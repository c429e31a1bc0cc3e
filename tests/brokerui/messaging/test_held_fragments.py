"""Arrived messages that are in no queue yet, as views show them: incomplete ones, and those for queues that are off."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brokerui.messaging import keyset_views
from brokerui.messaging.exchange.lists import put_arrived, run, take_outgoing
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.keyset_views import Key, TablePage, merged
from brokerui.messaging.models import HeldFragment
from brokerui.messaging.selectors import TransmissionRow, conversation_endpoints, transmission_queue
from brokerui.messaging.services import Message, conversation_begin, conversation_send
from brokerui.messaging.verbs.administration import queue_set_status
from brokerui.messaging.workers.arrived_frames import process_arrived
from brokerui.messaging.workers.due_conversations import send_due
from tests.brokerui.messaging.hosted import ADDRESSES, TWO, Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
LONG = b"x" * 300_000
"""Some fragments."""
NOTHING = (0, None, None, None)


def begin() -> str:
    named: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
    return conversation_begin(**named, encryption=False).conversation_handle


def send(handle: str, *bodies: bytes) -> list[bytes]:
    """The frames of messages, which are on their way."""
    conversation_send(instance="A", handles=[handle], messages=[Message(body) for body in bodies])
    while send_due("A"):
        pass
    return run(redis(), take_outgoing("A", ADDRESSES["B"], 1 << 30))


def arrive(frames: list[bytes]) -> None:
    assert run(redis(), put_arrived("B", frames)) == []
    while process_arrived("B", range(64)):
        pass


def there() -> Any:
    """The target's side."""
    [row] = conversation_endpoints({"instance": "B"}).rows
    return row


def order(row: Any) -> tuple[Any, ...]:
    names = ("receive_sequence_frag", "first_out_of_order_sequence", "last_out_of_order_sequence")
    return (*(getattr(row, name) for name in names), row.last_out_of_order_frag)


def incoming(**where: Any) -> list[TransmissionRow]:
    return [row for row in everything(where) if row.instance == "B"]


def everything(where: dict[str, Any], limit: int = 2) -> list[TransmissionRow]:
    rows: list[TransmissionRow] = []
    after: Key | None = None
    while True:
        page = transmission_queue(where, after, limit)
        rows += page.rows
        after = page.after
        if after is None:
            return rows


def set_queue(*, is_on: bool) -> None:
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=is_on)


def test_the_columns_of_fragments_that_are_missing_or_came_before_others(wire: Wire) -> None:
    handle = begin()
    arrive(send(handle, b"first"))
    assert order(there()) == NOTHING
    parts, later = send(handle, LONG), send(handle, b"two", LONG)
    assert len(parts) > 3
    arrive(parts[:2])
    assert (there().receive_sequence, *order(there())) == (1, 2, None, None, None)
    arrive(parts[3:])
    assert order(there()) == (2, None, None, None)
    arrive(later[:3])
    assert order(there()) == (2, 2, 3, 1)
    arrive(parts[2:3])
    assert (there().receive_sequence, *order(there())) == (3, 2, None, None, None)
    arrive(later)
    assert (there().receive_sequence, *order(there())) == (4, *NOTHING)


def test_messages_for_a_queue_that_is_off_wait_in_the_transmission_queue_of_its_database(wire: Wire) -> None:
    handle = begin()
    arrive(send(handle, b"first"))
    frames = send(handle, b"second", LONG)
    set_queue(is_on=False)
    arrive(frames[:-1])
    rows = incoming()
    assert [row.message_sequence_number for row in rows] == [1, 2]
    row = rows[0]
    assert (row.database, row.conversation_handle) == ("two", there().conversation_handle)
    assert (row.from_service_name, row.to_service_name, row.to_broker_instance) == ("From", "To", TWO)
    assert (row.transmission_status[:5], row.waits_for_queue, row.message_bytes) == ("9749:", "ToQ", 6)
    assert 0 < (rows[1].message_bytes or 0) < len(LONG)
    assert incoming(database="two", to_service_name="To") == incoming(from_service_name="From") == rows
    assert incoming(conversation_handle=row.conversation_handle, instance="B") == rows
    assert incoming(database="one") == incoming(to_service_name="From") == []
    set_queue(is_on=True)
    assert incoming() == []  # an incomplete message now counts in the queue
    assert HeldFragment.objects.exists()


@pytest.mark.thorough("keyset pages are tested on PostgreSQL in test_selectors.py", on="postgresql")
def test_pages_give_both_kinds_of_messages_once(wire: Wire, monkeypatch: Any) -> None:
    handles = [begin() for _ in range(3)]
    for handle in handles:
        arrive(send(handle, b"first"))
    set_queue(is_on=False)
    for handle in handles:
        arrive(send(handle, b"a", b"b", b"c"))
    send(handles[0], b"lost")
    whole = everything({}, limit=100)
    assert sum(row.instance == "B" for row in whole) == 9
    for window in (2, 3, 10_000):
        monkeypatch.setattr(keyset_views, "WINDOW", window)
        for limit in (1, 2, 5):
            assert everything({}, limit) == whole


keys = st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 1), st.integers(1, 2))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(keys), st.sets(keys), st.integers(1, 4), st.integers(1, 4))
def test_pages_of_two_tables_give_every_row_once_in_order(
    one: set[Key], other: set[Key], limit: int, window: int
) -> None:
    """Each table shows some of the rows up to where it looked."""
    tables = [sorted(one), sorted(other - one)]

    def page(table: list[Key], after: Key | None) -> TablePage:
        left = [key for key in table if after is None or key > after]
        shown, end = left[:window], left[window - 1] if len(left) > window else None
        if len(shown) > limit:
            return TablePage([(key, ()) for key in shown[:limit]], shown[limit - 1])
        return TablePage([(key, ()) for key in shown], end)

    found: list[Key] = []
    after: Key | None = None
    while True:
        both = merged([page(table, after) for table in tables], limit)
        found += [key for key, _ in both.rows]
        after = both.end
        if after is None:
            break
    assert found == sorted(one | other)
