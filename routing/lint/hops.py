"""Check of routes whose messages are forwarded more often than the hop limit allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from routing.common.finding import ERROR, Finding
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.linted_objects import LintedRoute
from routing.lint.master_routes import is_read_for_nothing
from routing.lint.remedy import altered
from routing.model.conversation import Conversation
from routing.model.estate import MAX_HOP_LIMIT
from routing.rules.decision import DELIVERED, DROPPED, HOP_LIMIT, Outcome
from routing.rules.journey import Journeys, outcomes


def hop_limit(scene: LintContext) -> Iterator[Finding]:
    """A live route for a service by name whose conversations are all dropped because the hop limit is used up.

    Messages in a circle are told as `forwarding-loop`: more hops would not help them.
    """
    most = min(len(scene.estate.instances), MAX_HOP_LIMIT)
    if most <= scene.estate.hop_limit:
        return  # no way is longer that does not come to an instance twice
    further = Journeys(replace(scene.estate, hop_limit=most), scene.at)
    for row in scene.live:
        name = row.route.remote_service_name
        if name is None or row.begins_in is None or is_read_for_nothing(row):
            continue
        ends = scene.ends(row, name)
        if _is_past_limit(ends) and not _is_past_limit(further.outcomes(_conversation(row, name))):
            reason = say(
                "{instance} drops what conversations to {service} send: a message may be forwarded {count} times, and"
                " the way of this route is longer.",
                instance=ends[0].instance,
                service=name,
                count=scene.estate.hop_limit,
            )
            yield row.finding("hop-limit", ERROR, reason, _remedy(scene, row, name))


def _is_past_limit(ends: tuple[Outcome, ...]) -> bool:
    return all((end.kind, end.detail) == (DROPPED, HOP_LIMIT) for end in ends)


def _conversation(row: LintedRoute, name: str) -> Conversation:
    return Conversation(row.instance.name, row.database.name, name, row.route.broker_instance)


def _remedy(scene: LintContext, row: LintedRoute, name: str) -> str | None:
    """The address of the only instance with the service, where that delivers; None otherwise."""
    homes = [held.instance for held in scene.services.get(name, ()) if held.database.can_be_target]
    if len(homes) != 1 or not homes[0].addresses:
        return None
    straight = replace(row.route, address=homes[0].addresses[0])
    place = row.instance.name, row.database.name
    changed = scene.estate.with_route(*place, straight.name, straight)
    ends = outcomes(changed, _conversation(row, name), scene.at)
    if any(end.kind != DELIVERED for end in ends):
        return None
    return altered(row.database.name, row.route, address=straight.address)
