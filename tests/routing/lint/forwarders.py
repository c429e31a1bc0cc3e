"""Estates of forwarders, drawn from a seed."""

from __future__ import annotations

import random
from typing import Any

from routing.model.estate import Estate
from tests.routing.lint.estates import bare, db, estate, route, server

SERVICES = ("Ship", "Bill", "tcp://h1:4022/Ship")


def forwarders(seed: int) -> Estate:
    """Up to nine instances that nearly all forward, mostly in long circles, with routes that lead off them."""
    rng = random.Random(seed)
    size = rng.randint(1, 9)
    dense = rng.random()
    return estate(*(_forwarder(rng, number, size, dense) for number in range(size)))


def _forwarder(rng: random.Random, number: int, size: int, dense: float) -> dict[str, Any]:
    routes = [route("Next", None, f"h{(number + 1) % size}")] if rng.random() < 0.9 else []
    if rng.random() < 0.3:
        routes.append(route("Local"))
    if rng.random() < 0.1:
        routes.append(route("ByName", None, "TRANSPORT"))
    routes += [_route(rng, f"R{extra}", size) for extra in range(3) if rng.random() < dense]
    services = tuple({rng.choice(SERVICES)}) if rng.random() < 0.4 else ()
    role = rng.choice([None, None, "PRINCIPAL"])
    own = db("D", services=services, broker=rng.randint(1, 4), mirroring_role=role)
    return server(f"h{number}", own, bare("msdb", *routes)) | {"forwarding": rng.random() < 0.9}


def _route(rng: random.Random, name: str, size: int) -> dict[str, Any]:
    service = rng.choice((*SERVICES, None))
    broker = rng.choice((None, 1, 2, 3, 4)) if service else None
    mirror = {"mirror_address": f"tcp://h{rng.randrange(size + 1)}:4022"} if rng.random() < 0.15 else {}
    return route(name, service, f"h{rng.randrange(size + 1)}", broker, **mirror)
