"""Choices of the form: origins of conversations, services and identifiers; computed once for each version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerui.analysis.explanations.origin import OUTSIDE, origin_text
from brokerui.core.cache import LruCache
from routing.common.names import is_system_service
from routing.model.estate import Estate
from routing.rules.explanation import Explanation

MAX_OPTIONS = 200
"""Options written into a page at most. Of more, the page asks for those that hold the typed text."""
CACHE_SIZE = 8


@dataclass(frozen=True, slots=True)
class InstanceOrigins:
    """An instance with the conversations that can begin there."""

    instance: str
    databases: tuple[tuple[str, str], ...]
    """Each as the field `from` holds it, and its name."""

    @property
    def outside(self) -> str:
        return OUTSIDE + self.instance

    def values(self) -> Iterator[str]:
        """As the field `from` holds them."""
        yield from (value for value, _ in self.databases)
        yield self.outside


@dataclass(frozen=True, slots=True)
class QuestionChoices:
    """The choices of one estate."""

    groups: tuple[InstanceOrigins, ...]
    services: tuple[str, ...]
    """Every name of a service or in a route, sorted; those of SQL Server itself at the end."""

    @property
    def is_empty(self) -> bool:
        """No conversation can begin or arrive anywhere."""
        return not any(group.databases for group in self.groups)

    @property
    def is_large(self) -> bool:
        """Too many origins for a list."""
        return sum(len(group.databases) + 1 for group in self.groups) > MAX_OPTIONS

    def origins(self, typed: str = "") -> list[str]:
        """Return the values of `from` that contain the typed text."""
        return fitting((value for group in self.groups for value in group.values()), typed)


_catalogs: LruCache[tuple[Estate, QuestionChoices]] = LruCache(CACHE_SIZE)


def choices_of(key: str, estate: Estate) -> QuestionChoices:
    """The choices of an estate, cached under the key of its content."""
    return _catalogs.get_or_make((key, id(estate)), lambda: (estate, _catalog(estate)))[1]


def _catalog(estate: Estate) -> QuestionChoices:
    groups = tuple(
        InstanceOrigins(host, tuple((origin_text(estate, host, name), name) for name in instance.databases))
        for host, instance in estate.instances.items()
    )
    databases = [database for instance in estate.instances.values() for database in instance.databases.values()]
    names = {service.name for database in databases for service in database.services}
    names.update(name for database in databases for name in database.table.named)
    return QuestionChoices(groups, tuple(sorted(names, key=lambda name: (is_system_service(name), name))))


def fitting(values: Iterable[str], typed: str) -> list[str]:
    """The values that hold the typed text, in upper or lower case; MAX_OPTIONS at most."""
    wanted = typed.strip().casefold()
    return list(islice((value for value in values if wanted in value.casefold()), MAX_OPTIONS))


def identifiers_for(estate: Estate, service: str) -> list[tuple[str, str]]:
    """The identifiers of a service's databases and routes, each with where it is from."""
    found: dict[str, str] = {}
    for instance in estate.instances.values():
        for database in instance.databases.values():
            if database.broker_instance and database.has_service(service):
                found.setdefault(database.broker_instance, f"{database.name} · {instance.name}")
            if (named := database.table.named.get(service)) is not None:
                for identifier, routes in named.by_identifier.items():
                    found.setdefault(identifier, f"{routes.routes[0].name} · {instance.name}/{database.name}")
    return list(islice(found.items(), MAX_OPTIONS))


def routes_on_path(explanation: Explanation, estate: Estate) -> list[str]:
    """The routes of the tables that were asked, as the field `route` holds them."""
    tables = dict.fromkeys((hop.instance, hop.table) for hop in explanation.forward.hops)
    return list(
        islice(
            (f"{host}/{name}/{route}" for host, name in tables for route in _routes(estate, host, name)), MAX_OPTIONS
        )
    )


def routes_fitting(estate: Estate, typed: str) -> list[str]:
    """Return the routes of the estate that contain the typed text."""
    return fitting(
        (
            f"{host}/{name}/{route}"
            for host, instance in estate.instances.items()
            for name in instance.databases
            for route in _routes(estate, host, name)
        ),
        typed,
    )


def route_named(estate: Estate, text: str) -> tuple[str, str, str] | None:
    """Instance, database and route of `HOST/DB/ROUTE`; names may hold slashes, so the estate decides where to cut."""
    cuts = [index for index, letter in enumerate(text) if letter == "/"]
    for first in cuts:
        for second in (cut for cut in cuts if cut > first):
            host, name, route = text[:first], text[first + 1 : second], text[second + 1 :]
            if route in _routes(estate, host, name):
                return host, name, route
    return None


def _routes(estate: Estate, host: str, name: str) -> Iterable[str]:
    instance = estate.instances.get(host)
    database = instance.databases.get(name) if instance else None
    return database.table.routes if database else ()
