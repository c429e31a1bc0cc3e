"""A hop in an operator's words: the routing table used, the decision, and the choices that the rules leave open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from routing.common.sentence import Sentence, say
from routing.lint.facts import host_of
from routing.lint.loopback import is_loopback
from routing.rules.choosing import Decisions
from routing.rules.decision import Decision, Delay, Deliver, Drop, Send
from routing.rules.journey_account import HopAccount, Journey

LISTED = 4
"""Names in a sentence; of more it says how many."""


def hop_title(hop: HopAccount) -> Sentence:
    """`host1: AdventureWorks.sys.routes, begun here`."""
    return say("{instance}: {table}", instance=hop.instance, table=hop_table(hop))


def hop_table(hop: HopAccount) -> Sentence:
    """The table that decided, and why that one (RT-TABLE)."""
    if hop.database is None:
        return say("{database}.sys.routes, from outside", database=hop.table)
    return say("{database}.sys.routes, begun here", database=hop.table)


def hop_decides(hop: HopAccount) -> tuple[Sentence, ...]:
    """Say what the hop does with the message: a sentence for each decision that it may take."""
    return tuple(_decides(decision) for decision in hop.decisions)


def _decides(decision: Decision) -> Sentence:
    if isinstance(decision, Send):
        facts = {"route": decision.route, "address": decision.address.key, "to": decision.to}
        if decision.to is None:
            is_local = is_loopback(host_of(decision.address))
            return Sentence((_LEAVES_LOCALLY if is_local else _LEAVES).text, facts)
        return Sentence(_SENDS.text, facts)
    if isinstance(decision, Delay):
        return say("The conversation waits here.")
    if isinstance(decision, Drop):
        return say("The message is dropped here.")
    if decision.route is None:
        return say("Delivered to {database}.", database=decision.database)
    return say("Delivered to {database} by {route}.", database=decision.database, route=decision.route)


_SENDS = say("By {route} to {to}, {address}.")
_LEAVES_LOCALLY = say("By {route} to {address}, on the same machine.")
_LEAVES = say("By {route} to {address}, where no instance of this estate listens.")


def open_choices(journey: Journey) -> tuple[Sentence, ...]:
    """Every choice that the rules leave open on the way, in the order of the hops."""
    return tuple(sentence for hop in journey.hops if len(hop.decisions) > 1 for sentence in _open_at(hop))


def listed(names: Sequence[str]) -> Sentence | tuple[str, ...]:
    """Some names, and how many more."""
    if len(names) <= LISTED:
        return tuple(names)
    return say("{names} and {count} more", names=tuple(names[: LISTED - 1]), count=len(names) - LISTED + 1)


def _open_at(hop: HopAccount) -> Iterator[Sentence]:
    identifiers = {step.branch for step in hop.steps} - {None}
    if len(identifiers) > 1:
        routes = next(step.routes for step in hop.steps if step.rule == "MATCH-3")
        yield say(
            "{instance} has routes with {count} different identifiers and takes any of them: {routes}.",
            instance=hop.instance,
            count=len(identifiers),
            routes=listed(routes),
        )
    for identifier, decisions in _by_identifier(hop.decisions).items():
        mirrored = _mirrored(hop, identifier)
        if len(mirrored) > 1:
            yield say(
                "{instance} takes any of the mirrored routes {routes}.", instance=hop.instance, routes=listed(mirrored)
            )
        else:
            yield from _open_among(hop, decisions, _PARTNERS if mirrored else _ADDRESSES)


def _by_identifier(decisions: Decisions) -> dict[str | None, Decisions]:
    """Return the decisions for each identifier in force, which MATCH-3 leaves open."""
    groups: dict[str | None, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if isinstance(decision, Deliver | Send):
            groups[decision.identifier].append(decision)
    return {identifier: tuple(group) for identifier, group in groups.items()}


def _mirrored(hop: HopAccount, identifier: str | None) -> tuple[str, ...]:
    """The mirrored routes among which CHOOSE-1 chose, under this identifier."""
    steps = [step for step in hop.steps if step.rule == "CHOOSE-1" and step.taken]
    return tuple(name for step in steps if step.branch in (None, identifier) for name in step.routes)


def _open_among(hop: HopAccount, decisions: Decisions, among: Sentence) -> Iterator[Sentence]:
    sends = [decision for decision in decisions if isinstance(decision, Send)]
    targets = [decision.database for decision in decisions if isinstance(decision, Deliver)]
    if len(targets) > 1:
        yield say(
            "{count} databases of {instance} have the service and any is taken: {databases}.",
            count=len(targets),
            instance=hop.instance,
            databases=listed(targets),
        )
    if len(sends) > 1:
        addresses = tuple(send.address.key for send in sends)
        yield Sentence(among.text, {"instance": hop.instance, "count": len(sends), "addresses": listed(addresses)})


_ADDRESSES = say("{instance} takes any of {count} network addresses: {addresses}.")
_PARTNERS = say("{instance} takes whichever of {count} mirror partners is the principal: {addresses}.")
