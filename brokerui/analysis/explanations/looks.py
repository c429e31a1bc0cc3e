"""The diagnosis of a conversation that waits: looks in order, and the sentence of the look that decides.

*Delayed*, *Where does it go?*, REST and the command line say it with these functions, so that they agree about one
conversation. The order is that of the product's own trouble-shooting: the row, its status, the way there, endpoints,
discarded messages, the way back, the target, and connections so far. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from brokerui.analysis.explanations.evidence import ConnectionHistory, Evidence
from brokerui.analysis.explanations.holding import OF_CONNECTION, OF_ROUTING, OF_SENDER, routing_does, says_the_same
from routing.common.sentence import Sentence, say, say_counted
from routing.lint.facts import addresses_beside
from routing.lint.obstacles import contract_obstacles, queue_off, stopped_endpoints
from routing.lint.spelling import looks
from routing.rules.decision import DELIVERED, EXITS, SERVICE_NOT_FOUND

MAX_PLACES: Final = 3
"""Queues and connections that are named."""


class LookKind(StrEnum):
    """The subject of a look, in the order of the looks."""

    QUEUE = "queue"
    STATUS = "status"
    WAY_THERE = "way_there"
    ENDPOINTS = "endpoints"
    DISCARDS = "discards"
    WAY_BACK = "way_back"
    TARGET = "target"
    CONNECTIONS = "connections"


TITLES: Final = {
    LookKind.QUEUE: say("In the queue"),
    LookKind.STATUS: say("Status"),
    LookKind.WAY_THERE: say("Way there"),
    LookKind.ENDPOINTS: say("Endpoints"),
    LookKind.DISCARDS: say("Discarded"),
    LookKind.WAY_BACK: say("Way back"),
    LookKind.TARGET: say("Target"),
    LookKind.CONNECTIONS: say("Before"),
}


@dataclass(frozen=True, slots=True)
class Look:
    """One look."""

    kind: LookKind
    saw: Sentence
    cause: Sentence | None = None
    """The cause, where this look shows one."""
    decides: bool = False
    """Whether it is the first that shows a cause: of one list, exactly one look decides."""

    @property
    def title(self) -> Sentence:
        return TITLES[self.kind]


def looks_of(evidence: Evidence) -> tuple[Look, ...]:
    """All looks, in order; the first one that shows a cause decides."""
    found = [look(evidence) for look in _LOOKS]
    deciding = next(place for place, one in enumerate(found) if one.cause is not None)
    return tuple(replace(one, decides=place == deciding) for place, one in enumerate(found))


def holding(looks: tuple[Look, ...]) -> Sentence:
    """The cause that the deciding look shows: what holds the messages, then what routing does."""
    return next(one.cause for one in looks if one.decides and one.cause is not None)


# -- The sender --------------------------------------------------------------------------------------------


def _queue(evidence: Evidence) -> Look:
    parts = [say_counted(evidence.messages, "{count} message", "{count} messages")]
    parts.append(say_counted(evidence.attempts, "{count} attempt failed", "{count} attempts failed"))
    if evidence.next_in_s is not None:
        parts.append(say("next in {n} s", n=evidence.next_in_s) if evidence.next_in_s else say("next is due now"))
    is_tried = evidence.attempts or evidence.hold.number
    cause = None if is_tried else say("Nothing was tried yet: {goes}.", goes=routing_does(evidence.explanation))
    return Look(LookKind.QUEUE, say("{parts}", parts=tuple(parts)), cause)


def _status(evidence: Evidence) -> Look:
    number, cause = evidence.hold.number, evidence.hold.cause
    if not number:
        return Look(LookKind.STATUS, say("Blank: sent, and not acknowledged"))
    saw = say("{number}: {cause}", number=str(number), cause=cause)
    if number in OF_ROUTING or number in OF_CONNECTION:
        return Look(LookKind.STATUS, saw)
    facts = {"cause": cause, "goes": routing_does(evidence.explanation)}
    if number in OF_SENDER:
        return Look(LookKind.STATUS, saw, say("{cause} Nothing is sent until that is mended; then {goes}.", **facts))
    return Look(LookKind.STATUS, saw, _no_part_of_routes(evidence))


def _no_part_of_routes(evidence: Evidence) -> Sentence:
    facts = {"cause": evidence.hold.cause, "goes": routing_does(evidence.explanation)}
    return say("{cause} Routes play no part in it: once that is mended, {goes}.", **facts)


def _is_sent(evidence: Evidence) -> bool:
    """Whether nothing that the sender knows holds it: the status is blank, or says that a connection failed."""
    return not evidence.hold.number or evidence.hold.number in OF_CONNECTION


# -- On the way --------------------------------------------------------------------------------------------


def _way_there(evidence: Evidence) -> Look:
    goes = routing_does(evidence.explanation)
    return Look(LookKind.WAY_THERE, say("{goes}", goes=goes), _of_way_there(evidence, goes))


def _of_way_there(evidence: Evidence, goes: Sentence) -> Sentence | None:
    ends = evidence.explanation.forward.outcomes
    facts = {"cause": evidence.hold.cause, "goes": goes}
    alike = _alike(evidence)
    if alike is not None and (not evidence.hold.number or evidence.hold.number in OF_ROUTING):
        return say("Nobody takes it: {goes}. {alike}", goes=goes, alike=alike)
    if evidence.hold.number in OF_ROUTING:
        if any(says_the_same(evidence.hold.number, end) for end in ends):
            return say("{cause} That still holds: {goes}.", **facts)
        if next(stopped_endpoints(evidence.explanation, evidence.estate), None) is not None:
            return None  # routing leads there, and nothing arrives
        return say("When it was last tried: {cause} That has changed since: at the next attempt, {goes}.", **facts)
    if not _is_sent(evidence):
        return None
    if not evidence.hold.number and any(end.kind not in (DELIVERED, EXITS) for end in ends):
        return say("Sent, and no acknowledgement came: {goes}.", goes=goes)
    return _wrong_port(evidence)


def _alike(evidence: Evidence) -> Sentence | None:
    """Name the service whose name only looks the same, at an instance where the service is not found."""
    wanted = evidence.explanation.forward.conversation.to_service
    for end in evidence.explanation.forward.outcomes:
        if end.kind in (DELIVERED, EXITS) or end.detail != SERVICE_NOT_FOUND:
            continue
        for name in evidence.estate.instances[end.instance].targets:
            if name != wanted and looks(name) == looks(wanted):
                facts = {"instance": end.instance, "name": name, "wanted": wanted}
                return say("{instance} has {name}, not {wanted}: names are compared byte by byte.", **facts)
    return None


def _wrong_port(evidence: Evidence) -> Sentence | None:
    """Say that a route leads to a host of the estate at a port at which nothing of the estate listens."""
    for end in evidence.explanation.forward.outcomes:
        beside = addresses_beside(evidence.estate, end.detail) if end.kind == EXITS else ()
        if beside:
            name = evidence.estate.by_address[beside[0]]
            facts = {"address": end.detail, "instance": name, "right": beside[0]}
            return say("The route leads to {address}, and {instance} listens at {right}.", **facts)
    return None


def _endpoints(evidence: Evidence) -> Look:
    stopped = tuple(
        say("the endpoint of {instance} is {state}", instance=instance, state=endpoint.state)
        for instance, endpoint in stopped_endpoints(evidence.explanation, evidence.estate)
    )[:MAX_PLACES]
    failed = evidence.hold.number in OF_CONNECTION
    if stopped:
        is_held = _is_sent(evidence) or evidence.hold.number in OF_ROUTING
        cause = say("Nothing goes over the network: {stopped}.", stopped=stopped) if is_held else None
        return Look(LookKind.ENDPOINTS, say("{stopped}", stopped=stopped), cause)
    if failed:
        return Look(LookKind.ENDPOINTS, say("An address does not answer"), _no_part_of_routes(evidence))
    return Look(LookKind.ENDPOINTS, say("None on the way is known to be stopped"))


def _discards(evidence: Evidence) -> Look:
    if not evidence.discards:
        return Look(LookKind.DISCARDS, say("Nothing in the last 10 minutes"))
    worst = evidence.discards[0]
    facts = {"instance": worst.instance, "words": worst.words, "number": str(worst.number)}
    saw = say_counted(
        worst.times,
        "{count} message at {instance}, {ago} s ago: {number}",
        "{count} messages at {instance}, the last {ago} s ago: {number}",
        instance=worst.instance,
        number=str(worst.number),
        ago=worst.ago_s,
    )
    cause = say("Sent, and {instance} discards it: {words} Its sender keeps it and sends it again.", **facts)
    return Look(LookKind.DISCARDS, saw, None if evidence.hold.number else cause)


def _way_back(evidence: Evidence) -> Look:
    goes, returns = routing_does(evidence.explanation), evidence.explanation.returns
    lost = bool(returns) and not any(back.may_arrive for back in returns)
    sent = not evidence.hold.number
    if lost:
        cause = say(
            "Sent, and no acknowledgement came: {goes}, and its acknowledgements do not find their way back.", goes=goes
        )
        return Look(LookKind.WAY_BACK, say("Acknowledgements do not arrive"), cause if sent else None)
    if evidence.copies:
        saw = say_counted(evidence.copies, "{count} copy arrived there", "{count} copies arrived there")
        cause = say("It arrives, and arrives again: acknowledgements are lost on their way back, or come late.")
        return Look(LookKind.WAY_BACK, saw, cause if sent else None)
    return Look(LookKind.WAY_BACK, say("Acknowledgements arrive") if returns else say("Not known"))


# -- At its end --------------------------------------------------------------------------------------------


def _target(evidence: Evidence) -> Look:
    off = _queues_off(evidence)
    if off:
        facts = {"queue": off, "goes": routing_does(evidence.explanation)}
        cause = say("The queue {queue} of the target is off, so it takes nothing. Once it is on, {goes}.", **facts)
        return Look(LookKind.TARGET, say("Its queue {queue} is off", queue=off), cause if _is_blank(evidence) else None)
    contract = next(contract_obstacles(evidence.explanation, evidence.estate), None)
    if contract is not None:
        cause = say("Sent, and no acknowledgement came: {problem}", problem=contract)
        return Look(LookKind.TARGET, contract, cause if _is_blank(evidence) else None)
    is_known = any(end.kind == DELIVERED for end in evidence.explanation.forward.outcomes)
    return Look(LookKind.TARGET, say("Its queue is on") if is_known else say("Not known"))


def _is_blank(evidence: Evidence) -> bool:
    return not evidence.hold.number


def _queues_off(evidence: Evidence) -> tuple[str, ...]:
    """The queues of the service in all databases that it is delivered to, if every one is off."""
    service = evidence.explanation.forward.conversation.to_service
    found: list[str] = []
    for end in evidence.explanation.forward.outcomes:
        if end.kind != DELIVERED:
            return ()
        database = evidence.estate.instances[end.instance].databases[end.detail]
        off = [queue for one in database.services if one.name == service and (queue := queue_off(database, one))]
        if not off:
            return ()
        found += [f"{queue.name} ({end.detail}, {end.instance})" for queue in off]
    return tuple(found[:MAX_PLACES])


def _connections(evidence: Evidence) -> Look:
    saw = tuple(_history(evidence.connections))[:MAX_PLACES]
    goes = routing_does(evidence.explanation)
    cause = say(
        "Sent, and no acknowledgement came yet: {goes}. Routes do not hold it; look at the other server and the network"
        " between.",
        goes=goes,
    )
    return Look(LookKind.CONNECTIONS, say("{saw}", saw=saw) if saw else say("No connection, and none failed"), cause)


def _history(connections: tuple[ConnectionHistory, ...]) -> Iterator[Sentence]:
    for one in connections:
        if one.connected_s is not None:
            yield say("Connected to {address} for {n} s", address=one.address, n=one.connected_s)
        elif one.failed:
            yield say_counted(
                one.failed,
                "{count} failed connection to {address}, {ago} s ago",
                "{count} failed connections to {address}, the last {ago} s ago",
                address=one.address,
                ago=one.failed_s,
            )


_LOOKS: Final[tuple[Callable[[Evidence], Look], ...]] = (
    *(_queue, _status, _way_there, _endpoints),
    *(_discards, _way_back, _target, _connections),
)
