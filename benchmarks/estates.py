"""Large estates for measuring, drawn from a seed: realistic shapes, as plain documents."""

from __future__ import annotations

import random
import uuid
from typing import Any

Document = dict[str, Any]


def large_estate(
    *,
    instances: int = 1_000,
    databases: int = 5_000,
    routes: int = 50_000,
    names: int = 10_000,
    seed: int = 1,
    hubs_loop: bool = True,
) -> Document:
    """A company: each instance has some databases; most routes name a service and lead to where it lives; a few
    hubs forward; every database has AutoCreatedLocal, many also a wildcard route to a hub. Hubs hand to one another
    what they do not know, round and round, or (`hubs_loop` false) only to later ones."""
    rng = random.Random(seed)
    hubs = [f"srv{i:04}" for i in range(max(1, instances // 100))]
    estate = _bare(rng, instances, databases, names, hubs)
    homes = _homes(estate)
    tables = [(instance, database) for instance in estate["instances"] for database in instance["databases"]]
    for instance, database in tables:
        database["routes"].append(_route("AutoCreatedLocal"))
        hub = rng.choice(hubs)
        allowed = hubs_loop or instance["name"] not in hubs or hub > instance["name"]
        if hub != instance["name"] and rng.random() < 0.6 and allowed:
            database["routes"].append(_route("ToHub", address=_address(hub)))
    left = routes - sum(len(database["routes"]) for _, database in tables)
    services = sorted(homes)
    for number in range(left):
        _add_route(rng, rng.choice(tables)[1], number, homes, services)
    return estate


def one_table(*, rows: int, seed: int = 1) -> Document:
    """Two instances; one database whose `sys.routes` has this many rows, each for its own service."""
    table = [_route(f"R{i}", f"Service{i:06}", address="tcp://far.example:4022") for i in range(rows - 1)]
    database = {"name": "Big", "services": ["Own"], "routes": [*table, _route("AutoCreatedLocal")]}
    far = {"name": "Far", "services": ["Own"], "routes": [_route("AutoCreatedLocal")]}
    return {
        "format": "brokerui.estate/1",
        "instances": [
            {"name": "near", "addresses": ["tcp://near.example:4022"], "databases": [database]},
            {"name": "far", "addresses": ["tcp://far.example:4022"], "databases": [far, _msdb(random.Random(seed))]},
        ],
    }


def ring(*, servers: int, identifiers: bool = False) -> Document:
    """Forwarders that hand unknown services to the next one; each has a route of its own besides,
    for a service that is nowhere, or (`identifiers`) for one service with an identifier of its own."""
    instances = []
    for number in range(servers):
        onward = _address(f"srv{(number + 1) % servers:04}")
        own = _route("Own", "Ship" if identifiers else f"Ship{number:05}", address=onward)
        own["broker_instance"] = str(uuid.UUID(int=number)) if identifiers else None
        msdb = {"name": "msdb", "services": [], "routes": [_route("Next", address=onward), own]}
        name = f"srv{number:04}"
        instances.append({"name": name, "addresses": [_address(name)], "forwarding": True, "databases": [msdb]})
    return {"format": "brokerui.estate/1", "instances": instances}


def conversations(estate: Document, count: int, *, seed: int = 2) -> list[Document]:
    """Conversations as the interface has them: mostly for services that exist, some unknown, some with identifier."""
    rng = random.Random(seed)
    homes = _homes(estate)
    services = sorted(homes)
    origins = [
        (instance["name"], database["name"], [r["remote_service_name"] for r in database["routes"]])
        for instance in estate["instances"]
        for database in instance["databases"]
    ]
    return [_conversation(rng, f"c{i}", origins, services, homes) for i in range(count)]


def furnished(estate: Document) -> Document:
    """The same with a queue, a contract and a message type for each service, and what else a database may hold."""
    for instance in estate["instances"]:
        for database in instance["databases"]:
            names = database["services"]
            database["services"] = [{"name": name, "queue": _queue(name), "contracts": [f"{name}/C"]} for name in names]
            database["queues"] = [{"name": _queue(name)} for name in names]
            database["message_types"] = [{"name": f"{name}/M"} for name in names]
            database["contracts"] = [
                {"name": f"{name}/C", "messages": [{"message_type": f"{name}/M", "sent_by": "ANY"}]} for name in names
            ]
            database["priorities"] = [{"name": f"P{n}", "local_service_name": name} for n, name in enumerate(names)]
            database["remote_service_bindings"] = [
                {"name": f"B{n}", "remote_service_name": name, "user": "Messenger"} for n, name in enumerate(names)
            ]
    return estate


def _queue(service: str) -> str:
    return f"dbo.{service.rpartition('/')[2]}Queue"


def _bare(rng: random.Random, instances: int, databases: int, names: int, hubs: list[str]) -> Document:
    made: list[dict[str, Any]] = [
        {
            "name": f"srv{i:04}",
            "addresses": [_address(f"srv{i:04}")],
            "forwarding": f"srv{i:04}" in hubs or rng.random() < 0.1,
            "databases": [],
        }
        for i in range(instances)
    ]
    for i in range(databases - instances):
        home = made[i % instances]
        home["databases"].append(_database(rng, f"Db{i // instances}"))
    for i in range(names):
        owner = rng.choice(rng.choice(made)["databases"])
        owner["services"].append(f"//company.example/app{i % 97}/Service{i:05}")
    for instance in made:
        instance["databases"].append(_msdb(rng))
    return {"format": "brokerui.estate/1", "hop_limit": 10, "instances": made}


def _add_route(
    rng: random.Random, database: Document, number: int, homes: dict[str, list[tuple[str, str]]], services: list[str]
) -> None:
    service = rng.choice(services)
    home, identifier = rng.choice(homes[service])
    lifetime = rng.choice(["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"]) if rng.random() < 0.05 else None
    route = _route(f"Route{number}", service, address=_address(home), lifetime=lifetime)
    if rng.random() < 0.25:
        route["broker_instance"] = identifier
        if rng.random() < 0.1:
            route["mirror_address"] = _address(f"srv{rng.randrange(10):04}-mirror")
    database["routes"].append(route)


def _conversation(rng: random.Random, key: str, origins: list[Any], services: list[str], homes: Any) -> Document:
    instance, database, routed = rng.choice(origins)
    service = rng.choice(services) if rng.random() < 0.5 else rng.choice(routed) or rng.choice(services)
    if rng.random() < 0.02:
        service = f"//company.example/unknown{rng.randrange(1000)}"
    identifier = rng.choice(homes[service])[1] if service in homes and rng.random() < 0.2 else None
    origin = {"instance": instance, "database": database} if rng.random() < 0.9 else {"outside": instance}
    return {"id": key, "from": origin, "to_service": service, "to_broker_instance": identifier}


def _homes(estate: Document) -> dict[str, list[tuple[str, str]]]:
    homes: dict[str, list[tuple[str, str]]] = {}
    for instance in estate["instances"]:
        for database in instance["databases"]:
            for service in database["services"]:
                homes.setdefault(service, []).append((instance["name"], database.get("broker_instance", "")))
    return homes


def _database(rng: random.Random, name: str) -> Document:
    identifier = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    return {"name": name, "broker_instance": identifier, "services": [], "routes": []}


def _msdb(rng: random.Random) -> Document:
    return {**_database(rng, "msdb"), "routes": []}


def _address(host: str) -> str:
    return f"tcp://{host}.company.example:4022"


def _route(name: str, service: str | None = None, *, address: str = "LOCAL", lifetime: str | None = None) -> Document:
    return {
        "name": name,
        "remote_service_name": service,
        "broker_instance": None,
        "lifetime": lifetime,
        "address": address,
        "mirror_address": None,
    }
