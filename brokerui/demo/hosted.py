"""The instances of the demo that this deployment runs itself: a cafe that orders bread at a bakery.

The database of the bakery is mirrored: `bakery` has the principal, `bakery2` the mirror. In the cafe, two things are
wrong on purpose: no route leads to the florist, and the bank is only spoken to encrypted, for which there is no key.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import ExitStack
from random import SystemRandom
from typing import Final
from uuid import uuid4

from brokerui.messaging.verbs.provisioning import endpoint_at
from routing.common.names import MSDB
from routing.model.address import Address, parse_network_address
from routing.model.catalog_objects import SYSTEM_MADE, Queue, Service
from routing.model.estate import MIRROR, PRINCIPAL, Database, Instance
from routing.model.route import AUTO_CREATED_LOCAL, Route
from routing.model.route_table import RouteTable

CAFE, BAKERY, BAKERY2 = "cafe", "bakery", "bakery2"
HOSTED: Final = (CAFE, BAKERY, BAKERY2)
TILLS, OVENS = "Tills", "Ovens"
"""Databases of the cafe, and of the bakery."""
TILL, BREAD, FLOWERS, BANK = (
    f"//example/{name}" for name in ("cafe/Till", "bakery/Bread", "florist/Flowers", "bank/Account")
)
TILL_QUEUE, BREAD_QUEUE = "dbo.TillQueue", "dbo.BreadQueue"
PORTS: Final = (20_000, 32_000)
"""From which ports are drawn: below those that systems give to connections, so that they stay free."""
DRAWS: Final = 1_000
_random = SystemRandom()


def hosted_instances(ports: Sequence[int]) -> tuple[Instance, ...]:
    """Return the hosted instances, which listen at these ports of the loopback address, in the order of `HOSTED`."""
    cafe, bakery, bakery2 = (parse_network_address(f"tcp://127.0.0.1:{port}") for port in ports)
    identifier = str(uuid4())
    orders = Route("OrdersToBakery", BREAD, identifier, None, bakery, bakery2)
    bank = Route("PaymentsToBank", BANK, None, None, bakery)
    tills = _database(TILLS, str(uuid4()), TILL, TILL_QUEUE, orders, bank)
    answers = Route("AnswersToCafe", TILL, None, None, cafe)
    ovens = (_database(OVENS, identifier, BREAD, BREAD_QUEUE, answers, role=role) for role in (PRINCIPAL, MIRROR))
    return (
        _instance(CAFE, cafe, tills),
        _instance(BAKERY, bakery, next(ovens)),
        _instance(BAKERY2, bakery2, next(ovens)),
    )


def _instance(name: str, address: Address, database: Database) -> Instance:
    msdb = Database(MSDB, services=SYSTEM_MADE, table=RouteTable((AUTO_CREATED_LOCAL,)))
    return Instance(name, {database.name: database, MSDB: msdb}, (address,), endpoint=endpoint_at(address))


def _database(
    name: str, identifier: str, service: str, queue: str, *routes: Route, role: str | None = None
) -> Database:
    """Without AutoCreatedLocal: a service that no route names is taken by no route."""
    return Database(
        name,
        identifier,
        mirroring_role=role,
        services=(*SYSTEM_MADE, Service(service, queue, ("DEFAULT",))),
        queues=(Queue(queue),),
        table=RouteTable(routes),
    )


def free_ports(number: int) -> tuple[int, ...]:
    """Different ones at which nobody listens now. Drawn, so that two products on one machine get others."""
    found: list[int] = []
    with ExitStack() as held:
        for _ in range(DRAWS):
            port = _random.randrange(*PORTS)
            if port not in found and _is_free(port, held):
                found.append(port)
            if len(found) == number:
                return tuple(found)
    raise OSError(f"no {number} free ports from {PORTS[0]} to {PORTS[1]}")


def _is_free(port: int, held: ExitStack) -> bool:
    probe = held.enter_context(socket.socket())
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
