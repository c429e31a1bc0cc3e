"""Endpoints in the process of the test, over a real Valkey and real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from django.conf import settings
from redis import Redis

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.backoff import Backoff
from brokerui.messaging.endpoint import process
from brokerui.messaging.endpoint.options import EndpointOptions
from brokerui.messaging.endpoint.process import EndpointProcess
from brokerui.messaging.endpoint.tls import Tls
from brokerui.messaging.exchange.lists import put_outgoing, run, take_arrived, take_events, take_notices
from brokerui.messaging.exchange.messages import EndpointEvent, Notice
from routing.adjacent.connection_settings import ConnectionSettings
from routing.adjacent.fragment import write_fragment
from tests.brokerui.messaging.endpoint.valkey import Valkey
from tests.brokerui.product import free_port
from tests.routing.adjacent.wire import HEADER

QUICK = EndpointOptions(
    connection=ConnectionSettings(max_outgoing_bytes=1 << 20, login_timeout_ms=2000, closing_timeout_ms=1000),
    connect_within=2.0,
    reconnects=Backoff(first_s=0.05, max_s=0.2),
)
PATIENCE = 10.0
LOOK_SECONDS = 0.1
"""After which an endpoint of these tests looks again which instances are hosted."""


def address() -> str:
    return f"tcp://127.0.0.1:{free_port()}"


def port_of(at: str) -> int:
    return int(at.rpartition(":")[2])


def fragment(number: int, size: int = 100, conversation: int = 1) -> bytes:
    header = HEADER._replace(conversation_id=conversation.to_bytes(16, "big"), sequence=number)
    return write_fragment(header, bytes(size))


def send(client: Redis, instance: str, to: str, frames: Iterable[bytes]) -> list[bytes]:
    """Gives those for which there was no room."""
    return run(client, put_outgoing(instance, [(to, raw) for raw in frames]))


class Scene:
    """What a test sees of one endpoint."""

    def __init__(self, endpoint: EndpointProcess, client: Redis) -> None:
        self.endpoint = endpoint
        self.client = client
        self.woken = 0
        self.requests = 0
        """How often the endpoint has asked the database which instances are hosted."""
        self.is_database_gone = False
        self.notices: list[Notice] = []
        self.events: list[EndpointEvent] = []
        self.came: list[bytes] = []

    def look(self, *instances: str) -> Scene:
        """Take everything that is there now."""
        self.notices += run(self.client, take_notices(1000))
        self.events += [notice.event for notice in run(self.client, take_events(1000))]
        for instance in instances:
            for shard in range(settings.ENDPOINT_SHARDS):
                self.came += run(self.client, take_arrived(instance, shard, 1 << 30))
        return self

    def seen(self, *subclasses: Any) -> list[Any]:
        """The events of these subclasses, in their order."""
        return [event for event in self.events if any(event.subclass is one for one in subclasses)]

    async def until(self, condition: Callable[[], Any], *instances: str, seconds: float = PATIENCE) -> Any:
        until = asyncio.get_running_loop().time() + seconds
        while not (found := self.look(*instances) and condition()):
            assert asyncio.get_running_loop().time() < until, f"it did not happen: {self.events} {self.notices}"
            await asyncio.sleep(0.01)
        return found

    async def looked(self, times: int = 2) -> None:
        """Wait until the endpoint has looked once more, from its beginning to its end: what it does by then is all."""
        await self.happens(lambda wanted=self.requests + times: self.requests >= wanted)

    async def happens(self, condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
        """Wait for it without asking Redis, which may be gone."""
        until = asyncio.get_running_loop().time() + seconds
        while not condition():
            assert asyncio.get_running_loop().time() < until, "it did not happen"
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(
    valkey: Valkey,
    hosted: dict[str, Sequence[str]],
    options: EndpointOptions = QUICK,
    tls: Tls | None = None,
    **changes: Any,
) -> AsyncIterator[Scene]:
    """An endpoint with these instances, which listens when it is given; `hosted` may change."""

    async def ask() -> dict[str, tuple[str, ...]]:
        scene.requests += 1
        if scene.is_database_gone:
            raise OSError("the database is gone")
        return {name: tuple(addresses) for name, addresses in hosted.items()}

    def wake() -> None:
        scene.woken += 1

    client = AsyncRedis(valkey.url, connect_s=5.0, answer_s=5.0)
    endpoint = EndpointProcess(client, ask, wake, replace(options, **changes), tls)
    stop = asyncio.Event()
    task = asyncio.create_task(endpoint.run(stop))
    with valkey.client() as sync, patch.object(process, "LOOK_SECONDS", LOOK_SECONDS):
        scene = Scene(endpoint, sync)
        try:
            await scene.until(lambda: set(endpoint.hosts) == set(hosted))
            await scene.until(
                lambda: all(one.is_open for own in endpoint.hosts.values() for one in own.listeners.values())
            )
            yield scene
        finally:
            stop.set()
            await task
            await client.aclose()


def dialled(at: str) -> socket.socket:
    """A peer that the test plays itself."""
    return socket.create_connection(("127.0.0.1", port_of(at)), 5)
