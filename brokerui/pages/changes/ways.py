"""The way of a conversation in the things of the map: tables that decide, routes that it takes, where it ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.estate.refs import ROUTE, Ref, database, instance_ref, outside
from brokerui.pages.where.graph_builder import decisions_of, past_limit, route_of
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, GOODNESS, Decision, Deliver, Outcome, Send
from routing.rules.explanation import Explanation
from routing.rules.journey import Position
from routing.rules.journey_account import Journey

HOME = "home"
FORTH: dict[str, Sentence] = {
    DELIVERED: say("delivered"),
    EXITS: say("leaves the estate"),
    DELAYED: say("delayed"),
    DROPPED: say("dropped"),
}
BACK: dict[str, Sentence] = {
    HOME: say("answers return"),
    DELIVERED: say("answers end here"),
    EXITS: say("answers leave"),
    DELAYED: say("answers delayed"),
    DROPPED: say("answers dropped"),
}
Taken = dict[Ref, dict[Ref, None]]
"""By route: the places to which it is taken; none where it ends on its instance."""


@dataclass(slots=True)
class Way:
    """One way forth, with the ways back of its answers."""

    tables: dict[Ref, int] = field(default_factory=dict)
    """The databases whose routes decide on the way forth, in this order, counted from 1; 0: on a way back alone."""
    forth: Taken = field(default_factory=dict)
    back: Taken = field(default_factory=dict)
    ends: dict[Ref, dict[str, Sentence]] = field(default_factory=dict)
    """By database or address outside: kinds of outcome, each with its word."""

    def end_at(self, place: Ref) -> tuple[str, tuple[Sentence, ...]] | None:
        """Return the worst kind of outcome at a place, and all their words; None where nothing ends."""
        found = self.ends.get(place)
        if not found:
            return None
        kinds = [DELIVERED if kind == HOME else kind.removeprefix("back-") for kind in found]
        return max(kinds, key=GOODNESS.__getitem__), tuple(found.values())


def way_of(explanation: Explanation | None, estate: Estate) -> Way:
    """Return the way of a conversation; an empty one where the estate has no such entry point."""
    way = Way()
    if explanation is None:
        return way
    _follow(way, explanation.forward, estate, None)
    for back in explanation.returns:
        _follow(way, back.journey, estate, back.home)
    return way


def _follow(way: Way, journey: Journey, estate: Estate, home: Outcome | None) -> None:
    """Add a journey: the way forth, or (with its `home`) a way back."""
    for place, _, decision in decisions_of(journey, estate):
        table = database(place.instance, place.database or MSDB)
        way.tables.setdefault(table, 0 if home else len(way.tables) + 1)
        if name := route_of(decision):
            taken = (way.back if home else way.forth).setdefault(Ref(ROUTE, (*table.names, name)), {})
            taken.update(dict.fromkeys(_leads_to(decision)))
        if end := _end(table, place, decision, home):
            where, kind, word = end
            way.ends.setdefault(where, {})[kind] = word


def _leads_to(decision: Decision) -> tuple[Ref, ...]:
    if not isinstance(decision, Send):
        return ()
    return (instance_ref(decision.to) if decision.to is not None else outside(decision.address.key),)


def _end(table: Ref, place: Position, decision: Decision, home: Outcome | None) -> tuple[Ref, str, Sentence] | None:
    """Return the place where a decision ends a message, the kind of outcome and its word; None where it goes on."""
    where, kind = table, DROPPED
    if isinstance(decision, Send) and not past_limit(place, decision):
        if decision.to is not None:
            return None
        where, kind = outside(decision.address.key), EXITS
    elif isinstance(decision, Deliver):
        where, kind = database(decision.instance, decision.database), DELIVERED
    elif not isinstance(decision, Send):
        kind = decision.outcome.kind
    if home is None:
        return where, kind, FORTH[kind]
    if isinstance(decision, Deliver) and decision.outcome == home:
        return where, HOME, BACK[HOME]
    return where, f"back-{kind}", BACK[kind]
