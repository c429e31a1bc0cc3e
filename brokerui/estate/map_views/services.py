"""Writing saved views. Only its owner changes a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, stored_values, values_of
from brokerui.estate.map_views.errors import MapViewNotFoundError, MapViewStaleError
from brokerui.estate.map_views.models import KEY, MAP, TITLE, MapView
from brokerui.estate.map_views.places import Place
from routing.common.errors import Invalid
from routing.common.sentence import say

MOST: Final = 100
"""Views of one user."""
QUERY: Final = 30_000
"""Characters of a query as an address has it."""
AUDITED: Final = ("page", "title", "is_shared", "query", "places")
SUFFIX: Final = 6
"""Characters that a key leaves for its number."""


Query = Mapping[str, str | list[str]]


def map_view_create(
    *,
    title: str,
    query: Query,
    places: Sequence[Place] = (),
    is_shared: bool,
    owner: str,
    page: str = MAP,
) -> MapView:
    """Save a view. Raises `Invalid`, where the title is empty, too long or taken, or the user has too many views."""
    title = _title(title)
    if MapView.objects.filter(owner=owner).count() >= MOST:
        raise Invalid("title", say("you have {count} views already: delete one first", count=MOST))
    _check_free(title, owner)
    _check_query(query)
    view = MapView(page=page, title=title, owner=owner, is_shared=is_shared, query=dict(query), places=list(places))
    view.key = _free_key(title)
    return _written(view, "create")


def map_view_change(
    *,
    key: str,
    title: str,
    is_shared: bool,
    owner: str,
    query: Query | None = None,
    places: Sequence[Place] | None = None,
    seen_at: datetime | None = None,
    page: str | None = None,
) -> MapView:
    """Change a view of this owner; without `query` or `places` it keeps them. With `page` it must be one of that page.

    Raises `MapViewNotFoundError`, `Invalid`, and `MapViewStaleError` where it was written after the moment `seen_at`.
    """
    _check_query(query or {})
    with transaction.atomic():
        view = _own(key, owner, seen_at)
        if page not in (None, view.page):
            raise MapViewNotFoundError(key)
        if view.title != _title(title):
            _check_free(_title(title), owner)
        view.title, view.is_shared = _title(title), is_shared
        view.query = view.query if query is None else dict(query)
        view.places = view.places if places is None else list(places)
        return _written(view, "change")


@transaction.atomic
def map_view_delete(*, key: str, owner: str, seen_at: datetime | None = None) -> str:
    """Delete a view of this owner; return its title. Raises `MapViewNotFoundError` and `MapViewStaleError`."""
    view = _own(key, owner, seen_at)
    gone = changes_of(_audited(view), None)
    view.delete()
    audit(author=owner, action=_act(view, "delete"), note=view.title, changes=gone)
    return view.title


def _audited(view: MapView) -> dict[str, Any]:
    return values_of(view, *AUDITED)


def _own(key: str, owner: str, seen_at: datetime | None) -> MapView:
    view = MapView.objects.select_for_update().filter(key=key, owner=owner).first()
    if view is None:
        raise MapViewNotFoundError(key)
    if seen_at is not None and view.updated_at != seen_at:
        raise MapViewStaleError
    return view


def _written(view: MapView, action: str) -> MapView:
    view.updated_at = timezone.now()
    try:
        with transaction.atomic():
            before = stored_values(view, *AUDITED)
            view.save()
            audit(
                author=view.owner,
                action=_act(view, action),
                note=view.title,
                changes=changes_of(before, _audited(view)),
            )
    except IntegrityError:
        raise Invalid("title", say("somebody took it at this moment: save again")) from None
    return view


def _act(view: MapView, action: str) -> str:
    return f"{'map_view' if view.page == MAP else 'view'}.{action}"


def _check_free(title: str, owner: str) -> None:
    if MapView.objects.filter(owner=owner, title=title).exists():
        raise Invalid("title", say("you have a view of this name already"))


def _check_query(query: Query) -> None:
    values = [text for value in query.values() for text in ([value] if isinstance(value, str) else value)]
    if any("\0" in text for text in (*query, *values)):
        raise Invalid("query", say("holds a character that no name has"))
    if len(urlencode(query, doseq=True)) > QUERY:
        raise Invalid("query", say("is longer than {count} characters", count=QUERY))


def _title(given: str) -> str:
    title = " ".join(given.split())
    if not title:
        raise Invalid("title", say("must not be empty"))
    if not title.isprintable():
        raise Invalid("title", say("holds a character that no name has"))
    if len(title) > TITLE:
        raise Invalid("title", say("is longer than {count} characters", count=TITLE))
    return title


def _free_key(title: str) -> str:
    """Return a name for addresses that no view has."""
    base = slugify(title)[: KEY - SUFFIX].strip("-") or "view"
    taken = set(MapView.objects.filter(key__startswith=base).values_list("key", flat=True))
    key, number = base, 2
    while key in taken:
        key, number = f"{base}-{number}", number + 1
    return key
