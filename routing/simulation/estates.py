"""The estates of worlds: small ones, in which every kind of route leads somewhere, or nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.dialog.system_names import NOTICE_CONTRACT, SYSTEM_SERVICE
from routing.documents.estate_document import read_estate
from routing.model.address import parse_address
from routing.model.estate import Estate
from routing.model.route import Route
from routing.simulation.chance import Chance
from routing.simulation.clock import START

LETTERS: Final = "abcdef"
CONTRACT: Final = "C"
ASK, TELL, XML = "Ask", "Tell", "Xml"
NEVER_ANSWERS: Final = -1
"""Refusals of a dynamic routing service that lets everybody wait."""
_CONTRACTS: Final[Mapping[str, Any]] = {
    "contracts": [
        {
            "name": CONTRACT,
            "messages": [
                {"message_type": ASK, "sent_by": "INITIATOR"},
                {"message_type": TELL, "sent_by": "TARGET"},
                {"message_type": XML, "sent_by": "ANY"},
            ],
        }
    ],
    "message_types": [{"name": ASK}, {"name": TELL}, {"name": XML, "validation": "WELL_FORMED_XML"}],
}


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who begins conversations with which service, and what the routes between them are like."""

    kind: str
    instance: str
    database: str
    from_service: str
    to_service: str
    identifiers: tuple[str | None, ...] = (None,)
    """What BEGIN DIALOG may give."""
    expires: int | None = None
    """When one of its routes does, in milliseconds from the beginning of the world."""


@dataclass(frozen=True, slots=True)
class MirroredPair:
    """Two instances that hold one database between them, and nothing else; the first begins as the principal."""

    partners: tuple[str, str]
    database: str


@dataclass(frozen=True, slots=True)
class Repair:
    """An administrator puts something right: a route, or (none) forwarding."""

    at: int
    instance: str
    database: str
    route: Route | None


@dataclass(frozen=True, slots=True)
class DynamicRoute:
    """What the dynamic routing service does when it is asked for the route to a service (MATCH-4)."""

    service: str
    after: int
    """Milliseconds that it takes."""
    refusals: int
    """So many times it ends the dialog with an error, and makes no route."""
    repair: Repair


@dataclass(frozen=True, slots=True)
class Landscape:
    """An estate, and what can be done with it."""

    estate: Estate
    pairings: tuple[Pairing, ...]
    mirrored: tuple[MirroredPair, ...]
    repairs: tuple[Repair, ...]
    configurations: tuple[DynamicRoute, ...]


def address(instance: str) -> str:
    return f"tcp://{instance}:4022"


class _LandscapeBuilder:
    """An estate in the making."""

    def __init__(self, chance: Chance, chaos: int) -> None:
        self.chance = chance
        self.chaos = chaos
        self.hop_limit = chance.weighed(((10, 6), (3, 2), (2, 1), (1, 1)))
        self.names = LETTERS[: chance.between(2, len(LETTERS))]
        self.documents: dict[str, dict[str, Any]] = {}
        self.databases: dict[tuple[str, str], dict[str, Any]] = {}
        self.mirrored: list[MirroredPair] = []
        self.pairings: list[Pairing] = []
        self.repairs: list[Repair] = []
        self.configurations: list[DynamicRoute] = []
        self.ordinary = list(self.names)
        if len(self.names) >= 4 and chance.happens(400):
            self.mirrored.append(MirroredPair((self.names[-2], self.names[-1]), "M"))
            self.ordinary = list(self.names[:-2])
        for name in self.names:
            self.documents[name] = {
                "name": name,
                "addresses": [address(name)],
                "forwarding": chance.happens(750),
                "databases": [],
            }
            self._database(name, "msdb", None)
        for name in self.ordinary:
            for number in range(chance.between(1, 2)):
                self._database(name, f"{name.upper()}{number}", chance.identifier())
        for pair in self.mirrored:
            identifier = chance.identifier()
            for partner, role in zip(pair.partners, ("PRINCIPAL", "MIRROR"), strict=True):
                self._database(partner, pair.database, identifier)["mirroring_role"] = role

    def _database(self, instance: str, name: str, identifier: str | None) -> dict[str, Any]:
        local = {"name": "AutoCreatedLocal", "address": "LOCAL"}
        made: dict[str, Any] = {"name": name, "services": [], "routes": [local]}
        if identifier is not None:
            made |= {"broker_instance": identifier, **_CONTRACTS}
        self.documents[instance]["databases"].append(made)
        self.databases[instance, name] = made
        return made

    # ------------------------------------------------------------ pieces

    def place(self, *without: str) -> tuple[str, str]:
        """A database of an ordinary instance; of none of these, where there are others."""
        others = [name for name in self.ordinary if name not in without] or self.ordinary
        instance = self.chance.pick(others)
        own = [name for (where, name) in self.databases if where == instance and name != "msdb"]
        return instance, self.chance.pick(own)

    def service(self, where: tuple[str, str], name: str, *contracts: str) -> None:
        """A service with a queue of its own, which takes both contracts."""
        taken = list(contracts) or ["DEFAULT", CONTRACT]
        self.databases[where]["services"].append({"name": name, "queue": f"{name} queue", "contracts": taken})

    def identifier(self, where: tuple[str, str]) -> str:
        return str(self.databases[where]["broker_instance"])

    def route(self, where: tuple[str, str], service: str | None, to: str, **more: Any) -> None:
        routes = self.databases[where]["routes"]
        routes.append({"name": f"r{len(routes)}", "remote_service_name": service, "address": to, **more})

    def way_back(self, target: tuple[str, str], initiator: tuple[str, str], service: str, by: str = "") -> None:
        """The route for replies and acknowledgements; now and then nobody has made it."""
        if target[0] == initiator[0] or self.chance.happens(30):
            return
        more = {"broker_instance": self.identifier(initiator)} if self.chance.happens(300) else {}
        self.route(target, service, address(by or initiator[0]), **more)
        if by:
            self.route((by, "msdb"), service, address(initiator[0]))

    def pairing(
        self,
        kind: str,
        where: tuple[str, str],
        number: int,
        to: str,
        *identifiers: str | None,
        expires: int | None = None,
    ) -> None:
        self.pairings.append(Pairing(kind, *where, f"I{number}", to, identifiers or (None,), expires))


# ------------------------------------------------------------------------------------------------ kinds of routes
def _ends(draft: _LandscapeBuilder, number: int) -> tuple[tuple[str, str], tuple[str, str], str]:
    """An initiator, a target on another instance where there is one, and the name of its service."""
    here = draft.place()
    there = draft.place(here[0])
    service = f"T{number}"
    draft.service(here, f"I{number}")
    draft.service(there, service)
    return here, there, service


def _direct(draft: _LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    draft.route(here, service, address(there[0]))
    draft.way_back(there, here, f"I{number}")
    draft.pairing("direct", here, number, service, None, draft.identifier(there))


def _identified(draft: _LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    draft.route(here, service, address(there[0]), broker_instance=draft.identifier(there))
    draft.way_back(there, here, f"I{number}")
    draft.pairing("identified", here, number, service, None, draft.identifier(there))


def _balanced(draft: _LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    other = draft.place(there[0])
    draft.service(other, service)
    draft.way_back(other, here, f"I{number}")
    draft.way_back(there, here, f"I{number}")
    for where in (there, other):
        more = {"broker_instance": draft.identifier(where)} if draft.chance.happens(500) else {}
        draft.route(here, service, address(where[0]), **more)
    draft.pairing("balanced", here, number, service)


def _forwarded(draft: _LandscapeBuilder, number: int) -> None:
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


def _looping(draft: _LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    by = draft.place(here[0])[0]
    draft.route(here, service, address(by))
    draft.route((by, "msdb"), service, address(here[0]))
    draft.route((here[0], "msdb"), service, address(by))
    draft.way_back(there, here, f"I{number}")
    draft.pairing("looping", here, number, service)


def _expiring(draft: _LandscapeBuilder, number: int) -> None:
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


def _local(draft: _LandscapeBuilder, number: int) -> None:
    here = draft.place()
    own = [where for where in draft.databases if where[0] == here[0] and where[1] != "msdb"]
    draft.service(here, f"I{number}")
    there = draft.chance.pick(own)
    draft.service(there, f"T{number}")
    if draft.chance.happens(400):
        # LOOP-2: to this very instance, by its own address.
        draft.route(here, f"T{number}", address(here[0]))
    draft.pairing("local", here, number, f"T{number}", None, draft.identifier(there))


def _nowhere(draft: _LandscapeBuilder, number: int) -> None:
    here, there, service = _ends(draft, number)
    draft.way_back(there, here, f"I{number}")
    if draft.chance.happens(600):
        route = Route(f"repaired {number}", service, None, None, parse_address(address(there[0])))
        draft.repairs.append(Repair(draft.chance.between(draft.chaos // 4, draft.chaos), *here, route))
    draft.pairing("nowhere", here, number, service)


def _transport(draft: _LandscapeBuilder, number: int) -> None:
    here = draft.place()
    there = draft.place(here[0])
    service = f"{address(there[0])}/T{number}"
    draft.service(here, f"I{number}")
    draft.service(there, service)
    draft.route(here, None, "TRANSPORT")
    draft.way_back(there, here, f"I{number}")
    draft.pairing("transport", here, number, service)


def _mirrored(draft: _LandscapeBuilder, number: int) -> None:
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


def _asked(draft: _LandscapeBuilder, number: int) -> None:
    """A route that is made only when somebody asks for it."""
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


def _straying(draft: _LandscapeBuilder, number: int) -> None:
    """A target that takes conversations and has no way back, until the route to it is gone and another has them."""
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


_KINDS: Final[tuple[tuple[Callable[[_LandscapeBuilder, int], None], int], ...]] = (
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


def draw_landscape(chance: Chance, chaos: int) -> Landscape:
    """A landscape for a phase one of so many milliseconds."""
    draft = _LandscapeBuilder(chance, chaos)
    kinds = ((_mirrored, 8), *_KINDS) if draft.mirrored else _KINDS
    for number in range(chance.between(1, 4)):
        chance.weighed(kinds)(draft, number)
    for seldom in (_asked, _straying):
        draft.chance = chance.of(seldom.__name__)
        if draft.chance.happens(150):
            seldom(draft, len(draft.pairings))
    document = {
        "format": "brokerui.estate/1",
        "hop_limit": draft.hop_limit,
        "instances": list(draft.documents.values()),
    }
    estate = read_estate(json.dumps(document))
    return Landscape(
        estate,
        tuple(draft.pairings),
        tuple(draft.mirrored),
        tuple(draft.repairs),
        tuple(draft.configurations),
    )
