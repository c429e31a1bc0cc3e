"""Checks of routes that SQL Server would refuse, or that cannot do what they say."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.facts import own_services
from routing.lint.linted_objects import LintedRoute, lost
from routing.lint.reasons import unless
from routing.lint.remedy import altered, drop_route, made_again, use
from routing.model.address import address_in_name
from routing.model.estate import PRINCIPAL


def route_without_name(scene: LintContext) -> Iterator[Finding]:
    """A route with an identifier but no service name, expired or not: it matches at no step.

    If exactly one database of the estate has the identifier, and one service, the remedy takes that service.
    """
    for row in scene.rows:
        route = row.route
        if route.remote_service_name is None and route.broker_instance is not None:
            reason = say("It gives an identifier but no service name, so it matches no conversation.")
            yield row.finding("route-without-name", WARNING, reason, _with_name(scene, row, route.broker_instance))


def _with_name(scene: LintContext, row: LintedRoute, identifier: str) -> str:
    names = {name for held in scene.holders.get(identifier, ()) for name in own_services(held.database)}
    named = None
    if len(names) == 1:
        named = made_again(row.database.name, row.route, scene.at, remote_service_name=names.pop())
    return named or use(row.database.name, (drop_route(row.route.name),))


def transport_with_name(scene: LintContext) -> Iterator[Finding]:
    """Address TRANSPORT beside a service name: SQL Server refuses it (9745); the route is for one name only.

    An error if that name holds no address and nothing else takes its conversations: none can be sent (CHOOSE-4).
    """
    for row in scene.live:
        name = row.route.remote_service_name
        if name is None or not row.route.address.is_transport:
            continue
        address = address_in_name(name)
        if address is None:
            reason = say("Its address is TRANSPORT, but the name {service} holds no address to send to.", service=name)
            yield row.finding("transport-with-name", ERROR if lost(scene.ends(row, name)) else WARNING, reason)
        else:
            reason = say("It is for one name only; that name holds {address}.", address=address.key)
            remedy = altered(row.database.name, row.route, address=address)
            yield row.finding("transport-with-name", WARNING, reason, remedy)


def mirror_without_identifier(scene: LintContext) -> Iterator[Finding]:
    """A mirror address without a service name or without an identifier: SQL Server refuses the route (9661).

    BrokerUI routes by it, as example 3 of the documentation does (MIR-1).
    """
    for row in scene.live:
        route = row.route
        if route.mirror_address is None or (route.remote_service_name and route.broker_instance):
            continue
        reason = say("It has a mirror address; SQL Server requires a service name and an identifier with it.")
        yield row.finding("mirror-without-identifier", WARNING, reason, _with_identifier(scene, row))


def _with_identifier(scene: LintContext, row: LintedRoute) -> str | None:
    """The remedy: the identifier of the only principal that has the service."""
    service = row.route.remote_service_name
    found = {
        held.database.broker_instance
        for held in scene.services.get(service or "", ())
        if held.database.mirroring_role == PRINCIPAL and held.database.broker_instance
    }
    if len(found) != 1:
        return None
    return altered(row.database.name, row.route, broker_instance=found.pop())


def mirror_equals_address(scene: LintContext) -> Iterator[Finding]:
    """Both addresses are equal in canonical form: there is no partner (9747; MIR-2).

    An error if conversations for its service get nowhere, for example because the database there is no principal; only
    information where that hangs on a role or an identifier that is not known.
    """
    for row in scene.live:
        route = row.route
        if route.mirror_address is not None and route.mirror_address == route.address:
            reason = say("Its mirror address is its address, {address}: it has no partner.", address=route.address.key)
            remedy = made_again(row.database.name, route, scene.at, mirror_address=None)
            name = route.remote_service_name
            severity = ERROR if name is not None and lost(scene.ends(row, name)) else WARNING
            if severity == ERROR and (supposed := scene.supposed(row, str(name))):
                severity, reason = INFO, unless(reason, supposed[0])
            yield row.finding("mirror-equals-address", severity, reason, remedy)
