"""MATCH-1 to MATCH-7: which routes of the table match. The first step that finds a route ends the matching.

A step returns the alternatives that it leaves open, each a set of routes that match together (only MATCH-3 leaves
more than one); `()` if it ends the matching without a route; None if the next step must be tried.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.model.route_table import AS_IF_LOCAL, RouteSet
from routing.rules.hop import Hop
from routing.rules.matching_account import account_for_step

Alternatives = tuple[RouteSet, ...]


def match(hop: Hop) -> tuple[str, Alternatives]:
    """The rule that ends the matching, and the alternatives that it leaves open."""
    trace = hop.trace
    for rule, step in _steps_that_may_match(hop) if trace is None else STEPS:
        found = step(hop)
        if trace is not None:
            account_for_step(hop, rule, found)
        if found is not None:
            return rule, found
    raise AssertionError("MATCH-7 ends every matching")


def _steps_that_may_match(hop: Hop) -> Steps:
    """The steps that can find something, given the service name, the identifier and the table."""
    return _MAY_MATCH[hop.named is not None, hop.identifier is not None, hop.table.dynamic is not None]


def name_and_identifier(hop: Hop) -> Alternatives | None:
    """MATCH-1: if the conversation gives an identifier, routes with exactly this service name and identifier."""
    if hop.identifier is None or (named := hop.named) is None:
        return None
    group = named.by_identifier.get(hop.identifier)
    return _alive(hop, group) if group is not None else None


def name_without_identifier(hop: Hop) -> Alternatives | None:
    """MATCH-2: routes with exactly this service name and no identifier."""
    named = hop.named
    return _alive(hop, named) if named is not None else None


def name_with_any_identifier(hop: Hop) -> Alternatives | None:
    """MATCH-3: if the conversation gives no identifier, routes with exactly this name and one; arbitrarily chosen."""
    if hop.identifier is not None or (named := hop.named) is None:
        return None
    alive = tuple(group for group in (g.alive(hop.at) for g in named.by_identifier.values()) if not group.empty)
    kept = tuple(group for group in alive if group.routes[0].broker_instance == hop.kept.identifier)  # RT-STICKY
    return kept or alive or None


def dynamic_routing(hop: Hop) -> Alternatives | None:
    """MATCH-4: with a route to the dynamic routing service and no request for this service pending, ask it."""
    dynamic = hop.table.dynamic
    # A conversation to the dynamic routing service itself skips this step, as does one with a pending request.
    if dynamic is None or hop.service == DYNAMIC_ROUTING_SERVICE or hop.service in hop.pending:
        return None
    return () if any(not route.expired(hop.at) for route in dynamic.all_routes()) else None


def neither_name_nor_identifier(hop: Hop) -> Alternatives | None:
    """MATCH-5: routes with neither service name nor identifier."""
    return _alive(hop, hop.table.wildcard)


def service_in_this_instance(hop: Hop) -> Alternatives | None:
    """MATCH-6: if an identifier is given and a database here can be the target of this service, as if LOCAL."""
    if hop.identifier is not None and hop.service in hop.instance.targets:
        return (AS_IF_LOCAL,)
    return None


def nothing_matches(hop: Hop) -> Alternatives | None:
    """MATCH-7: no route. This is no error: the conversation is matched again later."""
    return ()


Steps = tuple[tuple[str, Callable[[Hop], Alternatives | None]], ...]
STEPS: Steps = (
    ("MATCH-1", name_and_identifier),
    ("MATCH-2", name_without_identifier),
    ("MATCH-3", name_with_any_identifier),
    ("MATCH-4", dynamic_routing),
    ("MATCH-5", neither_name_nor_identifier),
    ("MATCH-6", service_in_this_instance),
    ("MATCH-7", nothing_matches),
)


def _may_match(named: bool, identifier: bool, dynamic: bool) -> Steps:
    may = {
        "MATCH-1": named and identifier,
        "MATCH-2": named,
        "MATCH-3": named and not identifier,
        "MATCH-4": dynamic,
        "MATCH-6": identifier,
    }
    return tuple(step for step in STEPS if may.get(step[0], True))


_MAY_MATCH = {facts: _may_match(*facts) for facts in product((False, True), repeat=3)}
"""Steps by (table has routes for the service, conversation gives an identifier, table has a dynamic route)."""


def _alive(hop: Hop, group: RouteSet) -> Alternatives | None:
    """The routes that have not expired as the only alternative; None if there are none."""
    if group.expires is not None:
        group = group.alive(hop.at)
    return None if group.empty else (group,)
