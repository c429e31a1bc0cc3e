"""Rows on their way into a table: first into one that only this connection sees, then over in one statement.

While rows are read and converted nobody else waits: a temporary table locks nothing of the product's. Of a process that
is killed meanwhile nothing is left, since its temporary tables go with its connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, models

from brokerui.analysis.traffic.gold import Row
from brokerui.analysis.traffic.models import OfRun

Convert = Callable[[Any], Any]


def columns_of(model: type[OfRun]) -> list[str]:
    """The columns that come from the file."""
    return [field.name for field in _fields(model)]


@contextmanager
def staged(model: type[OfRun]) -> Iterator[str]:
    """The name of a temporary table for the rows of a model, without their run."""
    name = f"staged_{model._meta.db_table}"
    names = _names(model)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE {name} AS SELECT {names} FROM {model._meta.db_table} WHERE 1 = 0")
        try:
            yield name
        finally:
            if not connection.needs_rollback:
                cursor.execute(f"DROP TABLE {name}")


def fill(name: str, model: type[OfRun], batches: Iterable[Sequence[Row]]) -> int:
    """Write rows into the temporary table; return their number."""
    count = 0
    write = _copy if connection.vendor == "postgresql" else _insert
    for batch in batches:
        write(name, model, _converted(model, batch))
        count += len(batch)
    return count


def move(name: str, model: type[OfRun], run: int) -> None:
    """All rows of the temporary table into the real one, as rows of a run."""
    names = _names(model)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} (run_id, {names}) SELECT %s, {names} FROM {name}", [run])


def _copy(name: str, model: type[OfRun], rows: Iterable[Row]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {name} ({_names(model)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _insert(name: str, model: type[OfRun], rows: Iterable[Row]) -> None:
    places = ", ".join(["%s"] * len(_fields(model)))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {name} VALUES ({places})", list(rows))


def _converted(model: type[OfRun], rows: Sequence[Row]) -> Iterator[Row]:
    """As the database takes them; most values are taken as they are."""
    converts = {place: convert for place, field in enumerate(_fields(model)) if (convert := _convert(field))}
    for row in rows:
        values = list(row)
        for place, convert in converts.items():
            values[place] = convert(values[place])
        yield tuple(values)


def _convert(field: models.Field[Any, Any]) -> Convert | None:
    if isinstance(field, models.JSONField):
        return lambda value: json.dumps(_without_nulls(value))
    if isinstance(field, models.DateTimeField):
        return connection.ops.adapt_datetimefield_value
    return None


def _without_nulls(value: Any) -> Any:
    """Outcomes as the product writes them everywhere: a key that does not apply is not there."""
    if isinstance(value, list):
        return [_without_nulls(one) for one in value]
    return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value


def _names(model: type[OfRun]) -> str:
    return ", ".join(map(connection.ops.quote_name, columns_of(model)))


def _fields(model: type[OfRun]) -> list[models.Field[Any, Any]]:
    return [field for field in model._meta.local_concrete_fields if field.name not in ("id", "run")]
