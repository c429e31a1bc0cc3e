"""Changes of the answer: each event tried on an edited copy of the estate, none guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from brokerui.analysis.explanations.outcome_wording import place, site
from brokerui.analysis.explanations.wording import ALWAYS, MAY, Chip
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED, DROPPED, FORWARDING_DISABLED
from routing.rules.explanation import Explanation
from routing.rules.journey import outcomes
from routing.rules.journey_account import Journey

MOST = 6
"""Events that are shown, and events of each sort that are tried."""
SHOWN = 3
"""Ends named of each event."""


@dataclass(frozen=True, slots=True)
class SuggestedChange:
    """An event, and the answer after it."""

    event: Sentence
    new: tuple[tuple[Chip, Sentence], ...]
    """Where it then may end and could not before."""
    gone: tuple[Sentence, ...]
    """Where it cannot end any more, if some of the ends stay."""
    at: datetime | None = None
    """When it happens by itself."""


@dataclass(frozen=True, slots=True)
class _Event:
    """An estate and a moment to ask again."""

    says: Sentence
    estate: Estate
    at: datetime | None = None


def changes_of(explanation: Explanation, estate: Estate) -> tuple[SuggestedChange, ...]:
    """Events after which the outcomes are others; soonest and most likely first."""
    forward = explanation.forward
    changed = (_try(forward, event) for event in _events(forward, estate))
    return tuple(islice((change for change in changed if change is not None), MOST))


def _try(forward: Journey, event: _Event) -> SuggestedChange | None:
    before = forward.outcomes
    # Without the accounts of the hops, which nobody would read here.
    after = outcomes(event.estate, forward.conversation, event.at or forward.at)
    if after == before:
        return None
    certainty = ALWAYS if len(after) == 1 else MAY
    old, stays = set(before), set(after)
    new = [outcome for outcome in after if outcome not in old]
    gone = [outcome for outcome in before if outcome not in stays] if len(new) < len(after) else []
    return SuggestedChange(
        event.says,
        tuple((Chip(outcome.kind, certainty), site(outcome, forward)) for outcome in new[:SHOWN]),
        tuple(place(outcome, forward) for outcome in gone[:SHOWN]),
        event.at,
    )


def _events(forward: Journey, estate: Estate) -> Iterator[_Event]:
    yield from _expiries(forward, estate)
    yield from islice(_brokers_off(forward, estate), MOST)
    yield from islice(_forwarding(forward, estate), MOST)
    yield from islice(_without_routes(forward, estate), MOST)


def _expiries(forward: Journey, estate: Estate) -> Iterator[_Event]:
    """The next moments at which a route of a table that was asked expires."""
    moments: dict[datetime, str] = {}
    for hop in forward.hops:
        for route in estate.instances[hop.instance].tables[hop.database].routes.values():
            if route.lifetime is not None and route.lifetime > forward.at:
                moments.setdefault(route.lifetime, route.name)
    for moment in sorted(moments)[:MOST]:
        yield _Event(say("{route} expires", route=moments[moment]), estate, moment)


def _brokers_off(forward: Journey, estate: Estate) -> Iterator[_Event]:
    for outcome in forward.outcomes:
        if outcome.kind == DELIVERED:
            instance = estate.instances[outcome.instance]
            off = replace(instance.databases[outcome.detail], broker_enabled=False)
            says = say("Broker of {database} on {instance} switched off", database=off.name, instance=instance.name)
            yield _Event(says, estate.with_instance(instance.with_database(off)))


def _forwarding(forward: Journey, estate: Estate) -> Iterator[_Event]:
    """Off where it is used, on where it is missed."""
    missed = {o.instance for o in forward.outcomes if (o.kind, o.detail) == (DROPPED, FORWARDING_DISABLED)}
    for name in dict.fromkeys(hop.instance for hop in forward.hops if hop.database is None):
        instance = estate.instances[name]
        if instance.forwarding or name in missed:
            text = _OFF if instance.forwarding else _ON
            switched = replace(instance, forwarding=not instance.forwarding)
            yield _Event(Sentence(text.text, {"instance": name}), estate.with_instance(switched))


def _without_routes(forward: Journey, estate: Estate) -> Iterator[_Event]:
    """Without a route that some way takes."""
    taken = dict.fromkeys(
        (leg.instance, leg.database or MSDB, leg.send.route) for end in forward.ends for leg in end.legs
    )
    for instance, database, route in taken:
        says = say("Without {route} on {instance}", route=route, instance=instance)
        yield _Event(says, estate.with_route(instance, database, route, None))


_ON = say("Forwarding switched on at {instance}")
_OFF = say("Forwarding switched off at {instance}")
