"""Redis gone for a while, full, or slow: what arrives waits in bounded memory, notices are kept, no connection ends."""

from __future__ import annotations

import asyncio

import pytest
from redis import Redis

from brokerui.core.async_redis import AsyncRedis
from brokerui.messaging.endpoint.inbox import Inbox
from brokerui.messaging.endpoint.notifier import AT_ONCE, Notifier
from brokerui.messaging.exchange.frame_bundles import shard_of
from brokerui.messaging.exchange.lists import MOST_NOTICES, run, take_arrived
from brokerui.messaging.exchange.messages import Online
from routing.adjacent.connection_settings import CLOSE_SHUTDOWN
from routing.common.event_subclasses import ConnectionSubclass
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.scene import address, fragment, running, send
from tests.brokerui.messaging.endpoint.test_hostile import Peer
from tests.brokerui.messaging.endpoint.valkey import Valkey

NOWHERE = "unix:///nowhere/valkey.sock"


class Reader:
    def __init__(self, peer: str = "P") -> None:
        self.peer = peer
        self.paused = 0

    def pause(self) -> None:
        self.paused += 1

    def resume(self) -> None:
        self.paused = 0


def some(count: int) -> list[bytes]:
    return [fragment(number) for number in range(count)]


def test_what_comes_is_bounded_and_readers_wait_while_redis_takes_nothing() -> None:
    async def scenario() -> None:
        async with AsyncRedis(NOWHERE, connect_s=2.0, answer_s=5.0) as client:
            size = len(fragment(0))
            arrivals, reader, other = Inbox(client, "A", 10 * size, lambda: None), Reader(), Reader("Q")
            arrivals.put(reader, some(4))
            assert not reader.paused
            arrivals.put(reader, some(1))
            assert reader.paused, "half is left for others"
            arrivals.put(other, some(2))
            assert not other.paused
            arrivals.put(other, some(1))
            assert other.paused
            await asyncio.sleep(0.1)  # time in which a loss would show
            assert (arrivals.held, arrivals.lost) == (8 * size, 0)
            arrivals.put(reader, some(20))
            assert (arrivals.held, arrivals.lost) == (20 * size, 8)
            assert (reader.paused, other.paused) == (2, 1)
            arrivals.forget(reader)
            arrivals.forget(Reader("who never brought anything"))
            await arrivals.stop()

    played(scenario())


def test_a_reader_for_whom_there_is_no_room_at_all_goes_on_by_itself(client: Redis, valkey: Valkey) -> None:
    async def scenario() -> None:
        async with AsyncRedis(valkey.url, connect_s=2.0, answer_s=5.0) as there:
            arrivals, late = Inbox(there, "A", len(fragment(0)), lambda: None), Reader("late")
            for number in range(3):
                arrivals.put(Reader(str(number)), some(1))
            arrivals.put(late, some(1))
            assert (arrivals.lost, late.paused) == (2, 1)
            while late.paused or arrivals.held:
                await asyncio.sleep(0.01)
            await arrivals.stop()
        assert run(client, take_arrived("A", shard_of(fragment(0), 4), 1 << 20)) == some(1) * 2

    played(scenario())


def test_what_was_read_before_a_reader_waited_arrives_once_redis_is_back(valkey: Valkey) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            scene.look()
            valkey.kill()
            peer.send([fragment(number) for number in range(5)])
            await scene.happens(lambda: scene.endpoint.hosts["A"].arrivals.held == 5 * len(fragment(0)))
            valkey.start()
            await scene.until(lambda: len(scene.came) == 5, "A")
            peer.connection.close(0.0, CLOSE_SHUTDOWN)
            await asyncio.to_thread(peer.push)
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED))
            peer.close()

    played(scenario())


def test_what_happens_meanwhile_is_told_afterwards_in_order(valkey: Valkey) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            valkey.kill()
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            await scene.happens(lambda: scene.endpoint.hosts["A"].wires)
            peer.close()
            await scene.happens(lambda: not scene.endpoint.hosts["A"].wires)
            valkey.start()
            await scene.until(lambda: scene.seen(ConnectionSubclass.CLOSED))
            assert (
                scene.seen(ConnectionSubclass.ACCEPT, ConnectionSubclass.CLOSED)[0].subclass
                is ConnectionSubclass.ACCEPT
            )

    played(scenario())


def test_the_newest_of_what_could_not_be_told_is_kept() -> None:
    async def scenario() -> None:
        async with AsyncRedis(NOWHERE, connect_s=2.0, answer_s=5.0) as client:
            teller = Notifier(client)
            for number in range(MOST_NOTICES + 5):
                teller.notice(Online("A", str(number)))
            with pytest.raises(ConnectionError):
                await teller.flush()
            assert [one.address for one in teller._notices] == [str(n) for n in range(5, MOST_NOTICES + 5)]
            assert AT_ONCE < MOST_NOTICES

    from redis import ConnectionError  # noqa: A004 - Redis's

    played(scenario())


def test_what_is_to_be_sent_is_had_once_redis_is_back(valkey: Valkey) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            with valkey.client() as client:
                send(client, "A", b, [fragment(0)])
            await scene.until(lambda: scene.came, "B")
            link = scene.endpoint.hosts["A"].links[b]
            valkey.kill()
            link.want()
            scene.endpoint.hosts["A"].want("tcp://127.0.0.1:1")
            await asyncio.sleep(0.6)  # some attempts without Redis fail meanwhile
            valkey.start()
            with valkey.client() as client:
                send(client, "A", b, [fragment(1)])
                await scene.until(lambda: len(scene.came) == 2, "B")

    played(scenario())


@pytest.mark.usefixtures("no_loop")
def test_an_endpoint_ends_without_redis(valkey: Valkey) -> None:
    async def scenario() -> None:
        async with running(valkey, {"A": [address()]}):
            valkey.kill()

    played(scenario())


def test_a_link_ends_when_nothing_was_sent_for_a_while(valkey: Valkey) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}, wanted_for=0.5) as scene:
            with valkey.client() as client:
                send(client, "A", b, [fragment(0)])
                await scene.until(lambda: scene.came, "B")
                await scene.until(lambda: not scene.endpoint.hosts["A"].links)
                send(client, "A", b, [fragment(1)])
                await scene.until(lambda: len(scene.came) == 2, "B")

    played(scenario())


def test_the_database_gone_for_a_while_changes_nothing(valkey: Valkey, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        b = address()
        async with running(valkey, {"A": [], "B": [b]}) as scene:
            scene.is_database_gone = True
            await scene.looked()
            with valkey.client() as client:
                send(client, "A", b, [fragment(0)])
                await scene.until(lambda: scene.came, "B")
            scene.is_database_gone = False
            await scene.looked()

    played(scenario())
    assert [record.getMessage() for record in caplog.records].count("look: the database is gone") == 1
