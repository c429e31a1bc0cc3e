"""CHOOSE-0 to CHOOSE-4 and CHOOSE-FWD: which of the routes that match is taken, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterable

from routing.address import Address, address_in_name
from routing.choosing_account import account_for_stop, account_for_tier
from routing.decision import (
    FORWARDING_DISABLED,
    NO_PRINCIPAL,
    NOT_AN_ADDRESS,
    SERVICE_NOT_FOUND,
    Decision,
    Deliver,
    Send,
)
from routing.hop import Hop
from routing.locating import locate
from routing.mirroring import possible_principals
from routing.route import Route
from routing.table import Routes, RouteSet

Decisions = tuple[Decision, ...]


def choose(hop: Hop, matched: RouteSet) -> Decisions:
    """Every decision that the choice among routes that match together leaves open."""
    # The identifier in force: the conversation's, else the chosen routes'. All of one alternative share theirs.
    identifier = hop.identifier or matched.routes[0].broker_instance
    kept = _kept(hop, matched, identifier)
    if kept is not None:
        matched = kept
    if matched.mirrored:
        account_for_tier(hop, "CHOOSE-1", matched)
        return _forwarded(hop) or _to_principals(hop, matched.mirrored, identifier)
    if matched.local and (delivered := _to_this_instance(hop, matched, identifier)):
        return delivered
    if matched.network:
        account_for_tier(hop, "CHOOSE-3", matched)
        return _forwarded(hop) or _sends(hop, ((route, route.address) for route in matched.network), identifier)
    if matched.transport:
        account_for_tier(hop, "CHOOSE-4", matched)
        return _forwarded(hop) or _to_address_in_name(hop, matched.transport[0], identifier)
    account_for_stop(hop, SERVICE_NOT_FOUND)
    return (hop.stop(SERVICE_NOT_FOUND),)


def _to_this_instance(hop: Hop, matched: RouteSet, identifier: str | None) -> Decisions:
    """CHOOSE-2: delivered here; nothing where Locating fails, so that the next tier is asked."""
    begun = len(hop.trace.steps) if hop.trace is not None else None
    found = locate(hop, identifier)
    account_for_tier(hop, "CHOOSE-2", matched, taken=bool(found), at=begun)
    route = None if matched is AS_IF_LOCAL else matched.local[0].name
    return tuple(Deliver(hop.instance.name, database.name, route, identifier) for database in found)


def _kept(hop: Hop, matched: RouteSet, identifier: str | None) -> RouteSet | None:
    """RT-STICKY: the route chosen before, while it matches; a LOCAL one only while the service is here."""
    if hop.kept.route is None:
        return None
    routes = tuple(route for route in matched.routes if route.name == hop.kept.route)
    if not routes or (routes[0].address.is_local and not locate(hop, identifier)):
        return None
    return RouteSet(routes)


def _forwarded(hop: Hop) -> Decisions:
    """CHOOSE-FWD: not begun here, the address not LOCAL, forwarding not active: dropped. Else nothing."""
    if hop.outside and not hop.instance.forwarding:
        account_for_stop(hop, FORWARDING_DISABLED)
        return (hop.stop(FORWARDING_DISABLED),)
    return ()


def _to_principals(hop: Hop, mirrored: Routes, identifier: str | None) -> Decisions:
    """CHOOSE-1: to whichever partner is the principal; a route none of whose partners is leads nowhere."""
    decisions: Decisions = ()
    leads: list[tuple[Route, Address]] = []
    for route in mirrored:
        addresses = possible_principals(hop, route, identifier)
        leads += [(route, address) for address in addresses]
        if not addresses and not decisions:
            account_for_stop(hop, NO_PRINCIPAL)
            decisions = (hop.stop(NO_PRINCIPAL),)
    return _sends(hop, leads, identifier) + decisions


def _to_address_in_name(hop: Hop, route: Route, identifier: str | None) -> Decisions:
    """CHOOSE-4: the address is the one in the service name itself."""
    address = address_in_name(hop.service)
    if address is None:
        account_for_stop(hop, NOT_AN_ADDRESS)
        return (hop.stop(NOT_AN_ADDRESS),)
    return _sends(hop, ((route, address),), identifier)


def _sends(hop: Hop, leads: Iterable[tuple[Route, Address]], identifier: str | None) -> Decisions:
    """CHOOSE-0: routes with the same identifier, service name and network address are identical: one Send each."""
    resolve = hop.estate.by_address.get
    sends = {
        address.key: Send(address, resolve(address.key), route.name, identifier)
        for route, address in reversed(tuple(leads))
    }
    return tuple(reversed(sends.values()))
