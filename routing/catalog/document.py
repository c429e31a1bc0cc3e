"""Reads the document `brokerui.catalog/1` into a snapshot. A wrong type is an error with its JSON path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from routing.catalog.availability import replicas
from routing.catalog.shapes import DATABASE_PARTS, NOTES, NUMBER, SERVER_PARTS, SHAPES, Row, ViewShape
from routing.catalog.snapshot import CatalogSnapshot, NotRead, Rows
from routing.common.errors import InputError, Invalid, must_be
from routing.common.moment import parse_moment
from routing.common.sentence import say
from routing.documents.estate_document import MAX_DATABASES
from routing.documents.json_decoders import string
from routing.documents.json_pull import JsonPull

FORMAT = "brokerui.catalog/1"
MAX_ROWS = 1_000_000
"""Limit of rows in one document, twenty times the largest known instance; bounds the memory."""
MAX_UNKNOWN = 1000
"""Limit of reported unknown keys, which a newer version may have added."""
ONLINE = "ONLINE"
_ID = "database_id"


def read_catalog(text: str, *, where: str) -> CatalogSnapshot:
    """Read a document. Raises `InputError` with the JSON path at the first error."""
    try:
        return _CatalogReader(text).document(where)
    except Invalid as fault:
        raise InputError(where, f"$.{fault.path}".rstrip("."), fault.problem) from None


class _Pull(JsonPull):
    @property
    def at_array(self) -> bool:
        """True if an array begins at the cursor."""
        return self._next() == "["


class _CatalogReader:
    """Reads a document part by part; every row is a leaf."""

    def __init__(self, text: str) -> None:
        self._json = _Pull(text)
        self._rows = 0
        self._unknown: dict[str, None] = {}

    def document(self, where: str) -> CatalogSnapshot:
        heads: dict[str, Any] = {}
        parts: dict[str, list[Row]] = {}
        for key in self._json.members():
            if key in SHAPES:
                parts[key] = _below(key, self._part, key)
            elif key in _HEADS:
                heads[key] = _below(key, self._head, key)
            else:
                self._note(key)
                _below(key[:80], self._skip)
        self._json.end()
        for required in ("format", "databases"):
            if required not in heads and required not in parts:
                raise Invalid(required, say("is missing"))
        return _snapshot(where, heads.get("collected_at"), parts, tuple(self._unknown))

    def _head(self, key: str) -> Any:
        return _HEADS[key](self._json.value())

    def _part(self, part: str) -> list[Row]:
        shape = SHAPES[part]
        if part not in SERVER_PARTS:
            shape = ViewShape({_ID: NUMBER, **shape.columns}, (_ID, *shape.required))
        elif part == "databases":
            shape = ViewShape(shape.columns, (_ID, *shape.required))
        # Without locks an instance may read a row twice while others are moved; it counts once.
        rows: dict[tuple[object, ...], Row] = {}
        for index in self._elements(MAX_DATABASES if part == "databases" else MAX_ROWS):
            row = _below(f"[{index}]", self._row, part, shape)
            rows.setdefault(tuple(row.items()), row)
        return list(rows.values())

    def _elements(self, limit: int = MAX_ROWS) -> Iterator[int]:
        for index in self._json.elements():
            self._rows += 1
            if index >= limit or self._rows > MAX_ROWS:
                most = limit if index >= limit else MAX_ROWS
                raise Invalid(f"[{index}]", say("is one too many: the limit is {limit}", limit=most))
            yield index

    def _skip(self) -> None:
        """Skip a value of any length that is not needed, as long as its elements are small."""
        if self._json.at_array:
            for _ in self._elements():
                self._json.value()
        else:
            self._json.value()

    def _note(self, path: str) -> None:
        """Note an unknown key."""
        self._unknown[path[:100]] = None
        if len(self._unknown) > MAX_UNKNOWN:
            raise Invalid("", say("has more than {limit} unknown keys", limit=MAX_UNKNOWN))

    def _row(self, part: str, shape: ViewShape) -> Row:
        value = self._json.value()
        if type(value) is not dict:
            raise Invalid("", must_be(say("an object"), value))
        row: dict[str, Any] = {}
        for key, member in value.items():
            kind = shape.columns.get(key)
            if kind is None:
                self._note(f"{part}[].{key}")
            elif member is None and key not in shape.required:
                row[key] = None
            else:
                row[key] = _below(key, kind.from_json, member)
        for key in shape.required:
            if key not in row:
                raise Invalid(key, say("is missing"))
        return row


def _format(value: Any) -> str:
    if value != FORMAT:
        raise Invalid("", must_be(f'"{FORMAT}"', value))
    return FORMAT


def _moment(value: Any) -> datetime:
    return parse_moment(string(value))


_HEADS: dict[str, Callable[[Any], Any]] = {"format": _format, "collected_at": _moment}


def _below(key: str, read: Callable[..., Any], *arguments: Any) -> Any:
    """The result of `read`; extends the path of its error by `key`."""
    try:
        return read(*arguments)
    except Invalid as fault:
        raise fault.below(key) from None


# ---------------------------------------------------------------- what the rows say together


def _snapshot(
    where: str, at: datetime | None, parts: dict[str, list[Row]], unknown: tuple[str, ...]
) -> CatalogSnapshot:
    _check_databases(parts.get("errors", []))
    names = _names(parts["databases"])
    notes = {kind: tuple(_notes(kind, parts.get(kind, []), names)) for kind in NOTES}
    return CatalogSnapshot(
        where=where,
        collected_at=at,
        server=next(iter(parts.get("server", [])), {}),
        databases=tuple(parts["databases"]),
        complete=not any(cut.part == "databases" for cut in notes["cut"]),
        endpoints=_endpoints(parts, notes["errors"]),
        replicas=replicas(parts.get("availability_replicas", []), names),
        parts=_by_database(parts, names, notes["errors"]),
        not_read=notes["errors"],
        cut=notes["cut"],
        unknown=unknown,
    )


def _check_databases(errors: list[Row]) -> None:
    """Raise if the list of databases is missing, because the other parts depend on it."""
    for error in errors:
        if error["part"] == "databases":
            raise Invalid("databases", say("could not be read on the instance: {reason}", reason=error.get("message")))


def _names(databases: list[Row]) -> dict[int, str]:
    """The database names by id; raises if two databases share an id or a name."""
    names: dict[int, str] = {}
    seen: set[str] = set()
    for index, row in enumerate(databases):
        if row[_ID] in names:
            raise Invalid(f"databases[{index}].{_ID}", say("stands twice: {id}", id=row[_ID]))
        if row["name"] in seen:
            raise Invalid(f"databases[{index}].name", say('stands twice: "{name}"', name=row["name"]))
        names[row[_ID]] = row["name"]
        seen.add(row["name"])
    return names


def _notes(kind: str, rows: list[Row], names: dict[int, str]) -> Iterable[NotRead]:
    for index, row in enumerate(rows):
        database = None if row["part"] in SERVER_PARTS else _database(names, row, f"{kind}[{index}]")
        yield NotRead(database, row["part"], row.get("message") or "", row.get("number", row.get("cut_rows")))


def _endpoints(parts: dict[str, list[Row]], errors: tuple[NotRead, ...]) -> Rows | None:
    if "endpoints" not in parts or any(error.part == "endpoints" for error in errors):
        return None
    if len(parts["endpoints"]) > 1:
        raise Invalid("endpoints[1]", say("is one too many: an instance has one Service Broker endpoint"))
    return tuple(parts["endpoints"])


def _by_database(
    parts: dict[str, list[Row]], names: dict[int, str], errors: tuple[NotRead, ...]
) -> dict[str, dict[str, Rows]]:
    """The parts of the databases that were read; a failed or absent part is left out."""
    failed = {(error.database, error.part) for error in errors}
    given = [part for part in DATABASE_PARTS if part in parts]
    found: dict[str, dict[str, list[Row]]] = {
        row["name"]: {part: [] for part in given if (row["name"], part) not in failed}
        for row in parts["databases"]
        if row.get("state_desc") in (None, ONLINE) and row.get("is_accessible", True)
    }
    for part in given:
        for index, row in enumerate(parts[part]):
            name = _database(names, row, f"{part}[{index}]")
            if (name, part) in failed:
                continue
            found.setdefault(name, {}).setdefault(part, []).append(row)
    return {name: {part: tuple(rows) for part, rows in held.items()} for name, held in found.items()}


def _database(names: dict[int, str], row: Row, path: str) -> str:
    name = names.get(row[_ID])
    if name is None:
        raise Invalid(f"{path}.{_ID}", say("is {id}, the id of no database in it", id=row[_ID]))
    return name
