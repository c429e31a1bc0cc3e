"""Drawing of whole estate documents: valid ones, dense in the corners of the rules."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.naive.values import parse_guid
from tests.strategies.choices import Chooser, chance, pick, pick_two, some
from tests.strategies.pools import (
    DYNAMIC,
    LOCAL_SPELLINGS,
    OUTSIDE,
    TRANSPORT_SPELLINGS,
    Host,
    Pool,
    draw_host,
    draw_identifier,
    draw_lifetime,
    draw_pool,
    spell_address,
    spell_guid,
)

Json = dict[str, Any]
ROUTE_DEFAULTS = ("remote_service_name", "broker_instance", "lifetime", "mirror_address")


def draw_estate(c: Chooser) -> Json:
    """An estate of one to five instances, often with a mirrored pair or a loop."""
    pool = draw_pool(c)
    instances = [c.part(partial(draw_instance, c, pool, n)) for n in range(len(pool.hosts))]
    estate: Json = {"format": "brokerui.estate/1", "instances": instances}
    hop_limit = pick(c, (None, 10, 0, 1, 2, 3))
    if hop_limit is not None:
        estate["hop_limit"] = hop_limit
    if len(instances) > 1 and chance(c, 40):
        add_mirrored_pair(c, pool, instances)
    if chance(c, 30):
        add_loop(c, pool, instances)
    return estate


def draw_instance(c: Chooser, pool: Pool, number: int) -> Json:
    """An instance; sometimes without msdb, sometimes without any database."""
    instance: Json = {"name": f"host{number + 1}", "databases": []}
    some(c, 3, 65, lambda one: add_database(c, pool, instance, f"Db{one}"))
    if not chance(c, 15):
        c.part(lambda: add_database(c, pool, instance, "msdb"))
    if pool.hosts[number] or chance(c, 50):
        instance["addresses"] = [spell_address(c, host) for host in pool.hosts[number]]
    if chance(c, 75):
        instance["forwarding"] = not chance(c, 30)
    return instance


# ---------------------------------------------------------------- databases


def add_database(c: Chooser, pool: Pool, instance: Json, name: str) -> Json:
    """Adds a database that keeps the constraint on identifiers."""
    database: Json = {"name": name}
    if chance(c, 65):
        database["broker_instance"] = draw_database_identifier(c, pool, instance)
    if chance(c, 15):
        database["broker_enabled"] = chance(c, 30)
    if chance(c, 30):
        database["mirroring_role"] = pick(c, (None, "PRINCIPAL", "MIRROR"))
    if services := draw_services(c, pool):
        database["services"] = services
    database["routes"] = draw_routes(c, pool)
    instance["databases"].append(database)
    keep_identifiers_apart(c, instance, database)
    return database


def draw_database_identifier(c: Chooser, pool: Pool, instance: Json) -> str:
    """One of the pool, or one of this database alone."""
    if chance(c, 30):
        place = f"{instance['name'][-1]:>6}{len(instance['databases']):>6}".replace(" ", "0")
        return spell_guid(c, f"1f9fde3c-0000-4000-9000-{place}")
    return draw_identifier(c, pool)


def keep_identifiers_apart(c: Chooser, instance: Json, database: Json) -> None:
    """No identifier on two enabled databases: disable the new one, or take it away."""
    if not database.get("broker_enabled", True):
        return
    others = [one for one in instance["databases"] if one is not database]
    taken = [identifier(one) for one in others if one.get("broker_enabled", True)]
    if identifier(database) is None or identifier(database) not in taken:
        return
    if chance(c, 50):
        database["broker_enabled"] = False
    else:
        database["broker_instance"] = None


def identifier(database: Json) -> str | None:
    return parse_guid(database.get("broker_instance"))


def draw_services(c: Chooser, pool: Pool) -> list[str | Json]:
    """Different names, plain or as objects."""
    names = some(c, 3, 65, lambda _: pick(c, pool.services))
    return [draw_service(c, name) for name in dict.fromkeys(names)]


def draw_service(c: Chooser, name: str) -> str | Json:
    if not chance(c, 25):
        return name
    queue = pick(c, (None, "dbo.Queue"))
    return {"name": name, "queue": queue, "contracts": []}


# ---------------------------------------------------------------- routes


def draw_routes(c: Chooser, pool: Pool) -> list[Json]:
    default: list[Json] = [{"name": "AutoCreatedLocal", "address": "LOCAL"}] if chance(c, 45) else []
    return default + some(c, 6, 70, lambda number: draw_route(c, pool, f"R{number}"))


def draw_route(c: Chooser, pool: Pool, name: str) -> Json:
    """A route of any of the shapes that a document may hold, also those of no use."""
    route: Json = dict.fromkeys(("name", *ROUTE_DEFAULTS))
    route["name"] = name
    route["address"] = draw_address(c, pool)
    route["remote_service_name"] = draw_remote_name(c, pool)
    if chance(c, 30):
        route["broker_instance"] = draw_identifier(c, pool)
    if "tcp" in route["address"].lower() and chance(c, 25):
        route["mirror_address"] = spell_address(c, draw_host(c, pool))
    route["lifetime"] = draw_lifetime(c)
    return leave_out_defaults(c, route)


def draw_address(c: Chooser, pool: Pool) -> str:
    kind = c.below(100)
    if kind < 35:
        return pick(c, LOCAL_SPELLINGS)
    if kind < 87:
        return spell_address(c, draw_host(c, pool))
    return pick(c, TRANSPORT_SPELLINGS)


def draw_remote_name(c: Chooser, pool: Pool) -> str | None:
    if chance(c, 40):
        return None
    return DYNAMIC if chance(c, 5) else pick(c, pool.services)


def leave_out_defaults(c: Chooser, route: Json) -> Json:
    """Optional keys may be written as null or not at all."""
    if chance(c, 50):
        return route
    return {key: value for key, value in route.items() if value is not None}


# ---------------------------------------------------------------- shapes that chance seldom makes


def any_table(c: Chooser, instances: list[Json]) -> list[Json]:
    """The routes of some database; msdb is made where its instance has no database."""
    instance = pick(c, instances)
    if not instance["databases"]:
        return msdb_table(instance)
    routes: list[Json] = pick(c, instance["databases"])["routes"]
    return routes


def msdb_table(instance: Json) -> list[Json]:
    """The routes of msdb, which is made where it is missing."""
    for database in instance["databases"]:
        if database["name"] == "msdb":
            routes: list[Json] = database["routes"]
            return routes
    instance["databases"].append({"name": "msdb", "routes": []})
    return msdb_table(instance)


def add_mirrored_pair(c: Chooser, pool: Pool, instances: list[Json]) -> None:
    """MIR: one identifier on two instances in both roles, and a route with both addresses."""
    service, guid = pick(c, pool.services), pick(c, pool.identifiers)
    pair = pick_two(c, range(len(instances)))
    for number, role in zip(pair, ("PRINCIPAL", pick(c, ("MIRROR", "PRINCIPAL"))), strict=True):
        add_partner(instances[number], service, guid, role)
    route: Json = {"name": "Mirrored"}
    route["remote_service_name"] = pick(c, (service, service, None))
    route["broker_instance"] = pick(c, (None, guid)) if route["remote_service_name"] else None
    route["address"], route["mirror_address"] = (
        spell_address(c, pick(c, pool.hosts[number] or OUTSIDE)) for number in pair
    )
    any_table(c, instances).append(route)


def add_partner(instance: Json, service: str, guid: str, role: str) -> None:
    """A partner of the pair; another database here with this identifier loses it."""
    for database in instance["databases"]:
        if identifier(database) == guid:
            database["broker_instance"] = None
    partner = {"name": "Partner", "broker_instance": guid, "mirroring_role": role}
    instance["databases"].append({**partner, "services": [service], "routes": []})


def add_loop(c: Chooser, pool: Pool, instances: list[Json]) -> None:
    """LOOP-1, LOOP-2: msdb routes around one to three instances, mostly forwarding."""
    start, length = c.below(len(instances)), 1 + c.below(min(3, len(instances)))
    around = [(start + step) % len(instances) for step in range(length)]
    name = pick(c, (None, *pool.services))
    for here, following in zip(around, around[1:] + around[:1], strict=True):
        instances[here]["forwarding"] = not chance(c, 10)
        host: Host = pick(c, pool.hosts[following] or OUTSIDE)
        loop = {"name": "Loop", "remote_service_name": name, "address": spell_address(c, host)}
        msdb_table(instances[here]).append(loop)
