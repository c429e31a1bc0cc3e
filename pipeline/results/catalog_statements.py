"""Statements that make the Delta tables of a lake or a result known to a catalog, by the program that reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pipeline.files.location import Location

SPARK, TRINO, DUCKDB = "spark", "trino", "duckdb"
PROGRAMS: Final = (SPARK, TRINO, DUCKDB)
_S3A: Final = "s3a://"
"""The scheme of Hadoop; all others write `s3://`."""


def statements(program: str, schema: str, tables: Mapping[str, Location]) -> Iterator[str]:
    """Yield the statements that a program takes: for a schema, and for each table by its name. Run again, they change
    nothing."""
    match program:
        case "spark":
            yield f"CREATE SCHEMA IF NOT EXISTS {_ticked(schema)}"
            for name, place in tables.items():
                target, url = table_name(schema, name), _text(_url(place), escapes=True)
                yield f"CREATE TABLE IF NOT EXISTS {target} USING DELTA LOCATION {url}"
        case "trino":
            yield f"CREATE SCHEMA IF NOT EXISTS {_quoted(schema)}"
            for name, place in tables.items():
                named = f"schema_name => {_text(schema)}, table_name => {_text(name)}"
                yield f"CALL system.register_table({named}, table_location => {_text(_for_others(place))})"
        case "duckdb":
            yield from ("INSTALL delta", "LOAD delta", f"CREATE SCHEMA IF NOT EXISTS {_quoted(schema)}")
            for name, place in tables.items():
                rows = f"delta_scan({_text(_for_others(place))})"
                yield f"CREATE VIEW IF NOT EXISTS {_quoted(schema)}.{_quoted(name)} AS SELECT * FROM {rows}"  # noqa: S608 - names are quoted
        case _:
            raise ValueError(program)


def table_name(schema: str, name: str) -> str:
    """Return the name of a table in Spark's catalog, as a statement has it."""
    return f"{_ticked(schema)}.{_ticked(name)}"


def _url(place: Location) -> str:
    """Return the URL of a table; one of this machine encodes odd characters, one of a store has them as they stand."""
    if isinstance(place, Path):
        return place.absolute().as_uri()
    return f"{place.store}{quote(str(place.path))}" if place.store.startswith("file:") else str(place)


def _for_others(place: Location) -> str:
    """Return the name of a table for programs without Hadoop."""
    url = _url(place)
    return f"s3://{url.removeprefix(_S3A)}" if url.startswith(_S3A) else url


def _text(value: str, *, escapes: bool = False) -> str:
    """Return a text as SQL has it; `escapes`: the program takes a backslash for the beginning of an escape."""
    return "'" + (value.replace("\\", "\\\\").replace("'", "\\'") if escapes else value.replace("'", "''")) + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _ticked(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
