"""Objects of the live estate by words of their names, the closest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Case, Q, QuerySet, Value, When
from django.db.models.functions import Length

from brokerui.estate.models import Database, Instance, Route, Service

Words = Sequence[str]


class FoundObject(NamedTuple):
    """An object with its place. An instance has no `database`, a database is named by it alone."""

    instance: str
    database: str
    name: str


def instances_named(words: Words, limit: int) -> list[FoundObject]:
    """Instances whose name has every word."""
    return _found(Instance.objects.all(), words, limit, own=("name",), places=("name",))


def databases_named(words: Words, limit: int) -> list[FoundObject]:
    """Databases that have each word in their name or in that of their instance, and at least one in their own."""
    return _found(Database.objects.all(), words, limit, own=("name",), places=("instance__name", "name"))


def services_named(words: Words, limit: int) -> list[FoundObject]:
    """Services likewise; their places are databases and instances."""
    places = ("database__instance__name", "database__name", "name")
    return _found(Service.objects.all(), words, limit, own=("name",), places=places)


def routes_named(words: Words, limit: int) -> list[FoundObject]:
    """Routes likewise, also by the service that they lead to and by their address."""
    places = ("database__instance__name", "database__name", "name")
    own = ("name", "remote_service_name", "address")
    return _found(Route.objects.all(), words, limit, own=own, places=places)


def _found(
    rows: QuerySet[Any], words: Words, limit: int, *, own: Sequence[str], places: Sequence[str]
) -> list[FoundObject]:
    """Rows that fit: equal names first, then those that begin with a word, then by length."""
    fits = _any_of(_has(own, word) for word in words)
    for word in words:
        fits &= _has({*own, *places}, word)
    rank = Case(
        When(_any_of(Q(name__iexact=name) for name in (*words, " ".join(words))), then=Value(0)),
        When(_any_of(Q(name__istartswith=word) for word in words), then=Value(1)),
        default=Value(2),
    )
    ordered = rows.filter(fits).order_by(rank, Length("name"), *places)
    return [_object(values) for values in ordered.values_list(*places)[:limit]]


def _has(fields: Iterable[str], word: str) -> Q:
    return _any_of(Q(**{f"{field}__icontains": word}) for field in sorted(fields))


def _any_of(conditions: Iterable[Q]) -> Q:
    found = Q()
    for condition in conditions:
        found |= condition
    return found


def _object(values: tuple[str, ...]) -> FoundObject:
    if len(values) == 1:
        return FoundObject(values[0], "", values[0])
    instance, *_between, name = values
    return FoundObject(instance, values[1], name)
