"""The store in memory, and how seldom the engine asks a store."""

from __future__ import annotations

import pytest

from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import QueueKey
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.runtime.store import QueueDepth, Store
from routing.simulation.memory_queue import HEAP_SLACK
from routing.simulation.memory_store import MemoryStore
from tests.routing.dialog.local import Local
from tests.routing.runtime.store.conformance import (
    ALL,
    NOW,
    RECEIVING,
    Q,
    RetainedRows,
    StoreConformance,
    endpoint,
    look,
    message,
    run_at_once,
    take,
    take_at_once,
    write,
)


class TestMemoryStore(StoreConformance):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()

    @pytest.fixture
    def retained(self, store: MemoryStore) -> RetainedRows:
        def read() -> list[tuple[int, str, int]]:
            rows = store.retained()
            return sorted((one.queuing_order, (one.message_body or b"").decode(), one.status) for one in rows)

        return read

    @pytest.mark.parametrize("name", RECEIVING)
    def test_without_a_claim_it_is_received_alike(
        self, store: Store, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run_at_once(name, store, monkeypatch)

    def test_a_queue_that_is_off_by_now_gives_nothing_without_a_claim(self, store: Store) -> None:
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        known = look(store, ClaimRequest())
        write(store, queues={Q: False})
        assert store.take(ALL, known, NOW) is None
        assert store.take(ALL, look(store, ClaimRequest()), NOW) is None
        write(store, queues={Q: True})
        assert take_at_once(store) == ["1t 0"]

    def test_what_cannot_be_taken_without_a_claim_is_left(self, store: Store) -> None:
        write(store, endpoint("1t"), enqueued=[message("1t", 0)])
        others = ReceiveRequest(Q, group="1t", only=(1,)), ReceiveRequest(Q, 0), ReceiveRequest(Q, handle="nowhere")
        known = look(store, ClaimRequest())
        assert [store.take(other, known, NOW) for other in others] == [None] * 3
        reader = store.claim(ClaimRequest(("1t",)), NOW)
        assert take_at_once(store) == []
        store.release(reader.token)
        assert take_at_once(store) == ["1t 0"]

    def test_heaps_do_not_grow_with_what_has_gone(self) -> None:
        store = MemoryStore()
        write(store, endpoint("1i", due=NOW))
        for number in range(HEAP_SLACK * 4):
            token = store.claim(ClaimRequest(("1i",)), NOW).token
            changed = endpoint("1i", due=NOW + number)
            store.commit(ChangeSet(token, NOW, endpoints={"1i": changed}, enqueued=[message("1i", number)]))
            take(store, ReceiveRequest(Q, handle="1i"))
        assert len(store._due) <= HEAP_SLACK + 2
        assert len(store._queues[Q]._ready) <= HEAP_SLACK + 3
        assert look(store, ClaimRequest(due=1), NOW + HEAP_SLACK * 4).due == ("1i",)
        assert take(store) == []


class Counting:
    """A store that counts how often it is asked."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.calls = 0

    def claim(self, wanted: ClaimRequest, now: int) -> ClaimedBatch:
        self.calls += 1
        return self.store.claim(wanted, now)

    def commit(self, changes: ChangeSet) -> None:
        self.calls += 1
        self.store.commit(changes)

    def flush(self) -> None:
        self.calls += 1
        self.store.flush()

    def release(self, token: int) -> None:
        self.calls += 1
        self.store.release(token)

    def forget_claims(self) -> None:
        self.store.forget_claims()

    def next_due(self) -> int | None:
        return self.store.next_due()  # the caller's clock asks, not the batch

    def depth(self, queue: QueueKey) -> QueueDepth:
        self.calls += 1
        return self.store.depth(queue)


@pytest.fixture
def counting() -> Counting:
    return Counting()


def calls_of_200_messages(world: Local, counting: Counting, handles: tuple[str, ...]) -> int:
    counting.calls = 0
    work = world.broker.work(ClaimRequest(handles=handles), world.now)
    for _ in range(200 // len(handles)):
        send(work, handles, "DEFAULT", b"x")
    world.broker.commit(work)
    return counting.calls


@pytest.mark.parametrize("conversations", [1, 50])
def test_a_batch_of_200_messages_takes_at_most_3_calls(counting: Counting, conversations: int) -> None:
    world = Local(store=counting)
    handles = tuple(world.begin() for _ in range(conversations))
    assert calls_of_200_messages(world, counting, handles) <= 3
    assert counting.store.depth(("two", "ToQ")).messages == 200
    counting.calls = 0
    request = ReceiveRequest(("two", "ToQ"))
    received = world.do(receive, request, wanted=ClaimRequest(receive=request))
    assert len(received) == 200 / conversations
    assert counting.calls <= 3


def test_200_messages_that_waited_take_at_most_3_calls(counting: Counting) -> None:
    world = Local(store=counting)
    handles = tuple(world.begin() for _ in range(50))
    world.switch(on=False)
    assert calls_of_200_messages(world, counting, handles) <= 3
    world.switch(on=True)
    counting.calls = 0
    world.later(5_000)
    assert counting.calls <= 3
    assert counting.store.depth(("two", "ToQ")).messages == 200
