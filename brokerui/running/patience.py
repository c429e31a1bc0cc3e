"""A worker of gunicorn that keeps its threads for requests that are there.

gunicorn gives a thread to a connection at its first byte; a dozen clients that never send the rest would hold them all.
Here the loop that waits for connections also waits for the head of a request, and for a small body: it needs no thread
for that. In a thread, what a client sends and takes must keep coming.
"""

from __future__ import annotations

import errno
import re
import selectors
import time
from functools import partial
from typing import Any

from gunicorn.http import get_parser  # type: ignore[import-untyped]  # it has no types
from gunicorn.http.unreader import SocketUnreader  # type: ignore[import-untyped]  # the same
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]  # the same

ARRIVAL_SECONDS = 10.0
"""In which a head has to come, and a body that is waited for without a thread."""
WAITED_FOR = 64 * 1024
"""Bytes of such a request at most."""
BODY_SECONDS = 10.0
"""So long a larger body may be waited for, and longer by what comes at this rate:"""
BYTES_A_SECOND = 16 * 1024
STALL_SECONDS = 30.0
"""After so long without a byte taken, nobody takes the answer."""

_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,9})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_EXPECTS = re.compile(rb"^expect:", re.IGNORECASE | re.MULTILINE)


def has_arrived(received: bytes | bytearray) -> bool:
    """Whether a thread can begin: all of the request is there, or as much as is waited for.

    Who expects to be asked for the body sends it only then.
    """
    end = received.find(_END)
    if end < 0 or len(received) >= WAITED_FOR:
        return len(received) >= WAITED_FOR
    head = received[:end]
    length = _LENGTH.search(head)
    whole = end + len(_END) + (int(length[1]) if length else 0)
    return whole <= len(received) or whole > WAITED_FOR or _EXPECTS.search(head) is not None


class PatientWorker(ThreadWorker):
    """The worker with threads, but for when they begin."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving: dict[Any, bytearray] = {}
        """Connections of which a request is awaited, in the order in which that began."""

    def enqueue_req(self, conn: Any) -> None:
        """A request begins to come: wait for the rest of it, then give it a thread."""
        if conn.parser is None:
            conn.parser = get_parser(self.cfg, conn.sock, conn.client)
            conn.parser.unreader = Paced(conn.sock)
        received = bytearray(conn.parser.unreader.take_buffered())
        if has_arrived(received):
            self._begin(conn, received)
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + ARRIVAL_SECONDS
        self._arriving[conn] = received
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))

    def _receive(self, conn: Any, _socket: Any) -> None:
        try:
            piece = conn.sock.recv(WAITED_FOR)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            piece = b""
        if not piece:
            self._drop(conn)
            return
        received = self._arriving[conn]
        received += piece
        if has_arrived(received):
            del self._arriving[conn]
            self.poller.unregister(conn.sock)
            self._begin(conn, received)

    def _begin(self, conn: Any, received: bytearray) -> None:
        conn.data_ready = True
        conn.parser.unreader.begin(bytes(received))
        super().enqueue_req(conn)

    def _drop(self, conn: Any) -> None:
        del self._arriving[conn]
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Also of those whose request did not come in time; at the end those of which nothing came."""
        super().murder_pending()
        now = time.monotonic()
        for conn in [
            conn for conn, received in self._arriving.items() if conn.timeout < now or self._is_idle(received)
        ]:
            self._drop(conn)

    def _is_idle(self, received: bytearray) -> bool:
        return not self.alive and not received

    def handle_request(self, req: Any, conn: Any) -> Any:
        """In a thread."""
        conn.sock.settimeout(STALL_SECONDS)
        return super().handle_request(req, conn)


class Paced(SocketUnreader):
    """Reads what a client sends, as long as it keeps sending."""

    def begin(self, received: bytes) -> None:
        """The next request, of which this is there."""
        self.left = BODY_SECONDS
        self.unread(received)

    def chunk(self, size_hint: int | None = None) -> bytes:
        """The next piece. `ConnectionResetError` where it does not come in time."""
        started = time.monotonic()
        before = self.sock.gettimeout()
        self.sock.settimeout(max(self.left, 0.001))
        try:
            piece: bytes = super().chunk(size_hint)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client sends too slowly") from None
        finally:
            self.sock.settimeout(before)
        self.left += len(piece) / BYTES_A_SECOND - (time.monotonic() - started)
        return piece
