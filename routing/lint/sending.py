"""The forwarding graph of one service name and identifier: which instance sends messages on to which, by the engine's
decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE
from routing.lint.chains import Chains, Graph
from routing.lint.context import LintContext
from routing.model.address import address_in_name
from routing.model.estate import Instance
from routing.rules.decision import Send

Sends = tuple[tuple[int, str], ...]
"""The instances to which one instance sends on, by number in the estate, each with the route."""


class Forwarders:
    """The instances of an estate by number, with an index of those that treat a name differently from an unknown
    name."""

    def __init__(self, scene: LintContext) -> None:
        self.scene = scene
        self.instances = tuple(scene.estate.instances.values())
        self._number = {instance.name: number for number, instance in enumerate(self.instances)}
        self.active = [n for n, instance in enumerate(self.instances) if instance.forwarding and instance.msdb.routes]
        """Only instances that forward and have a route can send on."""
        self.named: dict[str, list[int]] = {}
        """By service name: the instances with a route for it."""
        for number in self.active:
            for service in self.instances[number].msdb.named:
                self.named.setdefault(service, []).append(number)

    def sends(self, number: int, service: str, identifier: str | None) -> Sends:
        """The sends among the decisions of an instance for messages from outside."""
        decisions = self.scene.from_outside(self.instances[number].name, service, identifier)
        return tuple((self._number[d.to], d.route) for d in decisions if isinstance(d, Send) and d.to is not None)

    def special(self, service: str) -> Sequence[int]:
        """The instances that may treat this name differently from an unknown name (see `is_like_any`)."""
        found = dict.fromkeys((*self.named[service], *self._homes.get(service, ())))
        if address_in_name(service) is not None:
            found.update(dict.fromkeys(self._by_name))
        if service in self._principals:
            found.update(dict.fromkeys(self._mirrored))
        return tuple(found)

    def by_identifier(self, service: str, special: Iterable[int]) -> dict[str | None, list[int]]:
        """Group the given instances by the identifiers of their routes for the name, which they treat differently from
        an unknown identifier. Key None (no identifier) holds all of them."""
        special = list(special)
        always = [number for number in special if self._asks_for_principals(number, service)]
        found: dict[str | None, list[int]] = {None: special}
        for number in special:
            named = self.instances[number].msdb.named.get(service)
            for identifier in named.by_identifier if named is not None else ():
                found.setdefault(identifier, [*always]).append(number)
        for number in special:
            for identifier in self.instances[number].identified:
                if identifier in found:
                    found[identifier].append(number)
        return found

    def _asks_for_principals(self, number: int, service: str) -> bool:
        table = self.instances[number].msdb
        named = table.named.get(service)
        return bool(table.wildcard.mirrored or (named is not None and named.without_identifier.mirrored))

    @cached_property
    def _homes(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number in self.active:
            for service in self.instances[number].targets:
                found.setdefault(service, []).append(number)
        return found

    @cached_property
    def _by_name(self) -> list[int]:
        return [number for number in self.active if self.instances[number].msdb.wildcard.transport]

    @cached_property
    def _mirrored(self) -> list[int]:
        return [number for number in self.active if self.instances[number].msdb.wildcard.mirrored]

    @cached_property
    def _principals(self) -> set[str]:
        return {service for instance in self.instances for service in instance.principals}


class Ground:
    """The sends of all forwarding instances for a name with an unknown identifier. Most instances do the same for
    others."""

    def __init__(self, forwarders: Forwarders, service: str = UNKNOWN_SERVICE) -> None:
        self.service = service
        self.sends: list[Sends] = [()] * len(forwarders.instances)
        for number in forwarders.active:
            self.sends[number] = forwarders.sends(number, service, UNKNOWN_IDENTIFIER)
        self.by_name = [n for n in forwarders.active if self._by_name(forwarders.instances[n], self.sends[n])]
        """The instances that send by a route for the name itself."""
        graph: Graph = [leads(sends) for sends in self.sends]
        self.chains = Chains(graph)

    @staticmethod
    def _by_name(here: Instance, sends: Sends) -> bool:
        return not all(is_nameless(here, route) for _, route in sends)


def leads(sends: Sends) -> tuple[int, ...]:
    """The instances to which it sends, each once."""
    return tuple(dict.fromkeys(to for to, _ in sends))


def is_nameless(here: Instance, route: str) -> bool:
    return here.msdb.routes[route].remote_service_name is None
