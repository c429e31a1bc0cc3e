"""The places one can go to. A place whose page does not exist yet is not shown."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Place:
    """A page in the navigation."""

    label: Promise
    view: str
    """Its URL name, with the namespace."""
    keys: str
    """The keys that go there, one after the other."""
    keeps: tuple[str, ...] = ()
    """Query parameters that go along, because the next page asks the same thing of the same estate."""


@dataclass(frozen=True, slots=True)
class Link:
    """A place as this request sees it."""

    label: Promise
    url: str
    keys: str
    is_current: bool


PLACES = (
    Place(_("Where does it go?"), "explain:where", "g w", keeps=("scenario",)),
    Place(_("Scenarios"), "scenarios:list", "g s"),
)


def navigation(request: HttpRequest) -> list[Link]:
    """Links to every place there is."""
    return [
        Link(place.label, url, place.keys, is_current=_is_current(place, request))
        for place in PLACES
        if (url := _url(place, request))
    ]


def _url(place: Place, request: HttpRequest) -> str | None:
    try:
        url = reverse(place.view)
    except NoReverseMatch:
        return None
    kept = {key: request.GET[key] for key in place.keeps if request.GET.get(key)}
    return f"{url}?{urlencode(kept)}" if kept else url


def _is_current(place: Place, request: HttpRequest) -> bool:
    """Whether the request is for this place or a page below it."""
    match = request.resolver_match
    return match is not None and match.namespace == place.view.partition(":")[0]
