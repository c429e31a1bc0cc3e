"""Drawing of an edited copy of an estate document, for what compares two documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.naive.message import service_names
from tests.naive.values import parse_address
from tests.strategies.choices import Chooser, chance, pick
from tests.strategies.conversation import what_to_ask
from tests.strategies.estate import (
    add_database,
    draw_address,
    draw_instance,
    draw_remote_name,
    draw_route,
    draw_service,
)
from tests.strategies.pools import Pool, draw_host, draw_identifier, draw_lifetime, spell_address
from tests.strategies.valid import problems

Json = dict[str, Any]
Edit = Callable[[Chooser, Pool, Json], None]


def draw_edited(c: Chooser, estate: Json) -> Json:
    """A valid copy with one edit or a few. An edit that finds nothing to change, or
    would make the document invalid, is passed over, so that the copy may be equal.
    The copy may be left without any instance."""
    edited = edit_once(c, estate)
    while chance(c, 40):
        edited = edit_once(c, edited)
    return edited


def edit_once(c: Chooser, estate: Json) -> Json:
    edited = copy(estate)
    edit = pick(c, EDITS) if estate["instances"] else new_instance
    edit(c, pool_of(edited), edited)
    return estate if problems(edited) else edited


def copy(estate: Json) -> Json:
    duplicate: Json = json.loads(json.dumps(estate))
    return duplicate


def pool_of(estate: Json) -> Pool:
    """The pool that the estate may have been drawn from."""
    names = what_to_ask(estate)
    written = [one.get("addresses", []) for one in estate["instances"]]
    parsed = [[parse_address(text) for text in texts] for texts in written]
    hosts = tuple(tuple(host for host in some_hosts if host) for some_hosts in parsed)
    return Pool(tuple(names.services), tuple(names.identifiers), hosts)


# ---------------------------------------------------------------- where to edit


def any_instance(c: Chooser, estate: Json) -> Json:
    instance: Json = pick(c, estate["instances"])
    return instance


def any_database(c: Chooser, estate: Json) -> Json:
    """A database, msdb as often as the others together; one that counts for nothing
    where there is none."""
    databases = [one for instance in estate["instances"] for one in instance["databases"]]
    central = [one for one in databases if one["name"] == "msdb"]
    others = [one for one in databases if one["name"] != "msdb"]
    return pick(c, pick(c, (others or databases, central or databases)) or [{"name": "none"}])


def free_name(stem: str, things: list[Json]) -> str:
    """The first name STEM0, STEM1 ... that none of the things has."""
    names = {one["name"] for one in things}
    return next(f"{stem}{number}" for number in range(1000) if f"{stem}{number}" not in names)


def with_routes(c: Chooser, estate: Json) -> list[Json]:
    """The routes of a database, preferably of one that has some."""
    tables = [one.get("routes", []) for instance in estate["instances"] for one in instance["databases"]]
    routes: list[Json] = pick(c, [table for table in tables if table] or [[]])
    return routes


# ---------------------------------------------------------------- routes


def add_route(c: Chooser, pool: Pool, estate: Json) -> None:
    routes = any_database(c, estate).setdefault("routes", [])
    routes.append(draw_route(c, pool, free_name("New", routes)))


def add_wildcard(c: Chooser, pool: Pool, estate: Json) -> None:
    """MATCH-5: a route for everything."""
    routes = any_database(c, estate).setdefault("routes", [])
    routes.append({"name": free_name("All", routes), "address": draw_address(c, pool)})


def remove_route(c: Chooser, pool: Pool, estate: Json) -> None:
    if routes := with_routes(c, estate):
        routes.remove(pick(c, routes))


def move_route(c: Chooser, pool: Pool, estate: Json) -> None:
    """The order of a table means nothing."""
    if routes := with_routes(c, estate):
        routes.insert(0, routes.pop(c.below(len(routes))))


def alter_name(c: Chooser, pool: Pool, estate: Json) -> None:
    if routes := with_routes(c, estate):
        pick(c, routes)["remote_service_name"] = draw_remote_name(c, pool)


def alter_identifier(c: Chooser, pool: Pool, estate: Json) -> None:
    if routes := with_routes(c, estate):
        pick(c, routes)["broker_instance"] = draw_identifier(c, pool) if chance(c, 60) else None


def alter_lifetime(c: Chooser, pool: Pool, estate: Json) -> None:
    if routes := with_routes(c, estate):
        pick(c, routes)["lifetime"] = draw_lifetime(c) or pick(c, (None, "2020-01-01T00:00:00Z"))


def alter_address(c: Chooser, pool: Pool, estate: Json) -> None:
    if routes := with_routes(c, estate):
        pick(c, routes)["address"] = draw_address(c, pool)


def alter_mirror(c: Chooser, pool: Pool, estate: Json) -> None:
    if routes := with_routes(c, estate):
        route = pick(c, routes)
        mirrored = route.get("mirror_address") is not None
        route["mirror_address"] = None if mirrored else spell_address(c, draw_host(c, pool))


# ---------------------------------------------------------------- services


def add_service(c: Chooser, pool: Pool, estate: Json) -> None:
    services = any_database(c, estate).setdefault("services", [])
    services.append(draw_service(c, pick(c, (*pool.services, "Brand/New"))))


def remove_service(c: Chooser, pool: Pool, estate: Json) -> None:
    if services := any_database(c, estate).get("services"):
        services.remove(pick(c, services))


def move_service(c: Chooser, pool: Pool, estate: Json) -> None:
    if services := any_database(c, estate).get("services"):
        moved = services.pop(c.below(len(services)))
        any_database(c, estate).setdefault("services", []).append(moved)


def rename_service(c: Chooser, pool: Pool, estate: Json) -> None:
    """Also a plain name to an object, or back."""
    database = any_database(c, estate)
    if names := service_names(database):
        other = pick(c, (names[0], *pool.services))
        database["services"][0] = draw_service(c, other)


# ---------------------------------------------------------------- databases


def alter_role(c: Chooser, pool: Pool, estate: Json) -> None:
    any_database(c, estate)["mirroring_role"] = pick(c, (None, "PRINCIPAL", "MIRROR"))


def alter_enabled(c: Chooser, pool: Pool, estate: Json) -> None:
    database = any_database(c, estate)
    database["broker_enabled"] = not database.get("broker_enabled", True)


def alter_broker_instance(c: Chooser, pool: Pool, estate: Json) -> None:
    other = draw_identifier(c, pool) if chance(c, 70) else None
    any_database(c, estate)["broker_instance"] = other


def new_database(c: Chooser, pool: Pool, estate: Json) -> None:
    instance = any_instance(c, estate)
    if "msdb" not in [one["name"] for one in instance["databases"]] and chance(c, 50):
        add_database(c, pool, instance, "msdb")
    else:
        add_database(c, pool, instance, free_name("New", instance["databases"]))


def remove_database(c: Chooser, pool: Pool, estate: Json) -> None:
    if databases := any_instance(c, estate)["databases"]:
        databases.remove(pick(c, databases))


# ---------------------------------------------------------------- instances, the estate


def alter_forwarding(c: Chooser, pool: Pool, estate: Json) -> None:
    instance = any_instance(c, estate)
    instance["forwarding"] = not instance.get("forwarding", False)


def remove_address(c: Chooser, pool: Pool, estate: Json) -> None:
    if addresses := any_instance(c, estate).get("addresses"):
        addresses.remove(pick(c, addresses))


def add_instance_address(c: Chooser, pool: Pool, estate: Json) -> None:
    """Also one that was outside the estate until now."""
    address = spell_address(c, draw_host(c, Pool((), (), ())))
    any_instance(c, estate).setdefault("addresses", []).append(address)


def move_address(c: Chooser, pool: Pool, estate: Json) -> None:
    if addresses := any_instance(c, estate).get("addresses"):
        moved = addresses.pop(c.below(len(addresses)))
        any_instance(c, estate).setdefault("addresses", []).append(moved)


def alter_hop_limit(c: Chooser, pool: Pool, estate: Json) -> None:
    estate["hop_limit"] = pick(c, (0, 1, 2, 3, 10))


def new_instance(c: Chooser, pool: Pool, estate: Json) -> None:
    instance = draw_instance(c, Pool(pool.services, pool.identifiers, ((("new.example", 4022),),)), 0)
    estate["instances"].append({**instance, "name": free_name("new", estate["instances"])})


def remove_instance(c: Chooser, pool: Pool, estate: Json) -> None:
    estate["instances"].remove(any_instance(c, estate))


def rename_instance(c: Chooser, pool: Pool, estate: Json) -> None:
    any_instance(c, estate)["name"] = free_name("renamed", estate["instances"])


# What people change most stands first, and more than once.
EDITS: tuple[Edit, ...] = (
    *(add_route, remove_route, add_wildcard, alter_address, alter_lifetime) * 2,
    *(alter_name, alter_identifier, alter_mirror, move_route),
    *(add_service, remove_service, move_service, rename_service),
    *(alter_role, alter_enabled, alter_broker_instance, new_database, remove_database),
    *(alter_forwarding, alter_hop_limit, remove_address, add_instance_address, move_address),
    *(new_instance, remove_instance, rename_instance),
)
