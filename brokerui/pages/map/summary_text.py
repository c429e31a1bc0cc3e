"""The map in one sentence, and what of the estate it does not draw."""

from __future__ import annotations

from collections.abc import Iterator

from brokerui.pages.map.detail_level import MapCounts
from brokerui.pages.map.map_query import MapQuery
from brokerui.pages.map.scope import Scope
from routing.common.sentence import Sentence, say, say_counted


def headline(numbers: MapCounts, scope: Scope) -> Sentence:
    """Say in one sentence what the map shows, and how many routes lead from one instance to another."""
    instances = _instances(numbers.instances + numbers.grouped)
    databases = say_counted(numbers.databases, "one database", "{count} databases")
    lead = say_counted(numbers.onward, "one route leads on", "{count} routes lead on")
    if scope.focus:
        return say(
            "{focus} and its neighbours: {instances} with {databases}; {lead}.",
            focus=scope.focus,
            instances=instances,
            databases=databases,
            lead=lead,
        )
    if scope.service is not None:
        return say(
            "What concerns {service}: {instances} with {databases}; {lead}.",
            service=scope.service,
            instances=instances,
            databases=databases,
            lead=lead,
        )
    return say("{instances} with {databases}; {lead}.", instances=instances, databases=databases, lead=lead)


def left_out(numbers: MapCounts) -> Iterator[Sentence]:
    """Yield a sentence for each kind of thing that has no line or no box of its own."""
    if numbers.groups:
        groups = say_counted(numbers.groups, "one group", "{count} groups")
        yield say("{instances} are drawn as {groups}, by name.", instances=_instances(numbers.grouped), groups=groups)
    away = numbers.of_instances - numbers.instances - numbers.grouped
    if away:
        yield say(
            "{instances} and {routes} are not on this map.",
            instances=_instances(away),
            routes=_routes(numbers.elsewhere),
        )
    if numbers.stay:
        yield say_counted(numbers.stay, "One route stays where it is.", "{count} routes stay where they are.")
    if numbers.by_name:
        yield say_counted(
            numbers.by_name,
            "One route leads to the address in the service name.",
            "{count} routes lead to the address in the service name.",
        )
    if numbers.rest:
        yield say_counted(
            numbers.rest,
            "One route of the instances on the map is counted, not drawn.",
            "{count} routes of the instances on the map are counted, not drawn.",
        )


def grouped_by(numbers: MapCounts, page_query: MapQuery, scope: Scope) -> Sentence:
    """How many elements are shown, how many there are, and how the shown ones were chosen."""
    counts = {"drawn": f"{numbers.elements:,}", "all": f"{numbers.of_elements:,}"}
    if numbers.is_everything and numbers.elements >= numbers.of_elements:
        return say_counted(numbers.elements, "showing the only element", "showing all {count} elements")
    if numbers.groups:
        return say("showing {drawn} of {all} elements; grouped by name", **counts)
    if scope.focus:
        return say("showing {drawn} of {all} elements; around {focus}", focus=scope.focus, **counts)
    if scope.service is not None:
        return say("showing {drawn} of {all} elements; for one service", **counts)
    if page_query.first:
        return say("showing {drawn} of {all} elements; one group", **counts)
    return say("showing {drawn} of {all} elements; grouped by instance", **counts)


def _instances(count: int) -> Sentence:
    return say_counted(count, "one instance", "{count} instances")


def _routes(count: int) -> Sentence:
    return say_counted(count, "one route", "{count} routes")
