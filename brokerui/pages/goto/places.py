"""Places that words name: pages, objects of the live estate, conversations, drafts, versions, kinds of finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.conversations.sides import handle_of
from brokerui.changes.selectors import drafts_named
from brokerui.core.filters import Term, as_text
from brokerui.estate import refs
from brokerui.estate.map_views.selectors import views_named
from brokerui.estate.search import (
    FoundObject,
    Words,
    databases_named,
    instances_named,
    routes_named,
    services_named,
)
from brokerui.estate.selectors import live_version
from brokerui.pages.findings.listing import TITLES
from brokerui.pages.saved.addresses import address_of, label_of, may_see
from brokerui.pages.shell.links import page
from brokerui.pages.shell.navigation import navigation
from routing.common.sentence import translator

LONGEST = 200
"""Characters of the words."""
MOST_WORDS = 8
"""Words that must fit; those after them do not count."""
SHORTEST = 2
"""Characters from which on objects are looked for: one letter is in all of them."""
OF_EACH = 6
"""Places of one kind that are shown."""
_NUMBERED = re.compile(r"(?:version|v)?\s*(\d{1,9})", re.IGNORECASE)
_translate = translator(gettext, lambda one, many, count: one if count == 1 else many)


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its address; `beside` says where or what it is."""

    label: str
    url: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class PlaceGroup:
    """Places of one kind."""

    heading: Promise
    places: tuple[Place, ...]


def places_for(request: HttpRequest, text: str) -> list[PlaceGroup]:
    """Return the groups that have a place; without words, all pages that this user may see."""
    words = text[:LONGEST].split()[:MOST_WORDS]
    found = [PlaceGroup(_("Pages"), tuple(_pages(request, words)))]
    if len("".join(words)) >= SHORTEST:
        found.append(PlaceGroup(_("Saved views"), tuple(_saved(request, words))))
        found += [PlaceGroup(heading, tuple(search(words))) for heading, search in SEARCHES]
    return [group for group in found if group.places]


def _pages(request: HttpRequest, words: Words) -> Iterator[Place]:
    for section in navigation(request):
        for link in section.links:
            if all(word.casefold() in f"{link.label} {section.heading}".casefold() for word in words):
                yield Place(str(link.label), link.url, link.keys)


def _saved(request: HttpRequest, words: Words) -> Iterator[Place]:
    for view in views_named(request.user.get_username(), words, OF_EACH):
        if may_see(request, view):
            yield Place(view.title, address_of(view), str(label_of(view.page)))


def _instances(words: Words) -> Iterator[Place]:
    for found in instances_named(words, OF_EACH):
        yield Place(found.name, _on_map(found, refs.instance_ref(found.name)))


def _databases(words: Words) -> Iterator[Place]:
    for found in databases_named(words, OF_EACH):
        yield Place(found.name, _on_map(found, refs.database(found.instance, found.name)), found.instance)


def _on_map(found: FoundObject, ref: refs.Ref) -> str:
    return page("map:map", {"focus": found.instance, "select": str(ref)})


def _services(words: Words) -> Iterator[Place]:
    for found in services_named(words, OF_EACH):
        beside = f"{found.instance}/{found.database}"
        query = {"focus": found.instance, "service": found.name}
        yield Place(found.name, page("map:map", query), beside)


def _routes(words: Words) -> Iterator[Place]:
    for found in routes_named(words, OF_EACH):
        pairs = (("instance", found.instance), ("database", found.database), ("name", found.name))
        text = as_text([Term(value, key) for key, value in pairs])
        yield Place(found.name, page("routes:list", {"q": text}), f"{found.instance}/{found.database}")


def _conversations(words: Words) -> Iterator[Place]:
    handle = handle_of("".join(words))
    if handle is not None:
        yield Place(handle, reverse("conversations:conversation", args=[handle]))


def _drafts(words: Words) -> Iterator[Place]:
    for draft in drafts_named(" ".join(words), OF_EACH):
        beside = gettext("draft %(number)s, %(author)s") % {"number": draft.id, "author": draft.author}
        yield Place(draft.name, reverse("changes:change", args=[draft.id]), beside)


def _versions(words: Words) -> Iterator[Place]:
    found = _NUMBERED.fullmatch(" ".join(words))
    if found and 0 < int(found[1]) <= live_version():
        number = int(found[1])
        yield Place(gettext("Version %(number)s") % {"number": number}, reverse("changes:version", args=[number]))


def _findings(words: Words) -> Iterator[Place]:
    titles = ((code, title.render(_translate)) for code, title in TITLES.items())
    fits = [one for one in titles if all(word.casefold() in f"{one[0]} {one[1]}".casefold() for word in words)]
    for code, title in fits[:OF_EACH]:
        yield Place(title, reverse("findings:code", args=[code]), code)


SEARCHES: Sequence[tuple[Promise, Callable[[Words], Iterator[Place]]]] = (
    (_("Instances"), _instances),
    (_("Databases"), _databases),
    (_("Services"), _services),
    (_("Routes"), _routes),
    (_("Conversations"), _conversations),
    (_("Drafts"), _drafts),
    (_("Versions"), _versions),
    (_("Kinds of finding"), _findings),
)
"""Kinds of places in their order, each with what looks for them."""
