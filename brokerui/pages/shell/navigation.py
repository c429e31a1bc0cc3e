"""The places one can go to. A place whose page does not exist yet is not shown."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import NoReverseMatch, get_resolver, get_script_prefix, get_urlconf, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.accounts.levels import Level, may
from brokerui.changes.estate_view import PARAMETERS
from brokerui.core.cache import LruCache

MOST: Final = 512
"""Navigations that a process keeps: one for each page, role, draft and version that users look at."""


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """A page in the navigation."""

    label: Promise
    view: str
    """Its URL name, with the namespace."""
    keys: str
    """The keys that go there, one after the other."""
    level: Level = Level.VIEW
    """The level of access that the page requires."""
    keeps: tuple[str, ...] = PARAMETERS
    """Query parameters that go along: the next page is about the same estate."""


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """A place as this request sees it."""

    label: Promise
    view: str
    url: str
    keys: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class NavigationSection:
    """Places that belong together, under a heading."""

    heading: Promise | str
    places: tuple[NavigationEntry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SectionLinks:
    """A part as a request sees it. Equal only to itself: templates keep the text that they make of it."""

    heading: Promise | str
    links: tuple[NavigationLink, ...]


PARTS = (
    NavigationSection(
        "",
        (
            NavigationEntry(_("Overview"), "overview:overview", "g h", keeps=()),
            NavigationEntry(_("Map"), "map:map", "g m"),
            NavigationEntry(_("Where does it go?"), "where:where", "g w"),
            NavigationEntry(_("Reachability"), "reachability:matrix", "g a"),
            NavigationEntry(_("Flow"), "flow:flow", "g f"),
        ),
    ),
    NavigationSection(
        _("Estate"),
        (
            NavigationEntry(_("Servers"), "servers:list", "g v", keeps=()),
            NavigationEntry(_("Routes"), "routes:list", "g r"),
            NavigationEntry(_("Findings"), "findings:list", "g l"),
            NavigationEntry(_("Drafts"), "changes:list", "g e", keeps=()),
            NavigationEntry(_("Routing tests"), "tests:list", "g k", keeps=()),
            NavigationEntry(_("Import"), "imports:start", "g i", level=Level.EDIT),
            NavigationEntry(_("Scenarios"), "scenarios:list", "g s"),
        ),
    ),
    NavigationSection(
        _("Messages"),
        (
            NavigationEntry(_("Alerts"), "alerts:alerts", "g g", keeps=()),
            NavigationEntry(_("Delayed"), "delayed:delayed", "g d", keeps=()),
            NavigationEntry(_("Conversations"), "conversations:conversations", "g n", keeps=()),
            NavigationEntry(_("Queues"), "service_queues:service_queues", "g b", keeps=()),
            NavigationEntry(_("Transmission queues"), "queues:queues", "g q", keeps=()),
            NavigationEntry(_("Mirrors"), "mirrors:mirrors", "g o", keeps=()),
            NavigationEntry(_("Connections"), "connections:connections", "g c", keeps=()),
            NavigationEntry(_("Forwarding"), "forwarding:forwarding", "g x", keeps=()),
            NavigationEntry(_("Expiry"), "expiry:expiry", "g z", keeps=()),
            NavigationEntry(_("Events"), "events:events", "g y", keeps=()),
            NavigationEntry(_("Traffic"), "traffic:runs", "g u", keeps=()),
        ),
    ),
    NavigationSection(
        _("Administration"),
        (
            NavigationEntry(_("Tables"), "tables:index", "g t", level=Level.EDIT, keeps=()),
            NavigationEntry(_("Audit"), "audit:audit", "g 0", level=Level.EDIT, keeps=()),
            NavigationEntry(_("Background work"), "jobs:list", "g j", keeps=()),
            NavigationEntry(_("REST interface"), "api:docs", "g p", keeps=()),
        ),
    ),
)

SHARED = frozenset(
    space
    for space, number in Counter(p.view.partition(":")[0] for part in PARTS for p in part.places).items()
    if number > 1
)
"""Namespaces of several places."""


LEVELS = sorted({place.level for part in PARTS for place in part.places})
_navigations: LruCache[tuple[SectionLinks, ...]] = LruCache(MOST)


def navigation(request: HttpRequest) -> tuple[SectionLinks, ...]:
    """Links to every place that is there for this user; the same objects wherever they would be the same."""
    granted = tuple(level for level in LEVELS if may(request.user, level))
    kept = tuple((key, request.GET[key]) for key in PARAMETERS if request.GET.get(key))
    match = request.resolver_match
    here = (match.namespace, match.url_name or "") if match else ("", "")
    key = get_resolver(get_urlconf()), get_script_prefix(), granted, kept, here
    return _navigations.get_or_make(key, lambda: _sections(granted, dict(kept), *here))


def _sections(granted: tuple[Level, ...], kept: Mapping[str, str], space: str, name: str) -> tuple[SectionLinks, ...]:
    """Return the parts that have a place for these levels, seen from the page of this URL name."""
    parts = (
        SectionLinks(
            part.heading,
            tuple(
                NavigationLink(place.label, place.view, url, place.keys, is_current=_is_current(place, space, name))
                for place in part.places
                if place.level in granted and (url := _url(place, kept)) is not None
            ),
        )
        for part in PARTS
    )
    return tuple(part for part in parts if part.links)


def _url(place: NavigationEntry, kept: Mapping[str, str]) -> str | None:
    try:
        url = reverse(place.view)
    except NoReverseMatch:
        return None
    query = {key: kept[key] for key in place.keeps if key in kept}
    return f"{url}?{urlencode(query)}" if query else url


def _is_current(place: NavigationEntry, space: str, name: str) -> bool:
    """Whether the page of this URL name is this place or one below it."""
    if place.view.partition(":")[0] != space:
        return False
    # If places share a namespace, the names of the pages below one begin with its own.
    return space not in SHARED or name.startswith(place.view.partition(":")[2])


def label_of(stem: str) -> Promise:
    """Return the label of the page whose package has this stem."""
    places = (place for part in PARTS for place in part.places)
    return next(place.label for place in places if place.view.partition(":")[0] == stem)
