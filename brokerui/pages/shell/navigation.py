"""The places one can go to. A place whose page does not exist yet is not shown."""

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.accounts.levels import Level, may
from brokerui.changes.estate_view import PARAMETERS


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


@dataclass(frozen=True, slots=True)
class SectionLinks:
    """A part as this request sees it."""

    heading: Promise | str
    links: list[NavigationLink]


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


def navigation(request: HttpRequest) -> list[SectionLinks]:
    """Links to every place that is there for this user."""
    parts = (
        SectionLinks(part.heading, [link for place in part.places if (link := _link(place, request))]) for part in PARTS
    )
    return [part for part in parts if part.links]


def _link(place: NavigationEntry, request: HttpRequest) -> NavigationLink | None:
    url = _url(place, request)
    if url is None or not may(request.user, place.level):
        return None
    return NavigationLink(place.label, place.view, url, place.keys, is_current=_is_current(place, request))


def _url(place: NavigationEntry, request: HttpRequest) -> str | None:
    try:
        url = reverse(place.view)
    except NoReverseMatch:
        return None
    kept = {key: request.GET[key] for key in place.keeps if request.GET.get(key)}
    return f"{url}?{urlencode(kept)}" if kept else url


def _is_current(place: NavigationEntry, request: HttpRequest) -> bool:
    """Whether the request is for this place or a page below it."""
    match = request.resolver_match
    space, _colon, name = place.view.partition(":")
    if match is None or match.namespace != space:
        return False
    # If places share a namespace, the names of the pages below one begin with its own.
    return space not in SHARED or (match.url_name or "").startswith(name)


def label_of(stem: str) -> Promise:
    """Return the label of the page whose package has this stem."""
    places = (place for part in PARTS for place in part.places)
    return next(place.label for place in places if place.view.partition(":")[0] == stem)
