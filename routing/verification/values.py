"""Addresses, identifiers and times, as RT-TABLE compares them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

DEFAULT_PORT = 4022
_HOST_AND_PORT = r"tcp://(?P<host>\[[0-9a-f:.]+\]|[^\[\]:/\s\x00-\x1f]+)(?::(?P<port>[0-9]{1,8}))?"
_ADDRESS = re.compile(_HOST_AND_PORT, re.IGNORECASE)
_IN_NAME = re.compile(_HOST_AND_PORT + r"(?=/|\Z)", re.IGNORECASE)


class HostPort(NamedTuple):
    """A network address: the host in lower case, the port given."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"tcp://{self.host}:{self.port}"


def network_address(text: str) -> HostPort | None:
    """Spaces anywhere and one trailing slash mean nothing; None: LOCAL, TRANSPORT, or no address."""
    return _host_and_port(_ADDRESS.fullmatch(text.replace(" ", "").removesuffix("/")))


def address_in_service_name(name: str) -> HostPort | None:
    """CHOOSE-4: the address with which a service name begins, before a slash or the end."""
    return _host_and_port(_IN_NAME.match(name))


def _host_and_port(found: re.Match[str] | None) -> HostPort | None:
    if found is None:
        return None
    port = int(found["port"] or DEFAULT_PORT)
    return HostPort(found["host"].lower(), port) if 1 <= port <= 65_535 else None


def is_word(text: str, word: str) -> bool:
    """LOCAL and TRANSPORT are known in any case, with spaces around them."""
    return text.strip(" ").upper() == word


def identifier(text: str | None) -> str | None:
    """Identifiers compare as values: neither case nor braces count."""
    return None if text is None else text.strip("{}").lower()


def utc(text: str) -> datetime:
    """A time without an offset is UTC."""
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
