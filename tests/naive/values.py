"""How addresses, GUIDs and times are read and compared (RT-TABLE)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

Address = tuple[str, int]

DEFAULT_PORT = 4022
HOST_AND_PORT = r"tcp://(?P<host>\[[^\]/\s]+\]|[^\[\]:/\s]+)(?::(?P<port>[0-9]+))?"


def parse_guid(text: str | None) -> str | None:
    """GUIDs compare as values: neither case nor braces count."""
    return None if text is None else text.strip("{}").lower()


def parse_time(text: str) -> datetime:
    """A lifetime as an aware UTC time; without an offset it is UTC already."""
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def is_keyword(address: str, keyword: str) -> bool:
    """LOCAL and TRANSPORT are known in any case, with spaces around them."""
    return address.strip(" ").lower() == keyword.lower()


def address_of(found: re.Match[str] | None) -> Address | None:
    """(host without case, port): 4022 where missing; 1 to 65535, else no address."""
    if found is None:
        return None
    port = DEFAULT_PORT if found["port"] is None else int(found["port"])
    return (found["host"].lower(), port) if 1 <= port <= 65535 else None


def parse_address(text: str) -> Address | None:
    """A ``tcp:`` address: spaces anywhere and one trailing ``/`` mean nothing."""
    bare = text.replace(" ", "").removesuffix("/")
    return address_of(re.fullmatch(HOST_AND_PORT, bare, re.IGNORECASE))


def address_in_name(service: str) -> Address | None:
    """CHOOSE-4: the address that a service name holds, if it holds one.

    ``tcp://HOST[:PORT]`` in any case, without spaces, then ``/`` or the end. What
    follows the ``/`` is not part of the address and may be anything.
    """
    return address_of(re.match(HOST_AND_PORT + r"(?=/|\Z)", service, re.IGNORECASE))


def show_address(address: Address) -> str:
    """The canonical text: lower case, port given, no trailing slash."""
    return f"tcp://{address[0]}:{address[1]}"
