"""Lists of named rows that each belong to an owner: many of them are changed in a few statements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db.models import Max

from brokerui.estate.columns import Columns
from brokerui.estate.difference import ListChange

T = TypeVar("T")
Owner = int | None
"""The key of the row above; None: the list is the whole table."""
Changes = Mapping[Any, ListChange[Any]]
"""By owner."""
CHUNK = 500
"""Rows asked for in one statement; every database takes as many parameters."""


class Written(NamedTuple):
    """Values of `routing`, each with the row that was made of it. One value may stand in several lists."""

    changed: list[tuple[Any, Any]]
    added: list[tuple[Any, Any]]


def write_list(
    model: type[Any],
    owner: str | None,
    changes: Changes,
    columns: Callable[[Any], Columns],
    new: Collection[int] = (),
) -> Written:
    """Change the lists of these owners.

    `owner` is the column of the key of the row above; owners in `new` have no rows yet.
    """

    def row(key: Owner, value: Any, position: int = 0) -> Any:
        above = {owner: key} if owner else {}
        return model(**above, name=value.name, position=position, **columns(value))

    _drop(model, owner, {key: change.dropped for key, change in changes.items() if change.dropped})
    changed = [(value, row(key, value)) for key, change in changes.items() for value in change.changed]
    _replace(model, owner, [made for _, made in changed])
    grown = [key for key, change in changes.items() if change.added]
    ends = _ends(model, owner, [key for key in grown if key not in set(new)])
    added = [
        (value, row(key, value, position))
        for key in grown
        for position, value in enumerate(changes[key].added, ends.get(key, 0))
    ]
    model.objects.bulk_create([made for _, made in added])
    _order(model, owner, {key: change.order for key, change in changes.items() if change.order})
    return Written(changed, added)


def _drop(model: type[Any], owner: str | None, names: Mapping[Owner, list[str]]) -> None:
    pairs = [(key, name) for key, dropped in names.items() for name in dropped]
    for part in map(set, chunks(pairs)):
        rows = _of(model, owner, {key for key, _ in part}).filter(name__in={name for _, name in part})
        found = rows.values_list("id", owner or "id", "name")
        ids = [key for key, of, name in found if (of if owner else None, name) in part]
        model.objects.filter(id__in=ids).delete()


def _replace(model: type[Any], owner: str | None, rows: list[Any]) -> None:
    """Rows that are there get the columns of these; their place and whatever else they hold stays."""
    keys = [owner.removesuffix("_id"), "name"] if owner else ["name"]
    if rows:
        columns = _columns_to_replace(rows[0], keys)
        # A table of names alone has nothing to replace; its rows are still asked for their keys.
        model.objects.bulk_create(rows, update_conflicts=True, unique_fields=keys, update_fields=columns or ["name"])


def _columns_to_replace(row: Any, keys: list[str]) -> list[str]:
    kept = {"id", "position", "partner", "hosted", "imported_at", *keys}
    return [field.name for field in row._meta.concrete_fields if field.name not in kept]


def _ends(model: type[Any], owner: str | None, owners: list[Any]) -> dict[Owner, int]:
    """Where each of these lists goes on."""
    if owner is None:
        last = model.objects.aggregate(last=Max("position"))["last"]
        return {None: 0 if last is None else last + 1}
    ends: dict[Owner, int] = {}
    for part in chunks(owners):
        rows = _of(model, owner, part).order_by()
        ends.update((key, last + 1) for key, last in rows.values_list(owner).annotate(Max("position")))
    return ends


def _order(model: type[Any], owner: str | None, orders: Mapping[Owner, list[str]]) -> None:
    """Rows keep their positions where these already rise."""
    for part in chunks(list(orders)):
        rows = _of(model, owner, part).values_list("id", owner or "id", "name", "position")
        places = {(of if owner else None, name): (key, position) for key, of, name, position in rows}
        moved = [model(id=key, position=position) for of in part for key, position in _moves(orders[of], of, places)]
        model.objects.bulk_update(moved, ["position"], batch_size=CHUNK)


def _moves(
    names: list[str], owner: Owner, places: Mapping[tuple[Owner, str], tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The rows of a list that have to move, each with its new position."""
    free = 0
    for name in names:
        key, position = places[owner, name]
        if position < free:
            yield key, free
        free = max(position, free) + 1


def _of(model: type[Any], owner: str | None, owners: Collection[Owner]) -> Any:
    """The rows of these lists."""
    return model.objects.filter(**{f"{owner}__in": owners}) if owner else model.objects.all()


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in parts that fit into one statement."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]
