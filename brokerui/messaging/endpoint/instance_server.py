"""One hosted instance at work: where it listens, its next hops, and its connections."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any

from brokerui.core.async_redis import AsyncRedis
from brokerui.messaging.endpoint.connection_limiter import ConnectionLimiter
from brokerui.messaging.endpoint.inbox import Inbox
from brokerui.messaging.endpoint.link import NextHopLink
from brokerui.messaging.endpoint.listener import Listener
from brokerui.messaging.endpoint.notifier import Notifier
from brokerui.messaging.endpoint.options import EndpointOptions
from brokerui.messaging.endpoint.permission import objection
from brokerui.messaging.endpoint.task_cancellation import cancel_all
from brokerui.messaging.endpoint.tls import Tls
from brokerui.messaging.endpoint.wire import Wire
from brokerui.messaging.exchange.messages import EndpointEvent
from routing.adjacent.frames import Hello
from routing.adjacent.online_connections import OnlineConnections, RegisteredConnection
from routing.common.sentence import Sentence

logger = logging.getLogger(__name__)
ID = 16
STOP_SECONDS = 3.0
"""Time to wait for peers at the end, in seconds: the supervisor does not wait much longer."""


class InstanceServer:
    """The state that all connections of the instance share."""

    def __init__(
        self,
        name: str,
        client: AsyncRedis,
        options: EndpointOptions,
        tls: Tls | None,
        guests: ConnectionLimiter,
        teller: Notifier,
        hosted: Mapping[str, bytes],
        wake: Callable[[], None],
    ) -> None:
        self.name = name
        self.client = client
        self.options = options
        self.tls = tls
        self.guests = guests
        self.teller = teller
        self.instance_id = secrets.token_bytes(ID)
        self.neighbours = OnlineConnections()
        self.wires: dict[RegisteredConnection, Wire] = {}
        self.links: dict[str, NextHopLink] = {}
        self.listeners: dict[str, Listener] = {}
        self.arrivals = Inbox(client, name, options.arriving_bytes, wake)
        self._hosted = hosted
        self._tasks: set[asyncio.Task[None]] = set()

    # -------------------------------------------------------------------------------------------- for its connections
    def now(self) -> float:
        """Seconds of the event loop's clock."""
        return asyncio.get_running_loop().time()

    def now_ms(self) -> int:
        """The clock of `now` in milliseconds, the unit of `PeerConnection`."""
        return round(self.now() * 1000)

    def hello(self) -> Hello:
        """For a new connection."""
        return Hello(self.name, self.instance_id, secrets.token_bytes(ID))

    def objection(self, hello: Hello) -> Sentence | None:
        return objection(hello, self._hosted)

    def tell(self, event: EndpointEvent) -> None:
        self.teller.event(self.name, event)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Beside everything else, until it is done or the instance stops."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s: %s", self.name, error, exc_info=error)

    def came_online(self, wire: Wire) -> None:
        """A peer has connected by itself: links that wait to retry it need not wait."""
        peer = wire.connection.peer
        assert peer is not None
        for link in self.links.values():
            if link.peer is not None and link.peer.name == peer.name:
                if wire.is_accept:
                    link.peer = peer
                link.hurry()

    def went(self, wire: Wire) -> None:
        for link in self.links.values():
            link.is_over(wire)

    def forget(self, wire: Wire) -> None:
        self.wires.pop(wire.connection, None)
        self.arrivals.forget(wire)

    # -------------------------------------------------------------------------------------------- notifications
    def want(self, address: str) -> None:
        """Frames for an address wait in Redis."""
        link = self._link(address)
        if link is not None:
            link.want()

    def offer(self, address: str, frames: Iterable[bytes]) -> None:
        """Send frames that were taken from Redis; they are lost where there are too many next hops already."""
        link = self._link(address)
        if link is not None:
            link.offer(frames)

    def _link(self, address: str) -> NextHopLink | None:
        """Return the way to an address; a new one unless there are too many."""
        link = self.links.get(address)
        if link is None and len(self.links) < self.options.next_hops:
            link = self.links[address] = NextHopLink(self, address)
            self.start(self._run(link))
        return link

    async def _run(self, link: NextHopLink) -> None:
        try:
            await link.run()
        finally:
            del self.links[link.address]

    async def listen(self, addresses: Iterable[str]) -> None:
        """Exactly there from now on; where that is not possible it is tried again at the next call."""
        wanted = set(addresses)
        for address in set(self.listeners) - wanted:
            await self.listeners.pop(address).close()
        for address in sorted(wanted):
            await self.listeners.setdefault(address, Listener(self, address)).open()

    async def stop(self) -> None:
        """Listen no more, say CLOSE to all, and wait until they have gone, but not for long."""
        await self.listen(())
        await cancel_all(self._tasks)
        for wire in list(self.wires.values()):
            wire.close()
        until = self.now() + STOP_SECONDS
        while self.wires and self.now() < until:
            await asyncio.sleep(0.01)
        for wire in list(self.wires.values()):
            wire.drop()
        await asyncio.sleep(0)  # in which the sockets are closed
        await self.arrivals.stop()
