"""Sends one signed request to an address that was checked, and follows no redirect."""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl
from collections.abc import Collection
from http.client import HTTPConnection, HTTPException
from threading import Timer
from typing import Final

from brokerui.analysis.alerts.destinations import WebhookTarget, addresses_allowed, destination_of
from brokerui.analysis.alerts.errors import DeliveryError
from routing.common.errors import Invalid
from routing.common.sentence import say

TIMEOUT_S: Final = 10.0
"""Of the connection, and of each read."""
TOTAL_S: Final = 30.0
"""A server that answers byte by byte has no longer."""
SIGNATURE: Final = "X-BrokerUI-Signature"
TIMESTAMP: Final = "X-BrokerUI-Timestamp"


def signature_of(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 over the timestamp, a full stop and the body, in hex digits."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def webhook_send(*, url: str, secret: str, body: bytes, key: str, at: int, allowed: Collection[str]) -> None:
    """Send the body, signed. `at`: seconds since 1970. Raises `DeliveryError` unless the answer is one of success."""
    try:
        to = destination_of(url)
        address = address_checked(to, allowed)
    except Invalid as fault:
        raise DeliveryError(fault.problem) from None
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "BrokerUI",
        "Idempotency-Key": key,
        TIMESTAMP: str(at),
        SIGNATURE: f"v1={signature_of(secret, str(at), body)}",
    }
    try:
        status = _status_of(_Pinned(to, address), to, body, headers)
    except (OSError, HTTPException) as error:
        reason = str(error) if isinstance(error, OSError) else type(error).__name__
        raise DeliveryError(say("{host} cannot be reached: {reason}", host=to.host, reason=reason)) from None
    if not 200 <= status < 300:
        raise DeliveryError(say("{host} answered with status {status}", host=to.host, status=status))


def address_checked(to: WebhookTarget, allowed: Collection[str]) -> str:
    """Resolve the host once; return the address to connect to. Raises `Invalid` where any of them is not allowed."""
    try:
        found = socket.getaddrinfo(to.host, to.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Invalid("url", say("the name {host} cannot be resolved", host=to.host)) from None
    addresses = [str(one[4][0]) for one in found]
    addresses_allowed(to, addresses, allowed)
    return addresses[0]


class _Pinned(HTTPConnection):
    """A connection to the address that was checked, whatever the name resolves to by now."""

    def __init__(self, to: WebhookTarget, address: str) -> None:
        super().__init__(to.host, to.port, timeout=TIMEOUT_S)
        self._to, self._address = to, address

    def connect(self) -> None:
        """Open it; TLS checks the certificate against the name of the host."""
        self.sock = socket.create_connection((self._address, self._to.port), TIMEOUT_S)
        if self._to.is_encrypted:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self._to.host)


def _status_of(connection: _Pinned, to: WebhookTarget, body: bytes, headers: dict[str, str]) -> int:
    connection.connect()
    watch = Timer(TOTAL_S, connection.sock.shutdown, [socket.SHUT_RDWR])
    watch.daemon = True
    watch.start()
    try:
        connection.request("POST", to.path, body, headers)
        return connection.getresponse().status
    finally:
        watch.cancel()
        connection.close()
