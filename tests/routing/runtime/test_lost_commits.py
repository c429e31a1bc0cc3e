"""A commit that does not wait for the disk may be lost with its server: peers send again what it has taken."""

from __future__ import annotations

import pytest

from routing.dialog.batch import ChangeSet
from routing.simulation.memory_store import MemoryStore
from tests.routing.dialog.joined import Joined, joined_estate


class LosingStore(MemoryStore):
    """Loses its first commits that do not wait for the disk: the server crashes behind each of them."""

    def __init__(self, losses: int = 0) -> None:
        super().__init__()
        self.losses = losses
        self.waited: list[bool] = []
        """Of each commit, whether it waited for the disk."""
        self.has_crashed = False

    def commit(self, changes: ChangeSet) -> None:
        self.waited.append(not changes.is_async_commit)
        if changes.is_async_commit and self.losses:
            self.losses -= 1
            self.has_crashed = True
            self.release(changes.token)
        else:
            super().commit(changes)


def world(losses: int = 0) -> tuple[Joined, LosingStore, LosingStore]:
    a, b = LosingStore(losses), LosingStore(losses)
    return Joined(stores={"a": a, "b": b}), a, b


def settle(joined: Joined, *stores: LosingStore) -> None:
    """As `Joined.settle`, but a host starts again after each crash of its server; time passes for retries."""
    for _ in range(60):
        joined.collect()
        joined.carry()
        for host, store in zip("ab", stores, strict=True):
            if store.has_crashed:
                store.has_crashed = False
                joined.restart(host)
        if not joined.under_way:
            joined.now += 60_000


def carried(joined: Joined, store: LosingStore) -> bool:
    """Whether the commit of what arrived waited for the disk: the only one."""
    before = len(store.waited)
    joined.carry()
    (waited,) = store.waited[before:]
    return waited


def test_a_message_waits_for_the_disk_and_its_acknowledgement_does_not() -> None:
    joined, a, b = world()
    joined.send(joined.begin())
    joined.collect()
    assert carried(joined, b)
    joined.collect()
    assert not carried(joined, a)


def test_a_message_that_comes_once_more_is_answered_once_it_is_on_the_disk() -> None:
    """The first commit of it may not be there yet: that of the answer is behind it."""
    joined, _, b = world()
    joined.send(joined.begin())
    joined.collect()
    again = list(joined.under_way)
    joined.settle()
    joined.under_way = again
    assert carried(joined, b)
    assert joined.received() == ["x"]


def test_a_message_waits_for_the_disk_where_no_answer_can_be_sent() -> None:
    a, b = LosingStore(), LosingStore()
    joined = Joined(joined_estate(two={"routes": []}), stores={"a": a, "b": b})
    joined.send(joined.begin())
    joined.collect()
    assert carried(joined, b)
    assert (joined.collect(), joined.received()) == ([], ["x"])


@pytest.mark.parametrize("losses", [1, 3, 10])
def test_nothing_is_lost_or_doubled_where_acknowledgements_are(losses: int) -> None:
    joined, a, b = world(losses)
    handle = joined.begin()
    joined.send(handle, b"1", b"2", b"3")
    settle(joined, a, b)
    (first, *_others) = messages = joined.receive()
    joined.send(first.conversation_handle, b"4")
    settle(joined, a, b)
    assert [message.message_body for message in messages] == [b"1", b"2", b"3"]
    assert joined.received("one") == ["4"]
    joined.end(handle)
    settle(joined, a, b)
    assert joined.received() == ["END"]
    joined.end(first.conversation_handle)
    settle(joined, a, b)
    assert (a.losses < losses, b.losses < losses) == (True, True)
    assert (joined.received(), joined.received("one"), joined.state(handle)) == ([], [], "")
    assert joined.state(first.conversation_handle) in {"", "CD"}
