"""Requests over one connection, sent again where no answer came: each of them is of a kind that is done once."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from .errors import LeaseOver, Refused, Unreachable

PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
PASSING = (429, 502, 503, 504)
"""Statuses of a server that may answer otherwise in a moment."""
BUSY = "busy"
"""The code of a conversation that another transaction holds."""


@dataclass(frozen=True, slots=True)
class ServerReply:
    """A reply of the server."""

    status: int
    body: dict[str, Any]
    retry_after_s: float

    @property
    def is_passing(self) -> bool:
        return self.status in PASSING or (self.status == 409 and self.body.get("code") == BUSY)


class Requests:
    """Sends requests of one user to one site, one at a time."""

    def __init__(self, site: str, token: str, *, timeout_s: float, patience_s: float, context: ssl.SSLContext | None):
        self._site = _checked(site)
        self._token = token
        self._timeout_s = timeout_s
        self._patience_s = patience_s
        self._context = context
        self._connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        """The connection; another is made with the next request."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def send(self, method: str, path: str, body: Any = None, *, key: str = "", longer_s: float = 0.0) -> dict[str, Any]:
        """The answer to one that the server has done. `key`: it is done once, however often it is sent. `longer_s`:
        how long the server may take besides.

        Raises `Refused`, or `Unreachable` after `patience_s` without an answer.
        """
        text = None if body is None else json.dumps(body).encode()
        headers = self._headers(text, key)
        end, pause = time.monotonic() + self._patience_s + longer_s, PAUSE_S
        while True:
            answer, why = self._try(method, path, text, headers, longer_s)
            if answer is not None and not answer.is_passing:
                return _accepted(answer)
            # Clients that were cut off together do not come back together.
            wait = max(answer.retry_after_s if answer else 0.0, pause * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
            if time.monotonic() + wait >= end:
                raise _given_up(answer, why)
            time.sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _try(
        self, method: str, path: str, text: bytes | None, headers: dict[str, str], longer_s: float
    ) -> tuple[ServerReply | None, str]:
        """Send a request once. Returns the reply; None with the reason if the connection fails."""
        try:
            connection = self._connected(self._timeout_s + longer_s)
            connection.request(method, f"{self._site.path}/api/v1/{path}", text, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return None, str(error) or type(error).__name__
        if response.will_close:
            self.close()
        return ServerReply(response.status, _json(content), _seconds(response.headers.get("Retry-After"))), ""

    def _connected(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._connection is None:
            host, port = self._site.hostname or "", self._site.port
            if self._site.scheme == "https":
                self._connection = http.client.HTTPSConnection(host, port, timeout=timeout_s, context=self._context)
            else:
                self._connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
        self._connection.timeout = timeout_s
        if self._connection.sock is not None:
            self._connection.sock.settimeout(timeout_s)
        return self._connection

    def _headers(self, text: bytes | None, key: str) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if text is not None:
            headers["Content-Type"] = "application/json"
        if key:
            headers["Idempotency-Key"] = key
        return headers


def _checked(site: str) -> SplitResult:
    parts = urlsplit(site.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"the site must be http(s)://HOST[:PORT][/PATH]: {site}")
    return parts


def _accepted(answer: ServerReply) -> dict[str, Any]:
    if answer.status < 400:
        return answer.body
    raise _refusal(answer)


def _refusal(answer: ServerReply) -> Refused:
    kind = LeaseOver if answer.status == 410 else Refused
    detail = str(answer.body.get("detail") or f"HTTP {answer.status}")
    return kind(answer.status, str(answer.body.get("code", "")), detail, answer.body.get("number"))


def _given_up(answer: ServerReply | None, why: str) -> Exception:
    if answer is None or answer.status in (502, 503, 504):
        return Unreachable(why or f"HTTP {answer.status if answer else ''}: {answer.body if answer else ''}")
    return _refusal(answer)


def _json(content: bytes) -> dict[str, Any]:
    """Return the object in a reply; an empty one for anything else, such as the page of a proxy."""
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isdecimal() else 0.0
