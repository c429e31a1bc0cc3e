"""The values of the page's address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from urllib.parse import urlencode

from brokerui.drawing.charts.look import UNNAMED
from routing.rules.decision import DELAYED, DROPPED, EXITS
from routing.rules.verdict import MAY_DELIVER, MIXED, MUST_DELIVER

VERDICTS = (MUST_DELIVER, EXITS, MAY_DELIVER, DELAYED, MIXED, DROPPED)
"""From the best to the worst: of several, the worst is shown."""
SHOWN = (UNNAMED, *VERDICTS)
"""With UNNAMED first: no route of the origin names the service, and nothing is delivered. Any verdict is seen before
it."""
ALL, NAMED = "all", "named"
PAIRS = (ALL, NAMED)


@dataclass(frozen=True, slots=True)
class ReachabilityQuery:
    """Every field; empty ones do not stand in the address."""

    origin: str = ""
    """Part of the name of an instance or database."""
    service: str = ""
    verdict: str = ""
    """Shows only pairs with this verdict."""
    pairs: str = ""
    """ALL, or NAMED: those for which the origin has a route by name; empty: whatever suits the size."""
    outside: str = ""
    """`1`: also what arrives from outside."""
    system: str = ""
    """`1`: also msdb and the services that the product makes."""
    origin_from: str = ""
    """Only origins from here on, as the page *Where does it go?* writes them, to `origin_to`."""
    origin_to: str = ""
    service_from: str = ""
    service_to: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> ReachabilityQuery:
        """Read an address; invalid values are ignored."""
        given = {name: query.get(name, "") for name in FIELDS}
        given["origin"], given["service"] = given["origin"].strip(), given["service"].strip()
        for name, choices in (("verdict", SHOWN), ("pairs", PAIRS), ("outside", ("1",)), ("system", ("1",))):
            given[name] = given[name] if given[name] in choices else ""
        return cls(**given)

    def but(self, **changes: str) -> ReachabilityQuery:
        return replace(self, **changes)

    def query(self, viewed: Mapping[str, str]) -> str:
        """The query string that asks this, of the same estate."""
        values = {name: getattr(self, name) for name in FIELDS}
        return urlencode({**viewed, **{name: value for name, value in values.items() if value}})


FIELDS = tuple(field.name for field in fields(ReachabilityQuery))
