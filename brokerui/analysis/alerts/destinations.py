"""Which network addresses a message about alerts may go to. Pure: the caller has resolved the name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from routing.common.errors import Invalid
from routing.common.sentence import say

Ip = IPv4Address | IPv6Address
TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""Addresses that a gateway translates to IPv4 (RFC 6052)."""
PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """The parts of a URL that a request needs."""

    scheme: str
    host: str
    port: int
    path: str
    """With its query."""

    @property
    def is_encrypted(self) -> bool:
        return self.scheme == "https"


def destination_of(url: str) -> WebhookTarget:
    """Take a URL apart. Raises `Invalid` for one that no webhook may have."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Invalid("url", say("holds a character that no URL has"))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Invalid("url", say("is no URL")) from None
    if parts.scheme not in PORTS:
        raise Invalid("url", say("must begin with https:// or http://"))
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise Invalid("url", say("must hold no user name and no password"))
    if not parts.hostname:
        raise Invalid("url", say("names no host"))
    query = f"?{parts.query}" if parts.query else ""
    default = PORTS[parts.scheme]
    return WebhookTarget(parts.scheme, parts.hostname.rstrip("."), port or default, f"{parts.path or '/'}{query}")


def addresses_allowed(to: WebhookTarget, addresses: Sequence[str], allowed: Collection[str]) -> None:
    """Raise `Invalid` unless every address of the host may be connected to. `allowed`: host names, which cover public
    addresses reached by https, and networks (`10.1.0.0/16`), which cover all their addresses, by http too."""
    if not addresses:
        raise Invalid("url", say("{host} has no address", host=to.host))
    for one in addresses:
        ip = _plain(ip_address(one.partition("%")[0]))
        if _is_never(ip) or not (_is_in(ip, allowed) or _is_named(to, ip, allowed)):
            problem = say(
                "{address} of {host} is not allowed: ALERT_HOSTS lists neither", address=str(ip), host=to.host
            )
            raise Invalid("url", problem)


def _plain(ip: Ip) -> Ip:
    """An IPv4 address in the form of IPv6 as what it is."""
    return ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip


def _is_never(ip: Ip) -> bool:
    """Link-local addresses have the metadata of clouds; nobody serves at the others."""
    return ip.is_link_local or ip.is_multicast or ip.is_unspecified


def _is_in(ip: Ip, allowed: Collection[str]) -> bool:
    return any(ip in network for one in allowed if (network := network_of(one)) is not None)


def network_of(entry: str) -> IPv4Network | IPv6Network | None:
    """The network of an entry of `ALERT_HOSTS`; None for a host name."""
    try:
        return ip_network(entry)
    except ValueError:
        return None


def _is_named(to: WebhookTarget, ip: Ip, allowed: Collection[str]) -> bool:
    is_listed = to.host.lower() in {one.lower().rstrip(".") for one in allowed if network_of(one) is None}
    return is_listed and to.is_encrypted and _is_public(ip)


def _is_public(ip: Ip) -> bool:
    if isinstance(ip, IPv6Address) and (ip in TRANSLATED or ip.sixtofour is not None or ip.teredo is not None):
        return False
    return ip.is_global
