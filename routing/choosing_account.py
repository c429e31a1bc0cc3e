"""The account of choosing: which tier was taken, which routes it put aside, and why a message goes no further."""

from __future__ import annotations

from routing.decision import (
    FORWARDING_DISABLED,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
)
from routing.hop import Hop
from routing.sentence import Sentence, say
from routing.table import Routes, RouteSet
from routing.trace import Rejected

_PUT_ASIDE = {
    "CHOOSE-1": say("a mirrored route comes first"),
    "CHOOSE-2": say("a LOCAL route comes first"),
    "CHOOSE-3": say("a network address comes first"),
}


def account_for_tier(hop: Hop, rule: str, matched: RouteSet, tier: Routes) -> None:
    """Adds the tier that has routes, with the routes that it puts aside; nothing without a trace."""
    if hop.trace is None:
        return
    chosen = tuple(route.name for route in tier)
    clause = _PUT_ASIDE.get(rule)
    later = (
        ()
        if clause is None
        else tuple(
            Rejected(r.name, clause) for r in matched.routes if r.name not in chosen and not _earlier(rule, r, matched)
        )
    )
    hop.trace.add(rule, True, _says(hop, rule, tier), routes=chosen, rejected=later)


def _earlier(rule: str, route: object, matched: RouteSet) -> bool:
    """Whether a LOCAL route was tried before this tier, and failed."""
    return rule == "CHOOSE-3" and any(route is local for local in matched.local)


def _says(hop: Hop, rule: str, tier: Routes) -> Sentence:
    if rule == "CHOOSE-1":
        return say(
            "A mirror address: {routes}. Both partners are asked which is the principal.",
            routes=tuple(r.name for r in tier),
        )
    if rule == "CHOOSE-2":
        return say(
            "Address LOCAL: {routes}, if the service is in {instance}.",
            routes=tuple(r.name for r in tier),
            instance=hop.instance.name,
        )
    if rule == "CHOOSE-3":
        leads = tuple(dict.fromkeys(r.address.key for r in tier))
        if len(leads) > 1:
            return say(
                "{count} network addresses, any of which may be taken: {addresses}.",
                count=len(leads),
                addresses=leads,
            )
        to = hop.estate.resolve(tier[0].address)
        if to is None:
            return say("Network address {address}, which is no instance of this estate.", address=leads[0])
        return say("Network address {address}, which is {instance}.", address=leads[0], instance=to)
    return say("Address TRANSPORT: the address stands in the service name itself.")


def account_for_stop(hop: Hop, reason: str) -> None:
    """Adds why the message goes no further; nothing without a trace."""
    if hop.trace is None or reason in (NO_ROUTE, ROUTE_REQUESTED):
        return  # MATCH-7 and MATCH-4 have said it already
    rule = {
        FORWARDING_DISABLED: "CHOOSE-FWD",
        NO_PRINCIPAL: "MIR-4",
        NOT_AN_ADDRESS: "CHOOSE-4",
        SERVICE_NOT_FOUND: "RT-STEPS",
    }[reason]
    hop.trace.add(rule, True, _stops(hop, reason))


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
