"""Changes of an act, for the audit: each field with its value before and after.

A service names the fields, so that nothing comes into the audit by itself: no password, secret, token, key or body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Final

from django.db import models

from routing.common.moment import format_moment

MOST_FIELDS: Final = 100
"""Of one entry; a version has all rows that it changed."""
MOST_CHARS: Final = 200
Value = str | int | float | bool | None
Changes = list[list[Value]]
"""Field, old value, new value. None: there was none, or is none any more."""


def changes_of(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Changes:
    """Return the fields that differ. `before` is None for a new object, `after` for a deleted one."""
    old, new = before or {}, after or {}
    pairs = ((name, _plain(old.get(name)), _plain(new.get(name))) for name in {**old, **new})
    return first_fields([name, one, other] for name, one, other in pairs if one != other)


def first_fields(found: Iterable[list[Value]]) -> Changes:
    """Return as many as an entry has room for."""
    return list(islice(found, MOST_FIELDS))


def values_of(row: models.Model, *names: str) -> dict[str, Any]:
    """Return these columns of a row as it stands in memory."""
    return {name: getattr(row, name) for name in names}


def stored_values(row: models.Model, *names: str) -> dict[str, Any]:
    """Return these columns of a row as the database has them, before the row is saved."""
    found = type(row)._default_manager.filter(pk=row.pk).values(*names).first()
    return found or {}


def text_of(columns: Mapping[str, Any]) -> str:
    """Write the columns of a value that was added or dropped on one line, without empty ones."""
    filled = {name: _plain(value) for name, value in columns.items() if value not in (None, "", [], ())}
    return _cut(", ".join(f"{name} {_word(value)}" for name, value in filled.items()))


def _word(value: Value) -> object:
    """Write true and false as a person says them: the text is stored, and no page translates it."""
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _plain(value: Any) -> Value:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, list | tuple | set | frozenset):
        return _cut(", ".join(str(_plain(one)) for one in value))
    if isinstance(value, Mapping):
        return text_of(value)
    return _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"
