"""CHOOSE-0 to CHOOSE-4 and CHOOSE-FWD: which of the matching routes is chosen, and where it leads.

The tiers are tried in order; where CHOOSE-2 cannot locate the service, the next tier is tried (RT-STEPS). Which
partner of a mirrored route gets the message, CHOOSE-1 asks of `mirroring` (MIR-1 to MIR-4).
"""

from __future__ import annotations

from routing.common.sentence import say
from routing.model.address import Address, address_in_name
from routing.model.route import Route
from routing.model.route_table import AS_IF_LOCAL, Routes, RouteSet
from routing.rules.choosing_account import (
    account_for_principals,
    account_for_sends,
    account_for_stop,
    account_for_tier,
)
from routing.rules.decision import (
    FORWARDING_DISABLED,
    NO_PRINCIPAL,
    NOT_AN_ADDRESS,
    SERVICE_NOT_FOUND,
    Decision,
    Deliver,
    Send,
)
from routing.rules.hop import Hop
from routing.rules.locating import locate
from routing.rules.locating_account import account_for_locating
from routing.rules.mirroring import possible_principals

Decisions = tuple[Decision, ...]


def choose(hop: Hop, matched: RouteSet) -> Decisions:
    """Every decision that the choice among routes of one alternative leaves open."""
    # The identifier in force: the conversation's, else that of the routes, which all routes of one alternative share.
    identifier = hop.identifier or matched.identifier
    if hop.kept.route is not None:
        matched = _kept(hop, matched, identifier)
    # CHOOSE-FWD: a message from outside, forwarding off: only LOCAL may be chosen.
    held = hop.database is None and not hop.instance.forwarding
    if matched.mirrored:
        if hop.trace is not None:
            account_for_tier(hop, hop.trace, "CHOOSE-1", matched)
        return _stopped(hop, FORWARDING_DISABLED) if held else _to_principals(hop, matched.mirrored, identifier)
    if matched.local and (delivered := _to_this_instance(hop, matched, identifier)):
        return delivered
    if matched.direct_address is not None or matched.network:
        if hop.trace is not None:
            account_for_tier(hop, hop.trace, "CHOOSE-3", matched)
        return _stopped(hop, FORWARDING_DISABLED) if held else _to_network(hop, matched)
    if matched.transport:
        if hop.trace is not None:
            account_for_tier(hop, hop.trace, "CHOOSE-4", matched)
        return _stopped(hop, FORWARDING_DISABLED) if held else _to_address_in_name(hop, matched.transport[0])
    return _stopped(hop, SERVICE_NOT_FOUND)


def _stopped(hop: Hop, reason: str) -> Decisions:
    """The message goes no further: it is dropped, or the conversation DELAYED if it was begun here."""
    if hop.trace is not None:
        account_for_stop(hop, hop.trace, reason)
    return (hop.stop(reason),)


def _to_this_instance(hop: Hop, matched: RouteSet, identifier: str | None) -> Decisions:
    """CHOOSE-2: deliver in this instance; empty if locating fails, so that the next tier is tried (RT-STEPS)."""
    found = locate(hop, identifier)
    if hop.trace is not None:
        account_for_tier(hop, hop.trace, "CHOOSE-2", matched, taken=bool(found))
        account_for_locating(hop, hop.trace, identifier, found)
    if not found:
        return ()
    route = None if matched is AS_IF_LOCAL else matched.local[0].name
    return tuple([Deliver(hop.instance.name, database.name, route, identifier) for database in found])


def _kept(hop: Hop, matched: RouteSet, identifier: str | None) -> RouteSet:
    """RT-STICKY: only the route chosen before, while it matches; a LOCAL one only while the service is located here."""
    routes = tuple(route for route in matched.routes if route.name == hop.kept.route)
    if not routes or (routes[0].address.is_local and not locate(hop, identifier)):
        return matched
    if hop.trace is not None:
        hop.trace.add(
            "RT-STICKY", True, say("The conversation keeps {route}, which it chose before.", route=routes[0].name)
        )
    return RouteSet(routes)


def _to_network(hop: Hop, matched: RouteSet) -> Decisions:
    """CHOOSE-3: a decision for each network address of the tier; a running broker draws one of them."""
    address = matched.direct_address
    if address is None or hop.trace is not None:
        return _sends(hop, [(route, route.address) for route in matched.network])
    return (Send(address, hop.estate.by_address.get(address.key), matched.direct_name, matched.identifier),)


def _to_principals(hop: Hop, mirrored: Routes, identifier: str | None) -> Decisions:
    """CHOOSE-1: send to the partner that is the principal (MIR-1 to MIR-4); stop if no partner is."""
    decisions: Decisions = ()
    leads: list[tuple[Route, Address]] = []
    for route in mirrored:
        addresses = possible_principals(hop, route, identifier)
        leads += [(route, address) for address in addresses]
        if hop.trace is not None and addresses:
            account_for_principals(hop, hop.trace, route, addresses)
        if not addresses and not decisions:
            decisions = _stopped(hop, NO_PRINCIPAL)
    return _sends(hop, leads) + decisions


def _to_address_in_name(hop: Hop, route: Route) -> Decisions:
    """CHOOSE-4: send to the address in the service name."""
    address = address_in_name(hop.service)
    if address is None:
        return _stopped(hop, NOT_AN_ADDRESS)
    return _sends(hop, [(route, address)])


def _sends(hop: Hop, leads: list[tuple[Route, Address]]) -> Decisions:
    """CHOOSE-0: one Send for all routes with the same identifier, service name and network address."""
    if len(leads) > 1:
        leads = list({address.key: (route, address) for route, address in reversed(leads)}.values())[::-1]
    to = hop.estate.by_address.get
    sends = tuple([Send(address, to(address.key), route.name, route.broker_instance) for route, address in leads])
    if hop.trace is not None:
        account_for_sends(hop, hop.trace, sends)
    return sends
