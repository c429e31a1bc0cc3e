"""The input of the checks: an estate at a time, indexes that several checks share, and the engine's answers.

Every index is computed on first use, and once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import datetime
from functools import cached_property

from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.lint.facts import host_in_name, host_of, is_guessed, network_addresses
from routing.lint.linted_objects import HostedDatabase, LintedRoute, is_like_any
from routing.model.conversation import Conversation
from routing.model.estate import MIRROR, PRINCIPAL, Database, Estate, Instance
from routing.rules.choosing import Decisions
from routing.rules.decision import ROUTE_REQUESTED, Delay, Outcome
from routing.rules.hop import Hop
from routing.rules.journey import Journeys
from routing.rules.router import decide
from routing.rules.suppositions import Supposition, suppositions


class LintContext:
    """One estate at one time, and the scope of the findings: all of it, one instance, or one database of it. Checks may
    read the whole estate in any scope."""

    def __init__(self, estate: Estate, at: datetime, instance: str | None = None, database: str | None = None) -> None:
        self.estate = estate
        self.at = at
        self._instance = instance
        self._database = database
        self._journeys = Journeys(estate, at)
        self._outside: dict[tuple[str, str, str | None], Decisions] = {}
        self._keeps: dict[tuple[str, str], bool] = {}

    # ------------------------------------------------------------ what findings are wanted about

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """The instances in scope, in the order of the document."""
        if self._instance is None:
            return tuple(self.estate.instances.values())
        here = self.estate.instances.get(self._instance)
        return () if here is None else (here,)

    @cached_property
    def databases(self) -> tuple[HostedDatabase, ...]:
        """The databases in scope, in the order of the document."""
        if self._instance is None:
            return self.everywhere
        return tuple(
            HostedDatabase(instance, database)
            for instance in self.instances
            for database in instance.databases.values()
            if self._database in (None, database.name)
        )

    @cached_property
    def originals(self) -> tuple[HostedDatabase, ...]:
        """The databases in scope that can be changed: without mirrors whose principal is in the estate, which are its
        replicas."""
        return tuple(held for held in self.databases if not self._is_replica(held.database))

    @cached_property
    def rows(self) -> tuple[LintedRoute, ...]:
        """Every route of these databases, in the order of the document."""
        return tuple(
            LintedRoute(*held, route) for held in self.originals for route in held.database.table.routes.values()
        )

    @cached_property
    def live(self) -> tuple[LintedRoute, ...]:
        """The routes in scope that have not expired (RT-TABLE)."""
        return tuple(row for row in self.rows if not row.route.expired(self.at))

    # ------------------------------------------------------------ what there is, anywhere

    @cached_property
    def everywhere(self) -> tuple[HostedDatabase, ...]:
        """Every database of the estate, in the order of the document."""
        return tuple(
            HostedDatabase(instance, database)
            for instance in self.estate.instances.values()
            for database in instance.databases.values()
        )

    def _is_replica(self, database: Database) -> bool:
        if database.mirroring_role != MIRROR or database.broker_instance is None:
            return False
        return any(partner.database.mirroring_role == PRINCIPAL for partner in self.holders[database.broker_instance])

    @cached_property
    def services(self) -> Mapping[str, list[HostedDatabase]]:
        """By service name: the databases that have it, whatever their state."""
        found: dict[str, list[HostedDatabase]] = {}
        for held in self.everywhere:
            for service in held.database.services:
                found.setdefault(service.name, []).append(held)
        return found

    @cached_property
    def holders(self) -> Mapping[str, list[HostedDatabase]]:
        """By identifier: the databases that have it."""
        found: dict[str, list[HostedDatabase]] = {}
        for held in self.everywhere:
            if held.database.broker_instance is not None:
                found.setdefault(held.database.broker_instance, []).append(held)
        return found

    @cached_property
    def by_host(self) -> Mapping[str, list[Instance]]:
        """By host of an address: the instances with an address there."""
        found: dict[str, list[Instance]] = defaultdict(list)
        for instance in self.estate.instances.values():
            for host in dict.fromkeys(map(host_of, instance.addresses)):
                found[host].append(instance)
        return found

    @cached_property
    def guessed(self) -> Mapping[str, list[Instance]]:
        """By host taken from the instance name: the instances whose port is an assumption."""
        found: dict[str, list[Instance]] = defaultdict(list)
        for instance in self.estate.instances.values():
            if is_guessed(instance):
                found[host_in_name(instance)].append(instance)
        return found

    @cached_property
    def led_to(self) -> Mapping[str, list[LintedRoute]]:
        """By instance in scope: the live routes of other instances that lead to it over the network."""
        found: dict[str, list[LintedRoute]] = defaultdict(list)
        for row in self.live if self._instance is None else self._leading_to(self.instances):
            for instance in self.leads(row):
                if instance is not row.instance:
                    found[instance.name].append(row)
        return found

    def _leading_to(self, instances: Iterable[Instance]) -> Iterator[LintedRoute]:
        """The live routes of the estate with an address of one of these instances."""
        keys = {address.key for instance in instances for address in instance.addresses}
        for held in self.everywhere:
            if self._is_replica(held.database):
                continue
            for route in held.database.table.routes.values():
                mirror = route.mirror_address
                leads = route.address.key in keys or (mirror is not None and mirror.key in keys)
                if leads and not route.expired(self.at):
                    yield LintedRoute(*held, route)

    def on_the_network(self, instance: Instance) -> bool:
        """True if live routes lead to the instance from elsewhere, or its own lead elsewhere."""
        return instance.name in self.led_to or any(
            self._leads_away(instance, database) for database in instance.databases.values()
        )

    def _leads_away(self, instance: Instance, database: Database) -> bool:
        return not self._is_replica(database) and any(
            self.estate.resolve(address) != instance.name
            for route in database.table.routes.values()
            if not route.expired(self.at)
            for address in network_addresses(route)
        )

    def rows_for(self, services: Set[str]) -> Iterator[LintedRoute]:
        """The live routes of the estate for one of these services by name, in the order of the document."""
        for held in self.everywhere:
            table = held.database.table
            if services.isdisjoint(table.named) or self._is_replica(held.database):
                continue
            for route in table.routes.values():
                if route.remote_service_name in services and not route.expired(self.at):
                    yield LintedRoute(*held, route)

    @cached_property
    def route_names(self) -> Set[str]:
        """The names of all routes, case folded."""
        originals = (held for held in self.everywhere if not self._is_replica(held.database))
        return {name.casefold() for held in originals for name in held.database.table.routes}

    @cached_property
    def routed_identifiers(self) -> Set[str]:
        """The service broker identifiers that live routes of the estate name."""
        originals = (held for held in self.everywhere if not self._is_replica(held.database))
        routes = (route for held in originals for route in held.database.table.routes.values())
        return {route.broker_instance for route in routes if route.broker_instance and not route.expired(self.at)}

    # ------------------------------------------------------------ what the engine answers

    def leads(self, row: LintedRoute) -> Iterator[Instance]:
        """The instances of the estate to which a route leads; for LOCAL, its own."""
        if row.route.address.is_local:
            yield row.instance
        for address in network_addresses(row.route):
            name = self.estate.resolve(address)
            if name is not None:
                yield self.estate.instances[name]

    def ends(self, row: LintedRoute, service: str) -> tuple[Outcome, ...]:
        """The outcomes of conversations for which the route decides, to this service with the route's identifier."""
        return self.outcomes(Conversation(row.instance.name, row.begins_in, service, row.route.broker_instance))

    def supposed(self, row: LintedRoute, service: str) -> tuple[Supposition, ...]:
        """The unknown facts that would deliver conversations for which the route decides and that get nowhere."""
        conversation = Conversation(row.instance.name, row.begins_in, service, row.route.broker_instance)
        return suppositions(self.estate, conversation, self.at, self.outcomes(conversation))

    def outcomes(self, conversation: Conversation) -> tuple[Outcome, ...]:
        """Every outcome of a conversation."""
        return self._journeys.outcomes(conversation)

    def begun(self, held: HostedDatabase, service: str) -> Decisions:
        """The decisions for conversations that this database begins to a service, without an identifier."""
        hop = Hop(
            self.estate,
            held.instance.name,
            held.database.name,
            service=service,
            identifier=None,
            is_reply=False,
            at=self.at,
        )
        return decide(hop)

    def from_outside(self, instance: str, service: str, identifier: str | None = None) -> Decisions:
        """The decisions of an instance for messages from outside."""
        here = self.estate.instances[instance]
        if is_like_any(here, None, service):
            service, identifier = UNKNOWN_SERVICE, None
        key = instance, service, identifier
        found = self._outside.get(key)
        if found is None:
            found = self._outside[key] = decide(
                Hop(self.estate, instance, None, service=service, identifier=identifier, is_reply=False, at=self.at)
            )
        return found

    def keeps(self, held: HostedDatabase, service: str) -> bool:
        """True if conversations that a database begins wait there for ever, as those for any unknown name do."""
        if not is_like_any(held.instance, held.database.name, service):
            return False
        key = held.instance.name, held.database.name
        kept = self._keeps.get(key)
        if kept is None:
            decisions = self.begun(held, UNKNOWN_SERVICE)
            kept = self._keeps[key] = all(isinstance(d, Delay) and d.reason != ROUTE_REQUESTED for d in decisions)
        return kept
