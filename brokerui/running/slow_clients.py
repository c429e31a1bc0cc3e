"""A worker for gunicorn in which slow clients occupy no thread: gunicorn runs the processes, waitress speaks HTTP.

Waitress receives requests and sends answers in one loop, and gives a thread to a request only once all of it is there.
It waits for ever for a client that sends or takes a byte now and then; the worker closes the connections of those.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings
from gunicorn.workers.base import Worker  # type: ignore[import-untyped]  # it has no types
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask
from waitress.wasyncore import close_all, loop

from brokerui.core.middleware import DRAIN_FACTOR
from brokerui.core.refusals import quoted, write_refusal

ARRIVAL_S: Final = 10.0
"""A request has to be there within this time, and the next one to begin on a connection that stays open;"""
BYTES_PER_S: Final = 16 * 1024
"""a body may take longer, by what it takes at this rate."""
STALL_S: Final = 120.0
"""A client that takes nothing of its answer for this long is cut off. It costs no thread, and slow ones take long."""
TURN_S: Final = 1.0
SENDING_S: Final = 0.001
"""The loop waits this long for a thread that is sending on the same connection."""
HEAD_BYTES: Final = 64 * 1024
RECEIVE_BYTES: Final = 64 * 1024
"""Maximum bytes of a body in one turn; with the 8 KiB of waitress the turns cost more than the bytes."""
Channels = dict[int, Any]
"""Open sockets by their descriptor: connections, and what waitress listens on."""


class BufferedWorker(Worker):
    """Serves the application until gunicorn ends it, then finishes the requests that have begun."""

    def run(self) -> None:
        channels: Channels = {}
        server = create_server(self.wsgi, map=channels, sockets=[one.sock for one in self.sockets], **self._options())
        listeners = list(channels.values())
        for listener in listeners:
            listener.channel_class = HttpConnection
        arrivals = Arrivals()
        while self.alive and self.ppid == os.getppid():
            self._turn(channels, arrivals)
        for listener in listeners:
            listener.accepting = False
        until = time.monotonic() + self.cfg.graceful_timeout
        while _is_busy(channels) and time.monotonic() < until:
            self._turn(channels, arrivals, TURN_S / 10)
        server.task_dispatcher.shutdown(timeout=1)
        close_all(channels)

    def handle_exit(self, sig: Any, frame: Any) -> None:
        """SIGTERM: the turn that is under way ends at the next event, or within a second."""
        self.alive = False

    def _turn(self, channels: Channels, arrivals: Arrivals, longest_s: float = TURN_S) -> None:
        """Receive and send what there is; wait for that no longer than `longest_s`."""
        loop(timeout=longest_s, use_poll=True, map=channels, count=1)
        now = time.time()
        if now - arrivals.looked_at >= TURN_S:
            self.notify()
            for channel in arrivals.late(connections(channels), now):
                channel.handle_close()

    def _options(self) -> dict[str, Any]:
        return {
            "threads": self.cfg.threads,
            "connection_limit": self.cfg.worker_connections,
            "channel_timeout": STALL_S,
            "recv_bytes": RECEIVE_BYTES,
            "max_request_header_size": HEAD_BYTES,
            # Longer ones get no page of ours.
            "max_request_body_size": settings.BODY_MAX_BYTES * DRAIN_FACTOR,
            # `PROXIES` says how many of them count (core/client_ip.py).
            "clear_untrusted_proxy_headers": False,
            "ident": None,
        }


class MalformedRequest(ErrorTask):
    """The answer to bytes that are no HTTP request, or too large a one; the log has a line about it."""

    def execute(self) -> None:
        error, peer = self.request.error, self.channel.addr
        # Bytes that end before a line does leave the parser without this attribute.
        first_line = getattr(self.request, "first_line", b"").decode("latin-1")
        place = peer[0] if isinstance(peer, tuple) else "a local socket"
        write_refusal(f"{error.code} {quoted(first_line)} from {place}: {error.reason}, {quoted(error.body)}")
        super().execute()


class HttpConnection(HTTPChannel):
    """A connection on which the loop waits for a thread that is sending; waitress's asks again, as fast as it can."""

    error_task_class = MalformedRequest

    def handle_write(self) -> None:
        """Send the bytes that are left. Threads never wait for the client while they hold the lock."""
        if self.requests and self.outbuf_lock.acquire(timeout=SENDING_S):
            self.outbuf_lock.release()
        super().handle_write()


class Arrivals:
    """Since when each connection has been sending the request that it sends now."""

    def __init__(self) -> None:
        self._begun: dict[Any, tuple[Any, float]] = {}
        self.looked_at = 0.0

    def late(self, found: Iterable[Any], now: float) -> list[Any]:
        """Return the connections that send too slowly, take nothing of their answer, or send no request."""
        before, self._begun, self.looked_at = self._begun, {}, now
        late = []
        for channel in found:
            request = channel.request
            known, began = before.get(channel, (None, now))
            allowed_s = STALL_S if channel.total_outbufs_len else ARRIVAL_S
            if request is None:
                is_late = not channel.requests and now - channel.last_activity > allowed_s
            else:
                self._begun[channel] = request, (began if known is request else now)
                is_late = now - self._begun[channel][1] > allowed_s + request.body_bytes_received / BYTES_PER_S
            if is_late:
                late.append(channel)
        return late


def connections(channels: Channels) -> list[Any]:
    """Return the sockets that are connections of clients."""
    return [channel for channel in channels.values() if isinstance(channel, HTTPChannel)]


def _is_busy(channels: Channels) -> bool:
    return any(channel.requests or channel.total_outbufs_len for channel in connections(channels))
