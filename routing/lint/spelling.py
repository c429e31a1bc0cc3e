"""Checks of service names that no database has, if the intended name can be guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from routing.common.finding import ERROR, WARNING, Finding
from routing.common.names import DYNAMIC_ROUTING_SERVICE, SYSTEM_SERVICES
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.facts import own_services
from routing.lint.linted_objects import LintedRoute, lost
from routing.lint.remedy import altered


def similar_service_name(scene: LintContext) -> Iterator[Finding]:
    """A live route for a name that no database has, while a database has one that only looks the same.

    Names compare byte by byte (RT-TABLE); here they differ in case, in spaces, in `http` and `https`, or in a slash at
    the end. An error if conversations to the name in the route get nowhere.
    """
    rows = list(_nobodys(scene))
    known = _bylooks(scene) if rows else {}
    for row in rows:
        name = str(row.route.remote_service_name)
        alike = known.get(looks(name))
        if alike is None:
            continue
        meant = _at_the_end_of(scene, row, alike) or alike
        reason = say(
            'No database has a service "{name}"; "{meant}" only looks the same: names compare byte by byte.',
            name=name,
            meant=meant[0],
        )
        severity = ERROR if lost(scene.ends(row, name)) else WARNING
        remedy = altered(row.database.name, row.route, remote_service_name=meant[0])
        yield row.finding("similar-service-name", severity, reason, remedy if len(meant) == 1 else None)


def _nobodys(scene: LintContext) -> Iterator[LintedRoute]:
    """The live routes for a name that no database has. The dynamic routing service is excluded: it may be anywhere. So
    are the system services: every database has them, whether the estate lists them or not."""
    everywhere = {DYNAMIC_ROUTING_SERVICE, *SYSTEM_SERVICES}
    for row in scene.live:
        name = row.route.remote_service_name
        if name is not None and name not in scene.services and name not in everywhere:
            yield row


@lru_cache(maxsize=65_536)
def looks(name: str) -> str:
    """A key that is equal for names that people confuse."""
    folded = "".join(name.split()).casefold().rstrip("/")
    return "http://" + folded.removeprefix("https://") if folded.startswith("https://") else folded


def _bylooks(scene: LintContext) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys((*scene.services, *SYSTEM_SERVICES)):
        found.setdefault(looks(name), []).append(name)
    return found


def is_mistyped(scene: LintContext, name: str) -> bool:
    """True if a name that no database has looks like an existing one, or is a route's own name."""
    return looks(name) in _bylooks(scene) or name.casefold() in scene.route_names


def _at_the_end_of(scene: LintContext, row: LintedRoute, names: list[str]) -> list[str]:
    """The names among these that an instance has to which the route leads."""
    return [name for name in names if any(name in instance.targets for instance in scene.leads(row))]


def route_name_as_service_name(scene: LintContext) -> Iterator[Finding]:
    """A live route for a name that no database has and that is the name of a route: the two were confused.

    Only if the route leads to an instance of the estate and conversations to that name get nowhere; outside the estate
    a service may really have that name. To an unknown address it is a warning, for a name that says itself that it is
    a route's.
    """
    rows = list(_nobodys(scene))
    known = _bylooks(scene) if rows else {}
    for row in rows:
        name = str(row.route.remote_service_name)
        if name.casefold() not in scene.route_names or looks(name) in known:
            continue
        reason = say('"{name}" is the name of a route; no database has such a service.', name=name)
        if not any(scene.leads(row)):
            if row.route.address.is_network and "route" in name.casefold():
                yield row.finding("route-name-as-service-name", WARNING, reason)
            continue
        if not lost(scene.ends(row, name)):
            continue
        yield row.finding("route-name-as-service-name", ERROR, reason, _with_service(scene, row))


def _with_service(scene: LintContext, row: LintedRoute) -> str | None:
    """The remedy: the only service at the end of the route that no other route of the table is for.

    Of several, the one after which the route is named: CorrectRoute, //example/ledger/Correct.
    """
    names = {
        name
        for instance in scene.leads(row)
        for database in instance.databases.values()
        for name in own_services(database)
        if name not in row.database.table.named
    }
    wanted = row.route.name.casefold()
    called_like_it = {name for name in names if name.rstrip("/").rpartition("/")[2].casefold() in wanted}
    meant = called_like_it or names
    if len(meant) != 1:
        return None
    return altered(row.database.name, row.route, remote_service_name=meant.pop())
