"""Checks of what breaks at the next failover of a mirrored database or an availability group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from routing.common.finding import WARNING, Finding
from routing.common.names import MSDB
from routing.common.sentence import say
from routing.lint.addresses import first_label
from routing.lint.context import LintContext
from routing.lint.facts import host_in_name, host_of
from routing.lint.linted_objects import HostedDatabase, LintedRoute, few, instance_finding
from routing.lint.loopback import is_loopback
from routing.lint.remedy import (
    alter_endpoint,
    altered,
    create_endpoint,
    create_route,
    free_name,
    is_accepted,
    taken_names,
    use,
)
from routing.model.address import Address
from routing.model.estate import MIRROR, PRINCIPAL, Database, Instance
from routing.model.route import AUTO_CREATED_LOCAL, Route
from routing.rules.choosing import Decisions
from routing.rules.decision import NO_ROUTE, SERVICE_NOT_FOUND, Delay, Drop, Send


class ReplicaPair(NamedTuple):
    """The principal, or primary replica, of a database, and an instance with a secondary one."""

    primary: HostedDatabase
    secondary: Instance


def route_to_replica(scene: LintContext) -> Iterator[Finding]:
    """A live route without a mirror to the machine of a principal or primary replica. After a failover the route still
    leads to the machine, where the database takes no messages then.

    A listener is a further address of the instance, under another name than its own. Without one, a route for the
    service of a mirrored database should have the address of the mirror, too.
    """
    primaries: dict[str, list[ReplicaPair]] = {}
    for pair in _pairs(scene):
        primaries.setdefault(pair.primary.instance.name, []).append(pair)
    for row in scene.live if primaries else ():
        if row.route.mirror_address is None and row.route.address.is_network:
            name = scene.estate.resolve(row.route.address)
            meant = [one for one in primaries.get(name or "", ()) if _may_mean(row, one.primary.database)]
            if meant and _listeners(meant[0].primary.instance):
                yield from _past_listener(row, *meant[0].primary)
            elif len(meant) == 1 and row.route.remote_service_name is not None:
                yield from _without_mirror(row, meant[0])


def _without_mirror(row: LintedRoute, pair: ReplicaPair) -> Iterator[Finding]:
    instance, database = pair.primary
    if row.route.broker_instance not in (None, database.broker_instance) or not pair.secondary.addresses:
        return
    if pair.secondary.name == row.instance.name:  # the sender's own instance has the mirror
        return
    mirror = pair.secondary.addresses[0]
    reason = say(
        "{database} on {instance} is mirrored on {mirror}, and the route knows no other address: after a failover,"
        " messages still come to {instance}.",
        database=database.name,
        instance=instance.name,
        mirror=pair.secondary.name,
    )
    columns: dict[str, Any] = {"mirror_address": mirror}
    if row.route.broker_instance is None:
        columns = {"broker_instance": database.broker_instance, **columns}
    yield row.finding("route-to-replica", WARNING, reason, altered(row.database.name, row.route, **columns))


def _may_mean(row: LintedRoute, database: Database) -> bool:
    service = row.route.remote_service_name
    return bool(database.user_services) if service is None else database.has_service(service)


def _past_listener(row: LintedRoute, instance: Instance, database: Database) -> Iterator[Finding]:
    listeners = _listeners(instance)
    if row.route.address in listeners:
        return
    reason = say(
        "{address} is the machine {instance}; {database} there is a replica, and its listener is {listeners}: after a"
        " failover, messages still come to {instance}.",
        address=row.route.address.key,
        instance=instance.name,
        database=database.name,
        listeners=tuple(address.key for address in listeners),
    )
    remedy = altered(row.database.name, row.route, address=listeners[0]) if len(listeners) == 1 else None
    yield row.finding("route-to-replica", WARNING, reason, remedy)


def replica_endpoint(scene: LintContext) -> Iterator[Finding]:
    """An instance with a secondary replica that cannot take over, because its Service Broker endpoint is missing, not
    started, or on another port than that of the primary replica behind a listener.

    Without a listener another port is sound: mirrored routes give each partner an address of its own.
    """
    scope = {instance.name for instance in scene.instances}
    reported: set[str] = set()
    for primary, secondary in _pairs(scene):
        leading, endpoint = primary.instance.endpoint, secondary.endpoint
        if leading is None or secondary.name in reported or secondary.name not in scope:
            continue
        values = {"database": primary.database.name, "primary": primary.instance.name, "port": leading.port}
        if endpoint is None:
            reason = say("No endpoint is known; {primary}, with the primary replica of {database}, has one.", **values)
            remedy = create_endpoint(leading.port)
        elif endpoint.state != "STARTED":
            state = endpoint.state
            reason = say(
                "Its endpoint is {state}: after a failover it cannot take over {database}.", state=state, **values
            )
            remedy = alter_endpoint("STATE = STARTED")
        elif endpoint.port != leading.port and _listeners(primary.instance):
            reason = say(
                "Its endpoint listens on port {own}, that of {primary} on {port}: after a failover of {database}, the"
                " listener leads to a port where nobody listens.",
                own=endpoint.port,
                **values,
            )
            remedy = alter_endpoint(f"AS TCP (LISTENER_PORT = {leading.port})")
        else:
            continue
        reported.add(secondary.name)
        yield instance_finding("replica-endpoint", WARNING, secondary, reason, remedy)


def replica_routes(scene: LintContext) -> Iterator[Finding]:
    """An instance with a secondary replica whose msdb lacks routes that the msdb beside the primary replica has.

    Messages from outside are routed by msdb, which no failover takes along: after it they would be dropped.
    """
    scope = {instance.name for instance in scene.instances}
    lacking: dict[str, tuple[Instance, Instance, dict[str, None]]] = {}
    for primary, secondary in _pairs(scene):
        if secondary.name not in scope:
            continue
        services = (service.name for service in primary.database.user_services)
        for name in (*services, *primary.instance.msdb.named):
            if _lacks(scene, primary.instance, secondary, name):
                lacking.setdefault(secondary.name, (primary.instance, secondary, {}))[2][name] = None
    for other, secondary, names in lacking.values():
        reason = say(
            "After a failover, messages from outside for {services} match no route of msdb here, as they do on"
            " {instance}.",
            services=few(list(names)),
            instance=other.name,
        )
        remedy = _copied(scene, other, secondary, names)
        yield Finding("replica-routes", WARNING, secondary.name, MSDB, MSDB, reason, remedy_sql=remedy)


def _pairs(scene: LintContext) -> Iterator[ReplicaPair]:
    """Every primary replica with each instance that holds a secondary one."""
    for held in scene.everywhere:
        identifier = held.database.broker_instance
        if identifier is None or held.database.mirroring_role != PRINCIPAL:
            continue
        for other in scene.holders[identifier]:
            if other.database.mirroring_role == MIRROR and other.instance is not held.instance:
                yield ReplicaPair(held, other.instance)


def _listeners(instance: Instance) -> list[Address]:
    """The addresses of an instance under another name than its own; a number or `localhost` is no listener's name."""
    own = first_label(host_in_name(instance))
    return [address for address in instance.addresses if _is_name(host_of(address)) and _label(address) != own]


def _label(address: Address) -> str:
    return first_label(host_of(address))


def _is_name(host: str) -> bool:
    return not is_loopback(host) and host[0] != "[" and not host.replace(".", "").isdigit()


def _lacks(scene: LintContext, primary: Instance, secondary: Instance, name: str) -> bool:
    here, there = (scene.from_outside(one.name, name) for one in (primary, secondary))
    if _unmatched(there):
        return not _unmatched(here)
    not_found = all(isinstance(one, Drop) and one.reason == SERVICE_NOT_FOUND for one in there)
    return not_found and name in primary.msdb.named and all(isinstance(one, Send) for one in here)


def _unmatched(decisions: Decisions) -> bool:
    return all(isinstance(one, Drop | Delay) and one.reason == NO_ROUTE for one in decisions)


def _copied(scene: LintContext, other: Instance, secondary: Instance, names: dict[str, None]) -> str | None:
    """The remedy: the routes of the other msdb for these names, and for everything; None if SQL Server refuses one."""
    routes = [route for route in other.msdb.routes.values() if not route.expired(scene.at) and _is_for(route, names)]
    if not all(map(is_accepted, routes)):
        return None
    taken = taken_names(secondary.msdb)
    statements, estate = [], scene.estate
    for route in routes or [AUTO_CREATED_LOCAL]:
        copy = replace(route, name=free_name(route.name, taken))
        taken.add(copy.name.lower())
        statements.append(create_route(copy, scene.at))
        estate = estate.with_route(secondary.name, MSDB, copy.name, copy)
    tried = LintContext(estate, scene.at)
    is_left = any(_lacks(tried, other, estate.instances[secondary.name], name) for name in names)
    return None if is_left else use(MSDB, statements)


def _is_for(route: Route, names: dict[str, None]) -> bool:
    return route.remote_service_name in names or (route.remote_service_name is None and route.broker_instance is None)
