"""The estate document, `brokerui.estate/1`: reads an estate from JSON and writes it, losing nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, TypeVar

from routing.common.errors import InputError, Invalid, must_be
from routing.common.sentence import say
from routing.documents.collected_json import COLLECTED
from routing.documents.json_decoders import (
    array_of,
    boolean,
    contract_from,
    endpoint_from,
    identifier_or_null,
    integer,
    message_type_from,
    missing_statement_from,
    moment,
    network_address,
    or_null,
    priority_from,
    queue_from,
    remote_service_binding_from,
    route_from,
    service_from,
    string,
    unknown_key,
)
from routing.documents.json_pull import JsonPull
from routing.documents.writer import estate_as_json
from routing.model.estate import DEFAULT_HOP_LIMIT, Database, Estate, Instance, by_name
from routing.model.route_table import RouteTable

FORMAT = "brokerui.estate/1"
MAX_DOCUMENT_BYTES = 64 << 20
"""Larger documents are refused unless the user sets another limit."""
MAX_OBJECTS = 1_000_000
"""Limit of named objects in one document, twenty times the largest known estate; bounds the memory."""
MAX_INSTANCES = 100_000
MAX_DATABASES = 32_767
"""SQL Server's limit of databases on an instance."""

_T = TypeVar("_T")


def read_estate(source: bytes | str, *, where: str = "estate") -> Estate:
    """Read the estate of a document.

    Raises `InputError` with `where`, the JSON path and the reason at the first error; no part of the document is used
    then.
    """
    return read_version(source, where=where)[1]


def read_version(source: bytes | str, *, where: str = "estate") -> tuple[datetime | None, Estate]:
    """Read the estate and the `valid_from` of a document, the time since which it holds; None: it gives none."""
    text = _text(source, where)
    del source  # the bytes of a large document are as large as its text
    reader = _EstateReader(text)
    try:
        return reader.document()
    except Invalid as fault:
        raise InputError(
            where,
            f"${fault.path if fault.path.startswith('[') else '.' + fault.path}".rstrip("."),
            fault.problem,
        ) from None


def write_estate(estate: Estate, *, valid_from: datetime | None = None) -> str:
    """Write the canonical text: fixed key order, one route or service per line, so that text diffs are readable."""
    return "".join(estate_as_json(estate, FORMAT, valid_from))


def _text(source: bytes | str, where: str) -> str:
    if isinstance(source, str):
        return source.removeprefix("\ufeff")
    try:
        return source.decode(json.detect_encoding(source)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        problem = say(
            "is not {encoding} text: {reason} at byte {byte}",
            encoding=error.encoding,
            reason=error.reason,
            byte=error.start,
        )
        raise InputError(where, "", problem) from None


class _EstateReader:
    """Reads a document container by container; objects below a database are leaves."""

    def __init__(self, text: str) -> None:
        self._json = JsonPull(text)
        self._objects = 0

    def document(self) -> tuple[datetime | None, Estate]:
        values = self._members(
            {
                "format": self._format,
                "valid_from": self._leaf(or_null(moment)),
                "hop_limit": self._leaf(integer),
                "instances": self._instances,
            }
        )
        self._json.end()
        if "format" not in values:
            raise Invalid("format", say('is missing; it must be "{format}"', format=FORMAT))
        estate = Estate(values.get("instances", {}), values.get("hop_limit", DEFAULT_HOP_LIMIT))
        return values.get("valid_from"), estate

    def _format(self) -> str:
        value = self._json.value()
        if value != FORMAT:
            raise Invalid("", must_be(f'"{FORMAT}"', value))
        return FORMAT

    def _instances(self) -> dict[str, Instance]:
        return by_name(self._elements(self._instance, MAX_INSTANCES), "")

    def _instance(self) -> Instance:
        values = self._members(
            {
                "name": self._leaf(string),
                "addresses": self._leaf(array_of(network_address)),
                "forwarding": self._leaf(boolean),
                "endpoint": self._leaf(or_null(endpoint_from)),
                "missing_statements": self._leaves(missing_statement_from),
                "databases": self._databases,
            }
        )
        return Instance(**_named(values))

    def _databases(self) -> dict[str, Database]:
        return by_name(self._elements(self._database, MAX_DATABASES), "")

    def _database(self) -> Database:
        values = self._members(
            {
                "name": self._leaf(string),
                "broker_instance": self._leaf(identifier_or_null),
                "broker_enabled": self._leaf(boolean),
                "mirroring_role": self._leaf(or_null(string)),
                "services": self._leaves(service_from),
                "queues": self._leaves(queue_from),
                "contracts": self._leaves(contract_from),
                "message_types": self._leaves(message_type_from),
                "priorities": self._leaves(priority_from),
                "remote_service_bindings": self._leaves(remote_service_binding_from),
                "routes": self._leaves(route_from),
                **{key: self._leaf(decode) for key, decode in COLLECTED.items()},
            }
        )
        routes = values.pop("routes", ())
        if routes:
            values["table"] = RouteTable(routes)
        return Database(**_named(values))

    def _members(self, readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key in self._json.members():
            reader = readers.get(key)
            if reader is None:
                raise Invalid("", unknown_key(key, readers))
            values[key] = _at(key, reader)
        return values

    def _elements(self, element: Callable[[], _T], limit: int = MAX_OBJECTS) -> Iterator[_T]:
        for index in self._json.elements():
            self._objects += 1
            if index >= limit or self._objects > MAX_OBJECTS:
                most = limit if index >= limit else MAX_OBJECTS
                raise Invalid(f"[{index}]", say("is one too many: the limit is {limit}", limit=most))
            try:
                value = element()
            except Invalid as fault:
                raise fault.below(f"[{index}]") from None
            yield value

    def _leaf(self, convert: Callable[[Any], _T]) -> Callable[[], _T]:
        return lambda: convert(self._json.value())

    def _leaves(self, convert: Callable[[Any], _T]) -> Callable[[], tuple[_T, ...]]:
        value = self._json.value
        return lambda: tuple(self._elements(lambda: convert(value())))


def _at(key: str, reader: Callable[[], _T]) -> _T:
    try:
        return reader()
    except Invalid as fault:
        raise fault.below(key) from None


def _named(values: dict[str, Any]) -> dict[str, Any]:
    if "name" not in values:
        raise Invalid("name", say("is missing"))
    return values


__all__ = ["FORMAT", "MAX_DOCUMENT_BYTES", "MAX_OBJECTS", "read_estate", "read_version", "write_estate"]
