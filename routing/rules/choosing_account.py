"""Explains choosing: which tier was chosen, which routes it rejected, and why a message goes no further."""

from __future__ import annotations

from itertools import takewhile

from routing.common.sentence import Sentence, listed, say
from routing.model.address import Address
from routing.model.route import Route
from routing.model.route_table import AS_IF_LOCAL, Routes, RouteSet
from routing.rules.decision import FORWARDING_DISABLED, NO_PRINCIPAL, NOT_AN_ADDRESS, SERVICE_NOT_FOUND, Send
from routing.rules.hop import Hop
from routing.rules.trace import RejectedRoute, Trace

_EMPTY = {
    "CHOOSE-1": say("No mirror address."),
    "CHOOSE-2": say("No LOCAL address."),
    "CHOOSE-3": say("No network address."),
}
_PUT_ASIDE = {
    "CHOOSE-1": say("a mirrored route comes first"),
    "CHOOSE-2": say("a LOCAL route comes first"),
    "CHOOSE-3": say("a network address comes first"),
}


def account_for_tier(hop: Hop, trace: Trace, rule: str, matched: RouteSet, *, taken: bool = True) -> None:
    """Add the step of a tier with routes to the trace, after those of the empty tiers before it."""
    for empty in _empty_before(rule, matched):
        trace.add(empty, False, _EMPTY[empty])
    tier = _tiers(matched)[rule]
    later = tuple(
        RejectedRoute(route.name, _PUT_ASIDE[rule])
        for lower, routes in _tiers(matched).items()
        for route in routes
        if lower > rule and taken
    )
    names = tuple(route.name for route in tier) if matched is not AS_IF_LOCAL else ()
    trace.add(rule, taken, _says(hop, rule, tier), routes=names, rejected=later)


def _tiers(matched: RouteSet) -> dict[str, Routes]:
    return {
        "CHOOSE-1": matched.mirrored,
        "CHOOSE-2": matched.local,
        "CHOOSE-3": matched.network,
        "CHOOSE-4": matched.transport,
    }


def _empty_before(rule: str, matched: RouteSet) -> tuple[str, ...]:
    """The empty tiers between this one and the last one in the trace."""
    earlier = [(name, routes) for name, routes in _tiers(matched).items() if name < rule]
    empty = list(takewhile(lambda tier: not tier[1], reversed(earlier)))
    return tuple(name for name, _ in reversed(empty))


def _says(hop: Hop, rule: str, tier: Routes) -> Sentence:
    if rule == "CHOOSE-1":
        return say(
            "A mirror address: {routes}. Both partners are asked which is the principal.",
            routes=listed([r.name for r in tier]),
        )
    if rule == "CHOOSE-2" and tier is AS_IF_LOCAL.routes:
        return say("Address LOCAL, as MATCH-6 has it, if the service is in {instance}.", instance=hop.instance.name)
    if rule == "CHOOSE-2":
        return say(
            "Address LOCAL: {routes}, if the service is in {instance}.",
            routes=listed([r.name for r in tier]),
            instance=hop.instance.name,
        )
    if rule == "CHOOSE-3":
        leads = tuple(dict.fromkeys(r.address.key for r in tier))
        if len(leads) > 1:
            return say(
                "{count} network addresses, any of which may be taken: {addresses}.",
                count=len(leads),
                addresses=listed(leads),
            )
        to = hop.estate.resolve(tier[0].address)
        if to is None:
            return say("Network address {address}, which is no instance of this estate.", address=leads[0])
        return say("Network address {address}, which is {instance}.", address=leads[0], instance=to)
    return say("Address TRANSPORT: the address stands in the service name itself.")


def account_for_principals(hop: Hop, trace: Trace, route: Route, addresses: tuple[Address, ...]) -> None:
    """Add which partners of a mirrored route may be the principal."""
    if hop.estate.resolve(addresses[0]) is None:
        text = say("No partner of {route} in this estate is the principal; outside it may be {addresses}.")
    else:
        text = say("The principal for {route} is {addresses}.")
    keys = tuple(address.key for address in addresses)
    trace.add("MIR-2", True, Sentence(text.text, {"route": route.name, "addresses": keys}))


def account_for_sends(hop: Hop, trace: Trace, sends: tuple[Send, ...]) -> None:
    """Add which routes count as identical (CHOOSE-0), and whether a message returns to this instance (LOOP-2)."""
    tier = trace.steps[-1]
    same = tuple(name for name in tier.routes if all(name != send.route for send in sends))
    if tier.rule == "CHOOSE-3" and same:
        trace.add(
            "CHOOSE-0", True, say("Identical to another and counted with it: {routes}.", routes=same), routes=same
        )
    for send in sends:
        if send.to == hop.instance.name:
            says = say("{address} is this very instance: the message counts as from outside.", address=send.address.key)
            trace.add("LOOP-2", True, says)


def account_for_stop(hop: Hop, trace: Trace, reason: str) -> None:
    """Add why the message goes no further."""
    rule = {
        FORWARDING_DISABLED: "CHOOSE-FWD",
        NO_PRINCIPAL: "MIR-4",
        NOT_AN_ADDRESS: "CHOOSE-4",
        SERVICE_NOT_FOUND: "RT-STEPS",
    }[reason]
    trace.add(rule, True, _stops(hop, reason))


def _stops(hop: Hop, reason: str) -> Sentence:
    if reason == FORWARDING_DISABLED:
        return say(
            "It was not begun in {instance}, the address is not LOCAL, and forwarding is off: dropped.",
            instance=hop.instance.name,
        )
    what = {
        NO_PRINCIPAL: say("No partner of the mirrored route is known to be the principal"),
        NOT_AN_ADDRESS: say("The service name holds no address"),
        SERVICE_NOT_FOUND: say("The service was not found, and no other route is left to choose"),
    }[reason]
    if hop.outside:
        return say("{what}: the message is dropped.", what=what)
    return say("{what}: the conversation is DELAYED.", what=what)
