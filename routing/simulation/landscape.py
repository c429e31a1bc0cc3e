"""The estate of a world in the making: instances, databases and services, and which of them converse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from routing.model.estate import Estate
from routing.model.route import Route
from routing.simulation.chance import Chance

LETTERS: Final = "abcdef"
CONTRACT: Final = "C"
ASK, TELL, XML = "Ask", "Tell", "Xml"
NEVER_ANSWERS: Final = -1
"""Value of `DynamicRoute.refusals` for a dynamic routing service that never answers."""
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
    """An initiator, the service that it begins conversations with, and the kind of the routes between them."""

    kind: str
    instance: str
    database: str
    from_service: str
    to_service: str
    identifiers: tuple[str | None, ...] = (None,)
    """Broker identifiers that BEGIN DIALOG may name; None: no identifier."""
    expires: int | None = None
    """When one of its routes expires, in milliseconds from the beginning of the world; None: never."""


@dataclass(frozen=True, slots=True)
class MirroredPair:
    """Two instances that hold one database between them, and nothing else; the first begins as the principal."""

    partners: tuple[str, str]
    database: str


@dataclass(frozen=True, slots=True)
class Repair:
    """An administrator adds a missing route; without one, switches forwarding on."""

    at: int
    instance: str
    database: str
    route: Route | None


@dataclass(frozen=True, slots=True)
class DynamicRoute:
    """How the dynamic routing service answers a request for the route to a service (MATCH-4)."""

    service: str
    after: int
    """Milliseconds until it answers."""
    refusals: int
    """Number of requests that it answers with an error before it makes the route; NEVER_ANSWERS: it makes none."""
    repair: Repair


@dataclass(frozen=True, slots=True)
class Landscape:
    """An estate, with the conversations that applications begin in it and the changes that administrators make."""

    estate: Estate
    pairings: tuple[Pairing, ...]
    mirrored: tuple[MirroredPair, ...]
    repairs: tuple[Repair, ...]
    configurations: tuple[DynamicRoute, ...]


def address(instance: str) -> str:
    return f"tcp://{instance}:4022"


class LandscapeBuilder:
    """Builds a landscape: instances, databases, services and routes, drawn by chance."""

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
        """Draw a database of an ordinary instance, avoiding the instances `without` where others exist."""
        others = [name for name in self.ordinary if name not in without] or self.ordinary
        instance = self.chance.pick(others)
        own = [name for (where, name) in self.databases if where == instance and name != "msdb"]
        return instance, self.chance.pick(own)

    def service(self, where: tuple[str, str], name: str, *contracts: str) -> None:
        """Add a service with its own queue; without `contracts` it accepts DEFAULT and C."""
        taken = list(contracts) or ["DEFAULT", CONTRACT]
        self.databases[where]["services"].append({"name": name, "queue": f"{name} queue", "contracts": taken})

    def identifier(self, where: tuple[str, str]) -> str:
        return str(self.databases[where]["broker_instance"])

    def route(self, where: tuple[str, str], service: str | None, to: str, **more: Any) -> None:
        routes = self.databases[where]["routes"]
        routes.append({"name": f"r{len(routes)}", "remote_service_name": service, "address": to, **more})

    def way_back(self, target: tuple[str, str], initiator: tuple[str, str], service: str, by: str = "") -> None:
        """Add the route for replies and acknowledgements; in 3 of 100 draws it is missing."""
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
