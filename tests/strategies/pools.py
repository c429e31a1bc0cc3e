"""The small pools of names, identifiers, addresses and times that everything is drawn from.

They are small so that collisions are frequent, and every value is spelled in the
different ways that RT-TABLE allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from tests.strategies.choices import Chooser, chance, pick, some

AT = datetime(2026, 6, 1, tzinfo=UTC)

DYNAMIC = "SQL/ServiceBroker/BrokerConfiguration"  # MATCH-4
PLAIN_NAMES = ("Bill", "OrderParts", "orderparts", "Ship")
NAMES_WITH_ADDRESS = (
    "tcp://h1.example:4022/Pay",
    "tcp://h2.example",
    "TCP://H2.EXAMPLE:4022/Pay",
    "tcp://h3.example/a b",
    "tcp://alias1.example:5000",
    "tcp://alias2.example:5000/",
    "tcp://[fe80::1]:4022/Pay",
    "tcp://nowhere.example:9/X",
)
NAMES_WITH_ALMOST = (
    "tcp:///x",
    "tcp://h1.example:4022x/Pay",
    "tcp://h1.example:/Pay",
    "tcp://h1.example:40 22/Pay",
    "tcp://h2 .example/Pay",
    " tcp://h2.example/Pay",
    "tcp:/h2.example/Pay",
    "http://h2.example/Pay",
    "x/tcp://h2.example",
    "tcp://h1.example:70000/Pay",
    "tcp://h1.example:0",
)

IDENTIFIERS = tuple(f"6f3f0d5e-aaaa-4000-8000-00000000000{digit}" for digit in "123b")

Host = tuple[str, int]
OUTSIDE: tuple[Host, ...] = (
    ("gone.example", 4022),
    ("gone2.example", 4022),
    ("h1.example", 4023),
    ("[2001:db8::f]", 4022),
)

# RT-TABLE: expired at and after the lifetime.
LIFETIMES_OVER = (
    "2020-01-01T00:00:00Z",
    "2026-06-01T00:00:00Z",
    "2026-05-31T23:59:59Z",
    "2026-06-01T02:00:00+02:00",
)
LIFETIMES_LEFT = ("2099-01-01T00:00:00Z", "2026-06-01T00:00:01Z", "2026-06-01T00:00:01+00:00")

LOCAL_SPELLINGS = ("LOCAL", "local", " LOCAL ", "Local")
TRANSPORT_SPELLINGS = ("TRANSPORT", "transport", " Transport ")


@dataclass(frozen=True)
class Pool:
    """What one estate is drawn from: few names and identifiers, the hosts that exist."""

    services: tuple[str, ...]
    identifiers: tuple[str, ...]
    hosts: tuple[tuple[Host, ...], ...]  # of each instance

    @property
    def owned(self) -> tuple[Host, ...]:
        return tuple(host for hosts in self.hosts for host in hosts)


def draw_pool(c: Chooser) -> Pool:
    plain = [pick(c, PLAIN_NAMES) for _ in range(2)]
    odd = some(c, 2, 50, lambda _: pick(c, pick(c, (NAMES_WITH_ADDRESS, NAMES_WITH_ALMOST))))
    dynamic = [DYNAMIC] if chance(c, 10) else []
    hosts = (draw_hosts(c, 1), *some(c, 4, 75, lambda number: draw_hosts(c, number + 2)))
    identifiers = IDENTIFIERS[: 2 + c.below(3)]
    return Pool((*plain, *odd, *dynamic), identifiers, hosts)


def draw_hosts(c: Chooser, number: int) -> tuple[Host, ...]:
    """The addresses of one instance: its own, and any of several more; rarely none.

    ``h1.example:5002`` belongs to instance 2: host names alone do not identify.
    """
    more = (f"alias{number}.example", 5000), (f"[fe80::{number}]", 4022), ("h1.example", 5000 + number)
    own = () if chance(c, 5) else ((f"h{number}.example", 4022),)
    return (*own, *(host for host in more if chance(c, 20)))


def spell_guid(c: Chooser, identifier: str) -> str:
    """Any case, with or without braces."""
    cased = identifier.upper() if chance(c, 20) else identifier
    return f"{{{cased}}}" if chance(c, 20) else cased


def spell_address(c: Chooser, host: Host) -> str:
    """Case, spaces, one trailing slash, and no port where it is 4022."""
    name, port = host
    plain = f"tcp://{name}:{port}"
    spellings = (
        plain,
        plain,
        plain.removesuffix(":4022"),
        f"tcp://{name.upper()}:{port} ",
        f"{plain.removesuffix(':4022').upper()}/",
        f"tcp://{name}: {port}/",
        f" tcp:// {name} :{port} / ",
    )
    return pick(c, spellings)


def draw_identifier(c: Chooser, pool: Pool) -> str:
    """Mostly one of the pool; sometimes one that may occur nowhere else."""
    return spell_guid(c, pick(c, IDENTIFIERS if chance(c, 10) else pool.identifiers))


def draw_host(c: Chooser, pool: Pool) -> Host:
    """The address of an instance, this one's own included (LOOP-2), or of none."""
    owned = pool.owned
    return pick(c, owned) if owned and not chance(c, 20) else pick(c, OUTSIDE)


def draw_lifetime(c: Chooser) -> str | None:
    if not chance(c, 25):
        return None
    return pick(c, pick(c, (LIFETIMES_LEFT, LIFETIMES_OVER)))
