"""The routing table (`sys.routes`) of one database, indexed once for matching and choosing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from routing.common.errors import Invalid
from routing.common.names import DYNAMIC_ROUTING_SERVICE, folded
from routing.common.sentence import say
from routing.model.address import LOCAL, Address
from routing.model.route import Route

Routes = tuple[Route, ...]


class RouteSet:
    """Routes that match together, sorted into the tiers of CHOOSE-1 to CHOOSE-4."""

    __slots__ = (
        "direct_address",
        "direct_name",
        "empty",
        "expires",
        "identifier",
        "local",
        "mirrored",
        "network",
        "routes",
        "transport",
    )

    def __init__(self, routes: Routes) -> None:
        self.routes = routes
        self.empty = not routes
        self.identifier = routes[0].broker_instance if routes else None
        """The identifier they give; all routes of one set give the same."""
        self.expires: datetime | None = min((r.lifetime for r in routes if r.lifetime), default=None)
        """When the first of them expires; None: none ever does."""
        self.mirrored = _tier(routes, lambda r: r.mirror_address is not None)
        self.local = _tier(routes, lambda r: r.address.is_local)
        self.network = _tier(routes, lambda r: r.address.is_network and r.mirror_address is None)
        self.transport = _tier(routes, lambda r: r.address.is_transport)
        # CHOOSE-3 with a single network route reads its address and name from this object: in a large table every
        # further object is a cache miss of the processor, which costs a tenth of a decision (measured).
        direct = self.network[0] if len(self.network) == 1 else None
        self.direct_address = direct.address if direct is not None else None
        """Address of the only network route; None: there are several or none."""
        self.direct_name = direct.name if direct is not None else ""

    def alive(self, at: datetime) -> RouteSet:
        """RT-TABLE: the set without expired routes; this same object if none has expired."""
        if self.expires is None or at < self.expires:
            return self
        return RouteSet(tuple(r for r in self.routes if not r.expired(at)))


def _tier(routes: Routes, belongs: Callable[[Route], bool]) -> Routes:
    """The routes that belong; the same tuple object if all do (the usual case), to save memory."""
    tier = tuple(filter(belongs, routes))
    return routes if len(tier) == len(routes) else tier


NO_MATCH = RouteSet(())
_NO_IDENTIFIERS: Mapping[str, RouteSet] = {}
AS_IF_LOCAL = RouteSet((Route("MATCH-6", None, None, None, Address(LOCAL, LOCAL)),))
"""MATCH-6: as if the table held a route with this service name and address LOCAL."""


class NamedRoutes(RouteSet):
    """The routes for one service name: the set itself holds those without an identifier, `by_identifier` the others."""

    __slots__ = ("by_identifier",)

    def __init__(self, routes: Routes) -> None:
        grouped: dict[str | None, list[Route]] = {}
        for route in routes:
            grouped.setdefault(route.broker_instance, []).append(route)
        super().__init__(tuple(grouped.pop(None, ())))
        self.by_identifier: Mapping[str, RouteSet] = (
            _NO_IDENTIFIERS
            if not grouped
            else {identifier: RouteSet(tuple(group)) for identifier, group in grouped.items() if identifier is not None}
        )

    @property
    def without_identifier(self) -> RouteSet:
        """MATCH-2: this object itself, so that a decision reads one object less."""
        return self

    def all_routes(self) -> Iterable[Route]:
        yield from self.routes
        for group in self.by_identifier.values():
            yield from group.routes


class RouteTable:
    """Immutable. `edited` copies two dictionaries and indexes one service name again, without reading other routes."""

    __slots__ = ("_folded", "dynamic", "named", "nameless", "routes", "wildcard")

    def __init__(self, routes: Iterable[Route] = ()) -> None:
        self.routes: dict[str, Route] = {}
        """By name, in the order of the document."""
        grouped: dict[str, list[Route]] = {}
        nameless: list[Route] = []
        for index, route in enumerate(routes):
            if route.name in self.routes:
                raise Invalid(f"routes[{index}].name", say('stands twice: "{name}"', name=route.name))
            self.routes[route.name] = route
            if route.remote_service_name is None:
                nameless.append(route)
            else:
                grouped.setdefault(route.remote_service_name, []).append(route)
        self.named = {name: NamedRoutes(tuple(group)) for name, group in grouped.items()}
        """By service name: the routes that MATCH-1 to MATCH-3 can find."""
        self._index_nameless(tuple(nameless))
        self.dynamic = self.named.get(DYNAMIC_ROUTING_SERVICE)
        """MATCH-4: the routes to the dynamic routing service."""
        self._folded: Mapping[str, list[str]] | None = None

    def _index_nameless(self, nameless: Routes) -> None:
        self.nameless = nameless
        """Routes without a service name, in the order of the document."""
        # A route with an identifier but without a service name matches at no step.
        wildcard = tuple(r for r in nameless if r.broker_instance is None)
        self.wildcard = RouteSet(wildcard) if wildcard else NO_MATCH
        """MATCH-5: routes with neither service name nor identifier."""

    def edited(self, name: str, route: Route | None) -> RouteTable:
        """With the route of this name replaced in its place, added at the end, or (None) dropped.

        Raises `Invalid` for a route of another name, KeyError when there is none to drop.
        """
        if route is not None and route.name != name:
            raise Invalid("name", say('must stay "{name}"; drop the route and add another', name=name))
        new = RouteTable.__new__(RouteTable)
        new.routes = dict(self.routes)
        new.named, new.nameless, new.wildcard = self.named, self.nameless, self.wildcard
        touched = {r.remote_service_name for r in (self.routes.get(name), route) if r is not None}
        if route is None:
            del new.routes[name]
        else:
            new.routes[name] = route
        for service in touched:
            new._index(service, name)
        new.dynamic = new.named.get(DYNAMIC_ROUTING_SERVICE)
        new._folded = None
        return new

    def _index(self, service: str | None, name: str) -> None:
        """Index one service name again after the route `name` changed; None: the routes without a service name."""
        if service is None:
            known: Iterable[Route] = self.nameless
        else:
            known = self.named[service].all_routes() if service in self.named else ()
        routes = self._in_order({route.name for route in known} | {name}, service)
        if service is None:
            self._index_nameless(routes)
            return
        self.named = {**self.named, service: NamedRoutes(routes)}
        if not routes:
            del self.named[service]

    def _in_order(self, names: set[str], service: str | None) -> Routes:
        """The routes among `names` that are for this service, in the order of the table."""
        ordered = names if len(names) == 1 else filter(names.__contains__, self.routes)
        routes = (self.routes[name] for name in ordered if name in self.routes)
        return tuple(route for route in routes if route.remote_service_name == service)

    def almost(self, service: str) -> Routes:
        """The routes for names that differ from this one only in case or outer spaces: likely typing errors."""
        if self._folded is None:  # indexed by the first explanation; decisions do not need it
            names: dict[str, list[str]] = {}
            for name in self.named:
                names.setdefault(folded(name), []).append(name)
            self._folded = names
        alike = (name for name in self._folded.get(folded(service), ()) if name != service)
        return tuple(route for name in alike for route in self.named[name].all_routes())

    def __len__(self) -> int:
        return len(self.routes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RouteTable):
            return NotImplemented
        return self is other or list(self.routes.values()) == list(other.routes.values())

    def __hash__(self) -> int:
        return hash(tuple(self.routes))


NO_ROUTES = RouteTable()
"""The table of a database without routes, and of an msdb that the document omits."""
