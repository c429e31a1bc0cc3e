"""Addresses of routes and instances: LOCAL, TRANSPORT, tcp://HOST[:PORT] (RT-TABLE)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say

DEFAULT_PORT = 4022
"""RT-TABLE: the port of an address that gives none; SQL Server's convention."""
ADDRESS_CHARS = 256
"""sys.routes.address is nvarchar(256)."""

LOCAL = "LOCAL"
TRANSPORT = "TRANSPORT"

_HOST_AND_PORT = r"(?P<host>\[[0-9a-f:.]+\]|[^\s\x00-\x1f\ud800-\udfff/:\[\]]+)(?::(?P<port>[0-9]+))?"
_TCP = re.compile(rf"tcp://{_HOST_AND_PORT}", re.IGNORECASE)
_NAME = re.compile(rf"tcp://{_HOST_AND_PORT}(?=/|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a route leads. Addresses compare by their canonical form, however they are spelt."""

    key: str
    """`LOCAL`, `TRANSPORT`, or canonical: lower case, port given, no trailing slash."""
    text: str = field(compare=False)
    """The original spelling, shown and written back unchanged."""

    @property
    def is_local(self) -> bool:
        return self.key == LOCAL

    @property
    def is_transport(self) -> bool:
        return self.key == TRANSPORT

    @property
    def is_network(self) -> bool:
        return self.key.startswith("tcp:")

    @property
    def port(self) -> int:
        """The TCP port; for network addresses only."""
        return int(self.key.rpartition(":")[2])

    def __str__(self) -> str:
        return self.key


@lru_cache(maxsize=65_536)
def parse_address(text: str) -> Address:
    """Read the address of a route or instance; raise `Invalid` if it is none by RT-TABLE."""
    word = text.strip(" ").upper()
    if word in (LOCAL, TRANSPORT) and text.isascii():
        return Address(word, text)
    if len(text) > ADDRESS_CHARS:
        raise Invalid("", say("is longer than {limit} characters", limit=ADDRESS_CHARS))
    # RT-TABLE: in a tcp: address, spaces anywhere and one trailing slash are ignored.
    bare = text.replace(" ", "").removesuffix("/")
    match = _TCP.fullmatch(bare)
    key = _canonical(match) if match else None
    if key is None:
        raise Invalid("", must_be(say("LOCAL, TRANSPORT or tcp://HOST[:PORT]"), text))
    return Address(key, text)


def parse_network_address(text: str) -> Address:
    """Read the address of an instance; raise `Invalid` for LOCAL and TRANSPORT."""
    address = parse_address(text)
    if not address.is_network:
        raise Invalid("", must_be("tcp://HOST[:PORT]", text))
    return address


def address_in_name(service: str) -> Address | None:
    """CHOOSE-4: the address at the beginning of a service name, `tcp://HOST[:PORT]` before `/` or its end."""
    match = _NAME.match(service)
    key = _canonical(match) if match else None
    return Address(key, key) if key else None


def _canonical(match: re.Match[str]) -> str | None:
    digits = match["port"]
    if digits is not None and (len(digits) > 8 or not 1 <= int(digits) <= 65_535):
        return None
    return f"tcp://{match['host'].lower()}:{int(digits) if digits else DEFAULT_PORT}"


__all__ = [
    "DEFAULT_PORT",
    "LOCAL",
    "TRANSPORT",
    "Address",
    "address_in_name",
    "parse_address",
    "parse_network_address",
]
