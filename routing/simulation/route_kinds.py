"""Kinds of routes between an initiator and a target of a world; each function adds one pair of services."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.dialog.system_names import NOTICE_CONTRACT, SYSTEM_SERVICE
from routing.model.address import parse_address
from routing.model.route import Route
from routing.simulation.clock import START
from routing.simulation.landscape import NEVER_ANSWERS, DynamicRoute, LandscapeBuilder, Repair, address


def _ends(draft: LandscapeBuilder, number: int) -> tuple[tuple[str, str], tuple[str, str], str]:
    """Draw an initiator, a target (on another instance where one exists), and the name of the target's service."""
    here = draft.place()
    there = draft.place(here[0])
    service = f"T{number}"
    draft.service(here, f"I{number}")
    draft.service(there, service)
    return here, there, service


def _direct(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    draft.route(here, service, address(there[0]))
    draft.way_back(there, here, f"I{number}")
    draft.pairing("direct", here, number, service, None, draft.identifier(there))


def _identified(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    draft.route(here, service, address(there[0]), broker_instance=draft.identifier(there))
    draft.way_back(there, here, f"I{number}")
    draft.pairing("identified", here, number, service, None, draft.identifier(there))


def _balanced(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    other = draft.place(there[0])
    draft.service(other, service)
    draft.way_back(other, here, f"I{number}")
    draft.way_back(there, here, f"I{number}")
    for where in (there, other):
        more = {"broker_instance": draft.identifier(where)} if draft.chance.happens(500) else {}
        draft.route(here, service, address(where[0]), **more)
    draft.pairing("balanced", here, number, service)


def _forwarded(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    by = draft.place(here[0], there[0])[0]
    second = draft.place(here[0], there[0], by)[0]
    draft.route(here, service, address(by))
    draft.route((by, "msdb"), service, address(second))
    if second not in (there[0], by):
        draft.route((second, "msdb"), service, address(there[0]))
    draft.way_back(there, here, f"I{number}", by if draft.chance.happens(500) else "")
    if not draft.documents[by]["forwarding"] and draft.chance.happens(700):
        draft.repairs.append(Repair(draft.chaos * 3 // 4, by, "", None))
    draft.pairing("forwarded", here, number, service, None, draft.identifier(there))


def _looping(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    by = draft.place(here[0])[0]
    draft.route(here, service, address(by))
    draft.route((by, "msdb"), service, address(here[0]))
    draft.route((here[0], "msdb"), service, address(by))
    draft.way_back(there, here, f"I{number}")
    draft.pairing("looping", here, number, service)


def _expiring(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    expires = draft.chance.between(draft.chaos // 10, draft.chaos)
    draft.route(here, service, address(there[0]), broker_instance=draft.identifier(there), lifetime=_moment(expires))
    draft.way_back(there, here, f"I{number}")
    other = draft.place(there[0])
    if draft.chance.happens(600):
        draft.service(other, service)
        draft.route(here, service, address(other[0]), broker_instance=draft.identifier(other))
        draft.way_back(other, here, f"I{number}")
    draft.pairing("expiring", here, number, service, expires=expires)


def _moment(elapsed: int) -> str:
    return datetime.fromtimestamp((START + elapsed) / 1000, UTC).isoformat().replace("+00:00", "Z")


def _local(draft: LandscapeBuilder, number: int) -> None:
    here = draft.place()
    own = [where for where in draft.databases if where[0] == here[0] and where[1] != "msdb"]
    draft.service(here, f"I{number}")
    there = draft.chance.pick(own)
    draft.service(there, f"T{number}")
    if draft.chance.happens(400):
        # LOOP-2: a route to the own address of the instance.
        draft.route(here, f"T{number}", address(here[0]))
    draft.pairing("local", here, number, f"T{number}", None, draft.identifier(there))


def _nowhere(draft: LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    draft.way_back(there, here, f"I{number}")
    if draft.chance.happens(600):
        route = Route(f"repaired {number}", service, None, None, parse_address(address(there[0])))
        draft.repairs.append(Repair(draft.chance.between(draft.chaos // 4, draft.chaos), *here, route))
    draft.pairing("nowhere", here, number, service)


def _transport(draft: LandscapeBuilder, number: int) -> None:
    here = draft.place()
    there = draft.place(here[0])
    service = f"{address(there[0])}/T{number}"
    draft.service(here, f"I{number}")
    draft.service(there, service)
    draft.route(here, None, "TRANSPORT")
    draft.way_back(there, here, f"I{number}")
    draft.pairing("transport", here, number, service)


def _mirrored(draft: LandscapeBuilder, number: int) -> None:
    pair = draft.mirrored[0]
    here = draft.place()
    one, other = ((name, pair.database) for name in pair.partners)
    draft.service(here, f"I{number}")
    for there in (one, other):
        draft.service(there, f"T{number}")
        draft.route(there, f"I{number}", address(here[0]))
    partners = [one[0], other[0]][:: draft.chance.pick((1, -1))]
    draft.route(
        here,
        f"T{number}",
        address(partners[0]),
        broker_instance=draft.identifier(one),
        mirror_address=address(partners[1]),
    )
    draft.pairing("mirrored", here, number, f"T{number}", None, draft.identifier(one))


def _asked(draft: LandscapeBuilder, number: int) -> None:
    """A route that the dynamic routing service makes when an initiator has none (MATCH-4)."""
    here, there, service = _ends(draft, number)
    by = draft.place()
    draft.service(by, DYNAMIC_ROUTING_SERVICE, NOTICE_CONTRACT)
    draft.route(here, DYNAMIC_ROUTING_SERVICE, "LOCAL" if by[0] == here[0] else address(by[0]))
    draft.way_back(by, here, SYSTEM_SERVICE)
    draft.way_back(there, here, f"I{number}")
    chance = draft.chance
    route = Route(f"asked {number}", service, None, None, parse_address(address(there[0])))
    repair = Repair(0, *here, route)
    refusals = chance.weighed(((0, 6), (1, 2), (NEVER_ANSWERS, 1)))
    draft.configurations.append(DynamicRoute(service, chance.pick((100, 3_000, 20_000)), refusals, repair))
    draft.pairing("asked", here, number, service)


def _straying(draft: LandscapeBuilder, number: int) -> None:
    """A target without a way back; the route to it expires, and conversations then reach another target."""
    here, there, service = _ends(draft, number)
    other = draft.place(here[0], there[0])
    expires = draft.chance.between(draft.chaos // 10, draft.chaos // 2)
    draft.route(here, service, address(there[0]), lifetime=_moment(expires))
    route = Route(f"found {number}", f"I{number}", None, None, parse_address(address(here[0])))
    draft.repairs.append(Repair(expires + draft.chance.between(2_000, 30_000), *there, route))
    if other != there:
        draft.service(other, service)
        draft.route(here, service, address(other[0]), broker_instance=draft.identifier(other))
        draft.way_back(other, here, f"I{number}")
    draft.pairing("straying", here, number, service, expires=expires)


AddRoutes = Callable[[LandscapeBuilder, int], None]
ROUTE_KINDS: Final[tuple[tuple[AddRoutes, int], ...]] = (
    (_direct, 5),
    (_identified, 3),
    (_balanced, 3),
    (_forwarded, 4),
    (_looping, 1),
    (_expiring, 2),
    (_local, 2),
    (_nowhere, 1),
    (_transport, 1),
)
"""Kinds with their weights in a draw."""
MIRRORED_KIND: Final[tuple[AddRoutes, int]] = (_mirrored, 8)
"""Drawn beside the others in a landscape with a mirrored database."""
RARE_KINDS: Final[tuple[tuple[str, AddRoutes], ...]] = (("_asked", _asked), ("_straying", _straying))
"""Kinds drawn apart from the others, each with the name of its own stream of chance.

Another name would change the worlds of known seeds.
"""
