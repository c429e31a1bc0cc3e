"""The endpoint process: the hosted instances, and what passes between them and Redis."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import islice

from redis import RedisError

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.languages import local
from brokerui.core.redis_values import taken_readable
from brokerui.messaging.endpoint.connection_limiter import ConnectionLimiter
from brokerui.messaging.endpoint.connection_rows import row_of
from brokerui.messaging.endpoint.instance_server import InstanceServer
from brokerui.messaging.endpoint.notifier import Notifier
from brokerui.messaging.endpoint.options import EndpointOptions
from brokerui.messaging.endpoint.task_cancellation import cancel_all
from brokerui.messaging.endpoint.tls import Tls
from brokerui.messaging.exchange.lists import (
    OUTGOING,
    WANTED,
    discard_outgoing,
    held_lists,
    run_async,
    run_async_when_popped,
    show_connections,
    take_outgoing,
)
from brokerui.messaging.exchange.messages import ConnectionRow
from routing.common.event_subclasses import ConnectionSubclass
from routing.common.network_events import BrokerConnection
from routing.common.sentence import say

logger = logging.getLogger(__name__)
Hosted = Mapping[str, tuple[str, ...]]
LOOK_SECONDS = 1.0
"""Seconds between two checks of the hosted instances and of lists without a notification."""
SHOW_SECONDS = 1.0
WAIT_SECONDS = 1
"""For which Redis keeps us waiting for something to send."""
FEW = 8
"""The largest number of links at which the endpoint asks for their frames together with the wait for news of them."""
PAUSE = 0.5
"""Seconds until Redis is tried again."""


class EndpointProcess:
    """Everything that one process of `brokerui endpoint` does."""

    def __init__(
        self,
        client: AsyncRedis,
        hosted: Callable[[], Awaitable[Hosted]],
        wake: Callable[[], None],
        options: EndpointOptions | None = None,
        tls: Tls | None = None,
    ) -> None:
        """`hosted` is asked again and again; `wake` is called when something arrived for workers that have nothing."""
        self.client = client
        self.options = options or EndpointOptions()
        self.tls = tls
        self.guests = ConnectionLimiter(self.options.connections, self.options.connections_of_peer)
        self.teller = Notifier(client)
        self.hosts: dict[str, InstanceServer] = {}
        self._ids: dict[str, bytes] = {}
        self._hosted = hosted
        self._wake = wake
        self._epoch = time.time() - time.monotonic()
        self._shown: dict[str, ConnectionRow] | None = None
        """None: what stands there is another's."""

    async def run(self, stop: asyncio.Event) -> None:
        """Run until SIGTERM; then close the connections and hand over the arrived frames."""
        work = (
            self._again(LOOK_SECONDS, self._look),
            self._again(SHOW_SECONDS, self._show),
            self._again(0.0, self._hear),
            self.teller.run(),
        )
        tasks = [asyncio.create_task(each) for each in work]
        await stop.wait()
        await cancel_all(tasks)
        await asyncio.gather(*(host.stop() for host in self.hosts.values()))
        await self._say_goodbye()

    async def _say_goodbye(self) -> None:
        try:
            await self.teller.flush()
            await run_async(self.client, show_connections((), (), anew=True))
        except RedisError as error:
            logger.info("the last events could not be reported: %s", error)

    async def _again(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Whatever is wrong with Redis, or with the database: it is tried again."""
        problem = ""
        while True:
            try:
                await work()
                problem = ""
                await asyncio.sleep(seconds)
            except Exception as error:  # noqa: BLE001 - the endpoint outlives what it works with
                if str(error) != problem:
                    problem = str(error)
                    logger.warning("%s: %s", work.__name__.strip("_"), problem or type(error).__name__)
                await asyncio.sleep(PAUSE)

    # -------------------------------------------------------------------------------------------- hosted instances
    async def _look(self) -> None:
        hosted = await self._hosted()
        for name in set(self.hosts) - set(hosted):
            del self._ids[name]
            await self.hosts.pop(name).stop()
        for name, addresses in hosted.items():
            if name not in self.hosts:
                self.hosts[name] = self._new(name)
            await self.hosts[name].listen(addresses)
        for place in await held_lists(self.client):
            if isinstance(place.to, int):
                self._wake()  # the first time it may have been lost
            else:
                await self._want(place.instance, place.to)

    def _new(self, name: str) -> InstanceServer:
        around = (self.client, self.options, self.tls, self.guests, self.teller, self._ids, self._wake)
        host = InstanceServer(name, *around)
        self._ids[name] = host.instance_id
        return host

    # -------------------------------------------------------------------------------------------- outgoing lists
    async def _hear(self) -> None:
        """Wait for a list that begins to hold something. Frames of links to which they come one by one come with the
        news of it: they wait for no second way to Redis."""
        quiet = self._quiet_links()
        commands = [take_outgoing(*place, self.options.outgoing_bytes) for place in quiet]
        name, outcomes = await run_async_when_popped(self.client, WANTED, WAIT_SECONDS, commands)
        came = {place: frames for place, frames in zip(quiet, outcomes, strict=True) if frames}
        for (instance, address), frames in came.items():
            if instance in self.hosts:
                self.hosts[instance].offer(address, frames)
        for place in taken_readable(WANTED, [name] if name else [], _wanted):
            if place not in came:
                await self._want(*place)

    def _quiet_links(self) -> list[tuple[str, str]]:
        """Return the instance and the address of each quiet link, where there are few links."""
        links = [(host, link) for host in self.hosts.values() for link in islice(host.links.values(), FEW + 1)]
        return [(host.name, link.address) for host, link in links if link.is_quiet] if len(links) <= FEW else []

    async def _want(self, instance: str, address: str) -> None:
        if instance in self.hosts:
            self.hosts[instance].want(address)
        else:
            await run_async(self.client, discard_outgoing(instance, address))

    # -------------------------------------------------------------------------------------------- connection rows
    async def _show(self) -> None:
        """Write the changed rows of connections into Redis; all of them if Redis has lost the rest."""
        for (instance, where), times in self.guests.refused().items():
            text = local(say("too many connections"))
            self.teller.event(instance, BrokerConnection(ConnectionSubclass.CLOSED, "", where, text, times))
        rows = self._rows()
        before = self._shown or {}
        changed = [row for id_, row in rows.items() if before.get(id_) != row]
        gone = [id_ for id_ in before if id_ not in rows]
        is_new = self._shown is None
        there = await run_async(self.client, show_connections(changed, gone, anew=is_new))
        if not there and not is_new:
            await run_async(self.client, show_connections(rows.values(), (), anew=True))
        self._shown = rows

    def _rows(self) -> dict[str, ConnectionRow]:
        epoch = self._epoch
        wires = [wire for host in self.hosts.values() for wire in host.wires.values()]
        return {row.transport_stream_id: row for row in (row_of(wire, epoch) for wire in wires)}


def _wanted(name: bytes) -> tuple[str, str]:
    """Return the instance and the address of an outgoing list by its name. Raises `ValueError` for another name."""
    to, _, instance = name.decode().removeprefix(OUTGOING).partition(" ")
    if not instance or not name.startswith(OUTGOING.encode()):
        raise ValueError("no outgoing list")
    return instance, to
