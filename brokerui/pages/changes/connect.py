"""A route without a mouse: from which database, and to what. Answered, it is the start of a new route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from brokerui.pages.changes.route_facts import FieldChoice
from brokerui.pages.changes.route_start import LISTED, RouteStart, address_of
from brokerui.pages.tables.form_page import place_of
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.model.address import LOCAL, TRANSPORT
from routing.model.estate import Estate

PLACE, TARGET = "place", "to"


@dataclass(frozen=True)
class Connecting:
    """The text typed so far."""

    estate: Estate
    place: str = ""
    """`instance/database`."""
    target: str = ""
    """An instance, an address, LOCAL or TRANSPORT."""
    is_filled: bool = False
    """Whether a user has sent the form: only then is something missing."""

    @classmethod
    def of(cls, estate: Estate, query: Mapping[str, str]) -> Connecting:
        known = "/".join(filter(None, (query.get("from_instance", ""), query.get("from_database", ""))))
        return cls(estate, query.get(PLACE, known), query.get(TARGET, ""), TARGET in query)

    @property
    def start(self) -> RouteStart | None:
        """Return where the route begins and leads; None: an end is missing, and the faults name it."""
        source = self._source
        if source is None or self.faults:
            return None
        if self.target in self.estate.instances:
            return RouteStart(*source, to_instance=self.target)
        address = address_of(self.target)
        return RouteStart(*source, to_address=self.target, is_local=address is not None and address.is_local)

    @property
    def faults(self) -> dict[str, Sentence]:
        """The faults, by field."""
        found: dict[str, Sentence] = {}
        if self._source is None:
            found[PLACE] = say("The draft has no such database: write instance/database.")
        if self.target not in self.estate.instances and address_of(self.target) is None:
            found[TARGET] = say("Write an instance of the draft, LOCAL, TRANSPORT, or tcp://HOST:PORT.")
        return found

    @property
    def _source(self) -> tuple[str, str] | None:
        """The database, or an msdb, which every instance has."""
        found = place_of(self.estate, self.place, 2)
        if found is not None:
            return found[0], found[1]
        instance, _slash, name = self.place.rpartition("/")
        return (instance, MSDB) if name == MSDB and instance in self.estate.instances else None

    @property
    def places(self) -> tuple[FieldChoice, ...]:
        names = (f"{i.name}/{d}" for i in self.estate.instances.values() for d in i.databases)
        return tuple(FieldChoice(name, "") for name in islice(names, LISTED))

    @property
    def targets(self) -> tuple[FieldChoice, ...]:
        instances = islice(self.estate.instances.values(), LISTED)
        listed = [FieldChoice(i.name, i.addresses[0].text if i.addresses else "") for i in instances]
        return (*listed, FieldChoice(LOCAL, ""), FieldChoice(TRANSPORT, ""))
