"""The way to one next hop: the connection that is used for it, and the frames that wait for it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import Iterable
from ipaddress import ip_address
from typing import NamedTuple, Protocol

from redis import RedisError

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.languages import local
from brokerui.messaging.endpoint.notifier import Notifier
from brokerui.messaging.endpoint.tls import tls_failure
from brokerui.messaging.endpoint.wire import Wire, WireOwner
from brokerui.messaging.exchange.lists import discard_outgoing, run_async, take_outgoing
from brokerui.messaging.exchange.messages import Failed, Online
from brokerui.messaging.exchange.status_numbers import (
    CONNECT_FAILED,
    NAME_NOT_FOUND,
    NO_LOGIN,
    NOT_AUTHENTICATED,
)
from routing.adjacent.connection_settings import CLOSE_DUPLICATE, CLOSE_IDLE
from routing.adjacent.frames import Hello
from routing.common.event_subclasses import ConnectionSubclass
from routing.common.sentence import Sentence, say

logger = logging.getLogger(__name__)
PAUSE = 0.25
"""Seconds until Redis is asked again."""
GATHER_S = 0.002
"""Frames that come within these seconds after others were sent go together; a frame that comes later goes at once."""
GATHER_MOST_S = 0.016
"""The same where frames come closely: the time doubles as long as they do, up to this one. Fewer and larger bundles
cost both endpoints, both Redis and the worker that takes them less, and so leave more to the senders."""
CLOSELY = 400
"""Frames a second that come closely. Where they come less closely, the time becomes half of what it was."""
ENOUGH = 32
"""Frames that are a large bundle: after them it gathers no longer than after one."""


class LinkOwner(WireOwner, Protocol):
    """The parts of an instance that the way to a next hop needs, beside those that connections need."""

    client: AsyncRedis
    teller: Notifier


class Problem(NamedTuple):
    """Why an address cannot be reached."""

    error: int
    text: str


class NextHopLink:
    """From one instance to one network address. `run` ends when nothing was wanted for a while."""

    def __init__(self, host: LinkOwner, address: str) -> None:
        self.host = host
        self.address = address
        self.peer: Hello | None = None
        """The peer that answered there last: a connection that it has opened serves as well."""
        self.failures = 0
        """In a row."""
        self._wire: Wire | None = None
        self._came: list[bytes] = []
        """Frames that came with the news of them, and are not sent yet."""
        self._sent_last = 0
        """How many frames it has sent together the last time."""
        self._is_told = False
        """Whether frames wait in Redis, as far as the link knows: it has heard of them, and has not asked since."""
        self._wanted = asyncio.Event()
        self._wanted_at = host.now()
        self._hurry = asyncio.Event()
        self.want()

    def want(self) -> None:
        """There is something to send in Redis."""
        self._is_told = True
        self._go()

    def _go(self) -> None:
        self._wanted_at = self.host.now()
        self._wanted.set()

    @property
    def is_quiet(self) -> bool:
        """Whether frames come one by one: the next one may come with the news of it, and need not be asked for."""
        return self._sent_last == 1 and not self._came and self.used() is not None

    def offer(self, frames: Iterable[bytes]) -> None:
        """Take frames that came with the news of them; they go before all that come later. Other frames that the link
        has heard of still wait in Redis."""
        self._came += frames
        self._go()

    def hurry(self) -> None:
        """Now it may be reached again: a pause between two attempts ends."""
        self._hurry.set()

    @property
    def is_wanted(self) -> bool:
        """Whether frames were requested lately: the frames of a retry count, though the list is empty now."""
        return self.host.now() - self._wanted_at < self.host.options.wanted_for

    async def run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self.host.options.wanted_for):
                    await self._wanted.wait()
            except TimeoutError:
                if not self._wanted.is_set():  # else it was set after the time had run out
                    return
            wire = self.used() or await self._reach()
            if wire is None:
                return
            try:
                await self._carry(wire)
            except RedisError as error:
                logger.info("the frames to send cannot be read: %s", error)
                await asyncio.sleep(PAUSE)

    def used(self) -> Wire | None:
        """The online connection to the peer, if there is one."""
        if self.peer is not None:
            connection = self.host.neighbours.get(self.peer)
            if connection is not None:
                return self.host.wires[connection]
        # An instance is no neighbour of itself.
        return self._wire if self._wire is not None and self._wire.connection.is_online else None

    def is_over(self, wire: Wire) -> None:
        """A connection is over: dial again where frames were requested lately."""
        assert wire.over is not None
        is_ours = wire is self._wire or (self.peer is not None and wire.connection.peer is not None)
        if not is_ours or (self.peer and wire.connection.peer and self.peer[:2] != wire.connection.peer[:2]):
            return
        if (
            wire.connection.login_at_ms is not None
            and wire.over.reason not in {CLOSE_IDLE, CLOSE_DUPLICATE}
            and self.is_wanted
        ):
            self._wanted.set()

    # -------------------------------------------------------------------------------------------- carrying
    async def _carry(self, wire: Wire) -> None:
        """Send the waiting frames, as long as the connection is online."""
        gather_s = 0.0
        while wire.connection.is_online:
            await wire.roomy.wait()
            self._wanted.clear()  # frames that are put from here on set it again
            most = self.host.options.outgoing_bytes
            frames = await self._frames(most)
            if frames:
                self._sent_last = len(frames)
                wire.send(frames)
            if sum(map(len, frames)) >= most:
                self.want()  # less is all that there was
            elif frames:
                gather_s = gathering_s(len(frames), gather_s)
                await asyncio.sleep(gather_s)
            if not self._wanted.is_set():
                return

    async def _frames(self, most: int) -> list[bytes]:
        """Return the frames that came with the news of them, and those that wait in Redis, if there may be any."""
        is_asking, self._is_told = self._is_told or not self._came, False
        taken: list[bytes] = []
        try:
            if is_asking:
                taken = await run_async(self.host.client, take_outgoing(self.host.name, self.address, most))
        except RedisError:
            if not self._came:
                raise
        came, self._came = self._came, []
        return [*came, *taken]

    # -------------------------------------------------------------------------------------------- reaching
    async def _reach(self) -> Wire | None:
        """Return a connection, however long it takes; None if it is not wanted any more."""
        while self.is_wanted:
            problem = None if self.used() else await self._dial()
            wire = self.used()
            if wire is not None:
                self._reached()
                return wire
            await self._failed(problem or Problem(NO_LOGIN, local(say("the connection was closed"))))
        return None

    def _reached(self) -> None:
        self.failures = 0
        self.host.teller.notice(Online(self.host.name, self.address))

    async def _failed(self, problem: Problem) -> None:
        """Report the failure, discard the frames, and wait; longer after each failure."""
        self.failures += 1
        if self.failures == 1:
            logger.warning("%s cannot reach %s: %s", self.host.name, self.address, problem.text)
        self.host.teller.notice(Failed(self.host.name, self.address, problem.error, problem.text))
        self._came.clear()
        try:
            await run_async(self.host.client, discard_outgoing(self.host.name, self.address))
        except RedisError as error:
            logger.info("what cannot be sent stays in Redis: %s", error)
        self._hurry.clear()
        try:
            await asyncio.wait_for(self._hurry.wait(), self.host.options.reconnects.pause_s(self.failures))
        except TimeoutError:
            return

    async def _dial(self) -> Problem | None:
        """One attempt; None: it came online, or is the duplicate of one that is."""
        wire = self._wire = Wire(self.host, self.address, is_accept=False)
        wire.connection.dial(self.host.now_ms())
        wire.tell(ConnectionSubclass.CONNECTING)
        wire.settle()
        try:
            async with asyncio.timeout(self.host.options.connect_within):
                await self._connect(wire)
        except (OSError, RefusedError) as error:
            return self._not_connected(wire, error)
        wire.begin()
        await wire.settled.wait()
        if wire.connection.peer is not None:
            self.peer = wire.connection.peer
        if wire.over is None or wire.over.reason == CLOSE_DUPLICATE:
            return None
        return Problem(NOT_AUTHENTICATED if wire.is_refused else NO_LOGIN, wire.why)

    async def _connect(self, wire: Wire) -> None:
        """Raises `OSError` (`ssl.SSLError` is one, and `TimeoutError`), or `RefusedError`."""
        host, _, port = self.address.removeprefix("tcp://").rpartition(":")
        host = host.strip("[]")
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
        places = list(dict.fromkeys(str(place[0]) for *_, place in found))
        self._check(places)
        for number, place in enumerate(places, 1):
            try:
                await loop.create_connection(lambda: wire, place, int(port))
                break
            except OSError:
                if number == len(places):
                    raise
        wire.tell(ConnectionSubclass.CONNECTED)
        if self.host.tls is not None:
            await wire.secure(self.host.tls.dialling, host)

    def _check(self, places: list[str]) -> None:
        is_open = self.host.tls is None and self.host.options.is_encryption_required
        if is_open and not all(is_loopback(place) for place in places):
            raise RefusedError(say("encryption is required beyond this machine, and no certificate is set"))

    def _not_connected(self, wire: Wire, error: OSError | RefusedError) -> Problem:
        text = reason_of(error)
        wire.error = error
        wire.tell(ConnectionSubclass.CONNECT_FAILED, text)
        wire.drop()
        if isinstance(error, socket.gaierror):
            return Problem(NAME_NOT_FOUND, text)
        is_security = isinstance(error, (ssl.SSLError, RefusedError))
        return Problem(NOT_AUTHENTICATED if is_security else CONNECT_FAILED, text)


def gathering_s(frames: int, last_s: float) -> float:
    """Return how long a link gathers after it has sent some frames, in seconds; `last_s`: the time in which these
    came, 0 where they are the first."""
    if not last_s or frames >= ENOUGH:
        return GATHER_S
    if frames > 1 and frames >= CLOSELY * last_s:
        return min(2 * last_s, GATHER_MOST_S)
    return max(last_s / 2, GATHER_S)


class RefusedError(Exception):
    """We do not connect there."""

    def __init__(self, problem: Sentence) -> None:
        super().__init__(local(problem))


def is_loopback(place: str) -> bool:
    """Whether an IP address is of this machine only."""
    return ip_address(place.partition("%")[0]).is_loopback


def reason_of(error: Exception) -> str:
    """The system's, with its number."""
    if isinstance(error, TimeoutError) and not error.args:
        return local(say("no answer in time"))
    if isinstance(error, ssl.SSLError):
        return tls_failure(error)
    number = error.errno if isinstance(error, OSError) else None
    if number is not None and number > 0:  # where there is no name there are other numbers
        return f"{number}({os.strerror(number)})"
    return str(error) or type(error).__name__
