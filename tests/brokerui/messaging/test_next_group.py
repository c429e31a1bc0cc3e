"""RECEIVE takes the first group in the order of the queue that is free, however much of the queue is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brokerui.messaging.leases import selectors
from brokerui.messaging.leases.models import Lease
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.models.queues import QueueMessage
from brokerui.messaging.store import DatabaseStore, receiving
from brokerui.messaging.store.next_group import looks
from brokerui.messaging.store.postgres_pool import pool_of
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.messages import QueuedMessage
from routing.dialog.system_names import ERROR_TYPE, TIMER_TYPE
from tests.routing.runtime.store.conformance import ALL, NOW, Q, endpoint, look, message, texts_of, write

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True, available_apps=["brokerui.messaging", "brokerui.messaging.leases"]),
]
FIRST_MESSAGES, CONVERSATIONS = 500, 400


@pytest.fixture
def store() -> Iterator[DatabaseStore]:
    made = hosted()
    yield made
    made.forget_claims()
    pool_of("default").close()


def hosted() -> DatabaseStore:
    return DatabaseStore(HostedInstance.objects.create(name=str(uuid4())).id)


def lease(store: DatabaseStore, group: str) -> None:
    Lease.objects.create(
        receipt=str(uuid4()),
        instance_id=store.instance,
        database=Q[0],
        queue=Q[1],
        conversation_group_id=group,
        owner="another",
        messages=[],
        count=0,
        until=NOW + 1,
    )


def received(store: DatabaseStore) -> list[str]:
    """The messages of a RECEIVE that is rolled back. A waiting reader is told that there are some."""
    assert has_messages(store.instance, Q)
    return texts_of(look(store, ClaimRequest(receive=ReceiveRequest(Q, 1))).received)


def many(handle: str, count: int) -> list[QueuedMessage]:
    return [message(handle, number) for number in range(count)]


@pytest.mark.parametrize("count", [FIRST_MESSAGES - 1, FIRST_MESSAGES, FIRST_MESSAGES + 1])
@pytest.mark.parametrize("is_leased", [True, False])
def test_what_stands_behind_a_long_group_that_is_not_free_is_received(
    store: DatabaseStore, count: int, is_leased: bool
) -> None:
    rows = [*many("1t", count), message("3t", 0), message("2t", 0, priority=4)]
    write(store, *map(endpoint, ("1t", "2t", "3t")), enqueued=rows)
    if is_leased:
        lease(store, "1t")
    else:
        store.claim(ClaimRequest(receive=ReceiveRequest(Q, 1)), NOW)
    assert received(store) == ["3t 0"]


def test_nothing_is_received_where_no_group_is_free(store: DatabaseStore) -> None:
    write(store, endpoint("1t"), endpoint("2t"), enqueued=[*many("1t", FIRST_MESSAGES), *many("2t", 1)])
    lease(store, "1t")
    lease(store, "2t")
    assert not has_messages(store.instance, Q)
    Lease.objects.filter(conversation_group_id="2t").delete()
    holder = store.claim(ClaimRequest(receive=ALL), NOW)
    assert texts_of(holder.received) == ["2t 0"]
    assert look(store, ClaimRequest(receive=ALL)).received_group is None


@pytest.mark.parametrize("others", [CONVERSATIONS - 2, CONVERSATIONS])
def test_of_many_conversations_the_one_of_the_highest_priority_is_next(store: DatabaseStore, others: int) -> None:
    rows = [message(f"{number}t", 0, priority=3) for number in range(others)]
    leased = [message("at", number, priority=9) for number in range(FIRST_MESSAGES)]
    write(store, enqueued=[*leased, *rows, message("zt", 0, priority=6)])
    lease(store, "at")
    assert received(store) == ["zt 0"]


@pytest.mark.parametrize("others", [CONVERSATIONS - 2, CONVERSATIONS])
def test_conversations_of_other_queues_are_passed(store: DatabaseStore, others: int) -> None:
    rows = [replace(message(f"{number}i", 0), queue="Other") for number in range(others)]
    write(store, enqueued=[*many("1t", FIRST_MESSAGES), *rows, message("2t", 0)])
    lease(store, "1t")
    assert received(store) == ["2t 0"]


@pytest.mark.parametrize("kind", [TIMER_TYPE, ERROR_TYPE])
def test_a_timer_and_an_error_come_in_their_turn(store: DatabaseStore, kind: str) -> None:
    rows = [message("2t", 0, message_type_name=kind), message("3t", 0)]
    write(store, enqueued=[*many("1t", FIRST_MESSAGES), *rows])
    lease(store, "1t")
    assert received(store) == ["2t 0"]


@dataclass(frozen=True)
class Queue:
    """Conversations by group and priority, their messages as they came, and the groups that are not free."""

    conversations: Sequence[tuple[str, int]]
    arrivals: Sequence[tuple[int, bool]]
    """Each of a conversation, and whether it is a timer."""
    leased: frozenset[str]
    held: frozenset[str]

    def messages(self) -> list[QueuedMessage]:
        found = []
        for number, (place, is_timer) in enumerate(self.arrivals):
            group, priority = self.conversations[place % len(self.conversations)]
            handle = f"{place % len(self.conversations)}t"
            kind = {"message_type_name": TIMER_TYPE} if is_timer else {}
            found.append(message(handle, number, group, priority=priority, **kind))
        return found

    def next(self, taken: Set[str]) -> str | None:
        """The group that is next where some are taken, as the rule says it."""
        free = [one for one in self.messages() if one.conversation_group_id not in taken]
        return max(free, key=lambda one: one.priority).conversation_group_id if free else None


GROUPS = "abcd"
QUEUES = st.builds(
    Queue,
    st.lists(st.tuples(st.sampled_from(GROUPS), st.integers(1, 3)), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=12),
    st.frozensets(st.sampled_from(GROUPS), max_size=2),
    st.frozensets(st.sampled_from(GROUPS), max_size=2),
)


@given(QUEUES, st.integers(0, 4), st.integers(0, 5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_look_finds_what_the_rule_says(
    monkeypatch: pytest.MonkeyPatch, queue: Queue, messages: int, conversations: int
) -> None:
    for module in receiving, selectors:
        monkeypatch.setattr(module, "LOOKS", looks(messages, conversations))
    store = hosted()
    try:
        write(store, enqueued=queue.messages())
        for group in queue.leased:
            lease(store, group)
        for group in queue.held - queue.leased:
            store.claim(ClaimRequest(receive=ReceiveRequest(Q, group=group)), NOW)
        assert look(store, ClaimRequest(receive=ALL)).received_group == queue.next(queue.leased | queue.held)
        assert has_messages(store.instance, Q) is (queue.next(queue.leased) is not None)
    finally:
        store.forget_claims()
        QueueMessage.objects.all().delete()
        pool_of("default").close()
