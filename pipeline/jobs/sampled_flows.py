"""Draw the flows of synthetic traffic from the services and routes of an estate, with a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from routing.model.estate import Database, Estate, Instance

UNKNOWN_SERVICE_SHARE = 0.02
"""Share of conversations to services that exist nowhere."""
REPLY_SHARE = 0.3


class SampledFlow(NamedTuple):
    """One class of traffic, with the service that sends it."""

    from_instance: str
    from_database: str | None
    from_service: str | None
    to_service: str
    to_broker_instance: str | None
    is_reply: bool


def sample_flows(estate: Estate, count: int, seed: int) -> list[SampledFlow]:
    """Draw `count` different flows, the busiest first; most go to services that routes of their database name."""
    rng = random.Random(seed)  # noqa: S311 - traffic, not secrets
    origins = [(i, d) for i in estate.instances.values() for d in i.databases.values()]
    homes = _homes(estate)
    if not origins or not homes:
        return []
    services = sorted(homes)
    found: dict[SampledFlow, None] = {}
    for _ in range(8 * count):
        if len(found) < count:
            found[_flow(rng, *rng.choice(origins), homes, services)] = None
    return list(found)


def _homes(estate: Estate) -> dict[str, list[tuple[Instance, Database]]]:
    homes: dict[str, list[tuple[Instance, Database]]] = {}
    for instance in estate.instances.values():
        for database in instance.databases.values():
            for service in database.services:
                homes.setdefault(service.name, []).append((instance, database))
    return homes


def _flow(
    rng: random.Random,
    instance: Instance,
    database: Database,
    homes: dict[str, list[tuple[Instance, Database]]],
    services: list[str],
) -> SampledFlow:
    own = rng.choice(database.services).name if database.services else None
    if own is not None and rng.random() < REPLY_SHARE:
        # A reply comes from the network and finds the initiator's database by its broker identifier.
        return SampledFlow(instance.name, None, rng.choice(services), own, database.broker_instance, is_reply=True)
    named = list(database.table.named)
    service = rng.choice(named) if named and rng.random() < 0.7 else rng.choice(services)
    if rng.random() < UNKNOWN_SERVICE_SHARE:
        service = f"{service}/v{rng.randrange(2, 5)}"
    home = rng.choice(homes[service])[1] if service in homes and rng.random() < 0.2 else None
    return SampledFlow(
        instance.name, database.name, own, service, home.broker_instance if home else None, is_reply=False
    )


def entry_instances(flows: list[SampledFlow]) -> Iterator[str]:
    """Return the instances that flows start from, each once, the busiest first."""
    yield from dict.fromkeys(flow.from_instance for flow in flows)
