"""Redis gone for a while, full, or slow: what comes waits in bounded memory, what is told is kept, nothing ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis as AsyncRedis

from brokerui.messaging.endpoint.arrivals import Arrivals
from brokerui.messaging.endpoint.lists import MOST_NOTICES
from brokerui.messaging.endpoint.teller import AT_ONCE, Teller
from brokerui.messaging.endpoint.telling import Online
from routing.adjacent.connection import SHUTDOWN
from routing.events import OfConnection
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.scene import address, fragment, running, send
from tests.brokerui.messaging.endpoint.test_hostile import Peer
from tests.brokerui.messaging.endpoint.valkey import Valkey

NOWHERE = "unix:///nowhere/valkey.sock"


class Reader:
    def __init__(self) -> None:
        self.paused = 0

    def pause(self) -> None:
        self.paused += 1

    def resume(self) -> None:
        self.paused = 0


def test_what_comes_is_bounded_and_readers_wait_while_redis_takes_nothing() -> None:
    async def scenario() -> None:
        async with AsyncRedis.from_url(NOWHERE) as client:
            size = len(fragment(0))
            arrivals, reader = Arrivals(client, "A", 10 * size, lambda: None), Reader()
            arrivals.put(reader, [fragment(number) for number in range(9)])
            assert not reader.paused
            assert not await arrivals.flush()
            arrivals.put(reader, [fragment(9)])
            assert reader.paused
            arrivals.put(reader, [fragment(number) for number in range(10, 30)])
            assert (arrivals.held, arrivals.lost) == (20 * size, 10)
            arrivals.forget(reader)

    played(scenario())


def test_what_was_read_before_a_reader_waited_arrives_once_redis_is_back(valkey: Valkey) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            scene.look()
            valkey.kill()
            peer.send([fragment(number) for number in range(5)])
            await asyncio.sleep(0.8)
            assert scene.endpoint.hosts["A"].arrivals.held == 5 * len(fragment(0))
            valkey.start()
            await scene.until(lambda: len(scene.came) == 5, "A")
            peer.connection.close(0.0, SHUTDOWN)
            await asyncio.to_thread(peer.push)
            await scene.until(lambda: scene.seen(OfConnection.CLOSED))
            peer.close()

    played(scenario())


def test_what_happens_meanwhile_is_told_afterwards_in_order(valkey: Valkey) -> None:
    async def scenario() -> None:
        a = address()
        async with running(valkey, {"A": [a]}) as scene:
            valkey.kill()
            peer = await asyncio.to_thread(lambda: Peer(a).come_online())
            await asyncio.sleep(0.3)
            peer.close()
            await asyncio.sleep(0.3)
            valkey.start()
            await scene.until(lambda: scene.seen(OfConnection.CLOSED))
            assert scene.seen(OfConnection.ACCEPT, OfConnection.CLOSED)[0].subclass is OfConnection.ACCEPT

    played(scenario())


def test_the_newest_of_what_could_not_be_told_is_kept() -> None:
    async def scenario() -> None:
        async with AsyncRedis.from_url(NOWHERE) as client:
            teller = Teller(client)
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
            await asyncio.sleep(0.6)
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

            async def fails() -> Any:
                raise OSError("the database is gone")

            scene.endpoint._hosted, before = fails, scene.endpoint._hosted
            await asyncio.sleep(1.5)
            with valkey.client() as client:
                send(client, "A", b, [fragment(0)])
                await scene.until(lambda: scene.came, "B")
            scene.endpoint._hosted = before
            await asyncio.sleep(1.0)

    played(scenario())
    assert [record.getMessage() for record in caplog.records].count("look: the database is gone") == 1
