"""Facts of the estate about a route while it is typed: a sentence at each field, and the choices there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brokerui.estate.shared_prefix import shared_prefix, shortened_by
from brokerui.pages.changes.route_start import (
    Home,
    address_of,
    addresses_of,
    homes_of,
    instance_at,
    services_of,
    table_of,
)
from routing.common.sentence import Sentence, say
from routing.model.address import LOCAL, TRANSPORT, address_in_name
from routing.model.estate import Database, Estate, Instance


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence about the value of a field, and whether it fits the estate; None: it is only told."""

    says: Sentence
    fits: bool | None = None


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A value that a field offers, and what it is."""

    value: str
    label: str
    shown: str = ""
    """The value as the list shows it, where that is shorter."""


@dataclass(frozen=True)
class RouteFacts:
    """The route as it is typed, beside the estate."""

    estate: Estate
    instance: str
    database: str
    columns: Mapping[str, str]
    """As typed; a column that is missing is empty."""

    @property
    def target(self) -> Instance | None:
        """The instance that the address leads to."""
        return instance_at(self.estate, self.instance, self.columns.get("address", ""))

    @property
    def services(self) -> tuple[FieldChoice, ...]:
        found = services_of(self.estate, self.target)
        names = {home.service: home.database.name for home in found}
        shared = shared_prefix(names)
        return tuple(FieldChoice(name, where, shortened_by(shared, name)) for name, where in names.items())

    @property
    def identifiers(self) -> tuple[FieldChoice, ...]:
        """The identifiers of the databases with the service, of all on the target where no service is given."""
        service = self.columns.get("remote_service_name", "")
        sources = [self.target] if self.target is not None else self.estate.instances.values()
        return tuple(
            FieldChoice(database.broker_instance, f"{database.name} · {instance.name}")
            for instance in sources
            for database in instance.databases.values()
            if database.broker_instance and (not service or database.has_service(service))
        )[:100]

    @property
    def addresses(self) -> tuple[FieldChoice, ...]:
        words = FieldChoice(LOCAL, self.instance), FieldChoice(TRANSPORT, "")
        return (*words, *(FieldChoice(address, name) for address, name in addresses_of(self.estate)))

    @property
    def facts(self) -> dict[str, Fact]:
        """A sentence by field, where there is one."""
        found = {
            "remote_service_name": self._service(),
            "broker_instance": self._identifier(),
            "address": self._address(),
            "mirror_address": self._mirror(),
        }
        return {field: fact for field, fact in found.items() if fact is not None}

    def _service(self) -> Fact | None:
        service, target = self.columns.get("remote_service_name", ""), self.target
        if not service:
            return Fact(say("The route is for any service that no other route names."))
        home = self._home(service, target)
        if target is None:
            return None
        if home is None:
            return Fact(say("No database of {instance} has it.", instance=target.name), fits=False)
        others = [
            route.name
            for route in table_of(self.estate, self.instance, self.database).routes.values()
            if route.remote_service_name == service and route.name != self.columns.get("name", "")
        ]
        words = {"home": home.database.name, "here": self.database}
        if others:
            return Fact(say("{home} has it; {here} has {routes} for it.", **words, routes=tuple(others)), fits=True)
        return Fact(say("{home} has it; {here} has no other route to it.", **words), fits=True)

    def _home(self, service: str, target: Instance | None) -> Home | None:
        found = homes_of(target) if target is not None else ()
        return next((home for home in found if home.service == service), None)

    def _identifier(self) -> Fact | None:
        given = self.columns.get("broker_instance", "").strip().lower()
        if not given:
            return Fact(say("Any database with the service."))
        for instance in self.estate.instances.values():
            database = instance.identified.get(given)
            if database is not None:
                return self._holder(database, instance)
        return Fact(say("No database of the estate has it."), fits=False)

    def _holder(self, database: Database, instance: Instance) -> Fact:
        """The database with the identifier, and whether it has the service."""
        service = self.columns.get("remote_service_name", "")
        names = {"database": database.name, "instance": instance.name}
        if service and not database.has_service(service):
            return Fact(say("of {database} on {instance}, which does not have the service", **names), fits=False)
        return Fact(say("of {database} on {instance}", **names), fits=True)

    def _address(self) -> Fact | None:
        address = address_of(self.columns.get("address", ""))
        if address is None:
            return None
        if address.is_local:
            return Fact(say("{instance} itself", instance=self.instance), fits=True)
        if address.is_transport:
            return self._transport()
        return self._listens(self.columns.get("address", ""))

    def _transport(self) -> Fact:
        if address_in_name(self.columns.get("remote_service_name", "")) is not None:
            return Fact(say("The address stands in the service name."), fits=True)
        return Fact(say("For services whose names begin with an address, such as tcp://host:4022/Name."))

    def _mirror(self) -> Fact | None:
        return self._listens(self.columns["mirror_address"]) if self.columns.get("mirror_address") else None

    def _listens(self, text: str) -> Fact | None:
        address = address_of(text)
        if address is None or not address.is_network:
            return None
        name = self.estate.resolve(address)
        if name is None:
            return Fact(say("No instance of the estate listens there."), fits=False)
        return Fact(say("{instance} listens there", instance=name), fits=True)
