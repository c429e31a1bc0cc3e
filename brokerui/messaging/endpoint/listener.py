"""One address at which an instance listens."""

from __future__ import annotations

import asyncio
import logging
import socket

from brokerui.core.languages import local
from brokerui.messaging.endpoint.link import RefusedError, is_loopback, reason_of
from brokerui.messaging.endpoint.wire import Wire, WireOwner
from routing.common.sentence import say

logger = logging.getLogger(__name__)
BACKLOG = 512


class Listener:
    """Opened where it can be, and tried again where it cannot."""

    def __init__(self, host: WireOwner, address: str) -> None:
        self.host = host
        self.address = address
        self.problem = ""
        """Why it does not listen; said once in the log."""
        self._server: asyncio.Server | None = None

    @property
    def is_open(self) -> bool:
        return self._server is not None

    async def open(self) -> None:
        if self._server is not None:
            return
        try:
            self._server = await self._listen()
        except (OSError, RefusedError) as error:
            self._say(local(say("cannot listen on {where}: {why}", where=self.address, why=reason_of(error))))
        else:
            self.problem = ""
            logger.info("%s listens on %s", self.host.name, self.address)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _listen(self) -> asyncio.Server:
        name, _, port = self.address.removeprefix("tcp://").rpartition(":")
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(name.strip("[]"), int(port), type=socket.SOCK_STREAM)
        places = list(dict.fromkeys(str(place[0]) for *_, place in found))
        if self._must_not(places):
            raise RefusedError(
                say(
                    "encryption is required beyond this machine; set {names}, or ENDPOINT_ENCRYPTION=disabled",
                    names=("ENDPOINT_CERTIFICATE", "ENDPOINT_KEY", "ENDPOINT_AUTHORITY"),
                )
            )
        return await loop.create_server(lambda: Wire(self.host, "", is_accept=True), places, int(port), backlog=BACKLOG)

    def _must_not(self, places: list[str]) -> bool:
        is_open = self.host.tls is None and self.host.options.is_encryption_required
        return is_open and not all(is_loopback(place) for place in places)

    def _say(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            logger.error("%s %s", self.host.name, problem)
