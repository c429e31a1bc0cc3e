"""Logs each request that the site refuses, in one line: the answer, the request, the client's address and the reason.

A client chooses what such a line quotes: it is escaped and shortened, and a flood of refusals writes few lines.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from brokerui.core.client_ip import client_ip_of

QUOTED_MAX_CHARS = 120
"""Longest text of a client in a line, in characters, before it is escaped."""
LINES_MAX = 60
"""Most lines that one process writes in a period."""
PERIOD_S = 60.0

log = logging.getLogger("brokerui.refused")


class LineBudget:
    """Counts the lines of a period, and the refusals for which no line was left."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._began_at = clock()
        self._count = 0

    def take(self) -> tuple[bool, int]:
        """Return whether a line may be written now, and how many refusals of the last period went without one."""
        with self._lock:
            unwritten = 0
            if self._clock() - self._began_at >= PERIOD_S:
                unwritten = max(self._count - LINES_MAX, 0)
                self._began_at, self._count = self._clock(), 0
            self._count += 1
            return self._count <= LINES_MAX, unwritten


_budget = LineBudget()


def log_refusal(request: HttpRequest, status: int, reason: str) -> None:
    """Write the line about a request that was answered with an error `status`; the query is left out."""
    place = client_ip_of(request) or "an unknown address"
    write_refusal(f"{status} {quoted(request.method or '')} {quoted(request.path)} from {place}: {reason}")


def write_refusal(line: str) -> None:
    """Write one line, unless this process has written enough of them in this minute."""
    may_write, unwritten = _budget.take()
    if unwritten:
        log.warning("%d more requests were refused in the period before; they have no lines of their own", unwritten)
    if may_write:
        log.warning("%s", line)


def reason_of(request: HttpRequest, exception: Exception) -> str:
    """Return why Django did not accept a request."""
    if isinstance(exception, DisallowedHost):
        host = request.META.get("HTTP_HOST", request.META.get("SERVER_NAME", ""))
        return f"the Host header {quoted(host)} is not in ALLOWED_HOSTS"
    return f"{type(exception).__name__}: {quoted(str(exception))}"


def quoted(text: str) -> str:
    """Return the text of a client in quotes: one line, shortened, and what cannot be printed escaped."""
    return repr(text[:QUOTED_MAX_CHARS]) + ("…" if len(text) > QUOTED_MAX_CHARS else "")
