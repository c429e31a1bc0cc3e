"""The parsed query string of the map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from brokerui.analysis.explanations.origin import instance_meant
from brokerui.estate.refs import DATABASE, Ref, read_ref
from brokerui.pages.map.scope import HOPS
from routing.model.estate import Estate

ZOOMS = ("auto", "fit", "50", "75", "100", "150")
AUTO, LIST = "auto", "list"
REACHES = ("up", "down")


@dataclass(frozen=True, slots=True)
class MapQuery:
    """Every field of the query string; fields with their usual value are not written into it."""

    focus: str = ""
    """The instance in the middle."""
    hops: int = 1
    first: str = ""
    last: str = ""
    """A group: the instances between these names."""
    service: str = ""
    q: str = ""
    select: str = ""
    zoom: str = AUTO
    """AUTO: its own size, or a little less where that is enough to see all of it."""
    shown: str = ""
    """LIST, or the picture."""
    page: int = 1
    view: str = ""
    """Key of the saved view, which has the places of the boxes."""
    reach: str = ""
    """`up` or `down` the routes from the selection, as the direction in which things are highlighted."""
    opened: str = ""
    """Refs, by spaces, of the databases whose routes and services are drawn one by one."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> MapQuery:
        """Parse a query string; values that the page does not know count as not given."""
        texts = {name: query.get(name, "") for name in TEXTS}
        zoom, hops, page = query.get("zoom", ""), query.get("hops", ""), query.get("page", "")
        return cls(
            **texts,
            q=query.get("q", "").strip(),
            hops=int(hops) if hops in map(str, HOPS) else 1,
            zoom=zoom if zoom in ZOOMS else AUTO,
            reach=query.get("reach", "") if query.get("reach") in REACHES else "",
            shown=LIST if query.get("shown") == LIST else "",
            page=max(1, int(page)) if page.isdecimal() and page.isascii() and len(page) < 7 else 1,
        )

    def in_estate(self, estate: Estate) -> MapQuery:
        """The query with the name of its instance as the estate has it, where it names one in another way."""
        name = instance_meant(self.focus, estate) if self.focus else None
        return self if name in (None, self.focus) else replace(self, focus=str(name))

    @property
    def selected(self) -> Ref | None:
        return read_ref(self.select) if self.select else None

    @property
    def opened_databases(self) -> frozenset[Ref]:
        found = map(read_ref, self.opened.split())
        return frozenset(ref for ref in found if ref and ref.kind == DATABASE)

    def toggled(self, ref: Ref) -> str:
        """`opened` with this database too, or without it."""
        refs = self.opened_databases ^ {ref}
        return " ".join(sorted(map(str, refs)))

    def but(self, **changes: Any) -> MapQuery:
        """The query with other values, on the first page of the list."""
        return replace(self, **{"page": 1, **changes})

    def query(self, viewed: Mapping[str, str]) -> str:
        """The query string of this query, for the same estate."""
        usual = MapQuery()
        values = {name: getattr(self, name) for name in FIELDS if getattr(self, name) != getattr(usual, name)}
        return urlencode({**viewed, **values})


TEXTS = ("focus", "first", "last", "service", "select", "view", "opened")
_FIRST = ("focus", "hops", "first", "last", "service", "q", "select", "reach")
FIELDS = (*_FIRST, "zoom", "shown", "page", "view", "opened")
