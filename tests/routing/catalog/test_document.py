"""The document: wrong types are one error with the JSON path; what a newer version adds is reported and passed over."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from routing.catalog.document import read_catalog
from routing.catalog.snapshot import CatalogSnapshot, NotRead
from routing.common.errors import InputError

Json = dict[str, Any]
DATABASE: Json = {"database_id": 5, "name": "Orders", "state_desc": "ONLINE", "is_accessible": 1}


def document(**more: Any) -> Json:
    return {"format": "brokerui.catalog/1", "databases": [DATABASE], **more}


def read(value: Any) -> CatalogSnapshot:
    return read_catalog(json.dumps(value), where="f")


def problem(value: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(value)
    return str(caught.value)


def test_the_smallest() -> None:
    snapshot = read(document())
    assert snapshot == CatalogSnapshot(
        "f", databases=(DATABASE | {"is_accessible": True},), complete=True, parts={"Orders": {}}
    )
    assert snapshot.endpoints is None


def test_what_it_tells() -> None:
    snapshot = read(
        document(
            collected_at="2026-06-01T12:00:00.123Z",
            server=[{"server_name": "S"}],
            endpoints=[],
            routes=[{"database_id": 5, "name": "R", "address": "LOCAL"}],
            services=[],
        )
    )
    assert snapshot.collected_at == datetime(2026, 6, 1, 12, 0, 0, 123000, UTC)
    assert snapshot.server == {"server_name": "S"}
    assert snapshot.endpoints == ()
    assert snapshot.parts == {
        "Orders": {"routes": ({"database_id": 5, "name": "R", "address": "LOCAL"},), "services": ()}
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], "f: $: must be an object (line 1, column 1)"),
        ({}, "f: $.format: is missing"),
        ({"format": "brokerui.catalog/1"}, "f: $.databases: is missing"),
        ({"format": "brokerui.catalog/2"}, 'f: $.format: must be "brokerui.catalog/1", not "brokerui.catalog/2"'),
        (document(collected_at=5), "f: $.collected_at: must be a string, not 5"),
        (document(routes={}), "f: $.routes: must be an array (line 1, column"),
        (document(routes=[5]), "f: $.routes[0]: must be an object, not 5"),
        (document(routes=[{"name": "R"}]), "f: $.routes[0].database_id: is missing"),
        (document(routes=[{"database_id": "5"}]), 'f: $.routes[0].database_id: must be a whole number, not "5"'),
        (document(routes=[{"database_id": 5, "name": None}]), "f: $.routes[0].name: must be a string, not null"),
        (document(routes=[{"database_id": 9, "name": "R"}]), "f: $.routes[0].database_id: is 9, the id of no database"),
        (document(service_queues=[{"database_id": 5, "name": "Q", "is_receive_enabled": 2}]), "must be 0 or 1, not 2"),
        (document(endpoints=[{"name": "a"}, {"name": "b"}]), "f: $.endpoints[1]: is one too many"),
        (document(databases=[DATABASE, DATABASE | {"name": "B"}]), "f: $.databases[1].database_id: stands twice: 5"),
        (
            document(databases=[DATABASE, DATABASE | {"database_id": 6}]),
            'f: $.databases[1].name: stands twice: "Orders"',
        ),
        (document(databases=[{"name": "a"}]), "f: $.databases[0].database_id: is missing"),
        (
            document(errors=[{"database_id": 1, "part": "databases", "message": "Lock request time out"}]),
            "f: $.databases: could not be read on the instance: Lock request time out",
        ),
        (document(errors=[{"database_id": 8, "part": "routes"}]), "f: $.errors[0].database_id: is 8, the id of no"),
    ],
)
def test_what_is_refused(value: Any, expected: str) -> None:
    assert expected in problem(value)


def test_keys_that_nobody_knows_are_passed_over() -> None:
    snapshot = read(
        document(
            routes=[{"database_id": 5, "name": "R", "colour": "red"}, {"database_id": 5, "name": "S", "colour": {}}],
            audits=[{"a": [1, 2]}] * 3,
            weather="fine",
        )
    )
    assert snapshot.unknown == ("routes[].colour", "audits", "weather")
    assert [row["name"] for row in snapshot.parts["Orders"]["routes"]] == ["R", "S"]


def test_a_large_part_that_nobody_knows_is_passed_over() -> None:
    assert read(document(audits=[{"text": "x" * 1000}] * 2000)).unknown == ("audits",)


def test_a_row_that_was_read_twice_counts_once() -> None:
    row = {"database_id": 5, "name": "R", "address": "LOCAL"}
    assert read(document(routes=[row, row])).parts["Orders"]["routes"] == (row,)


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("routing.catalog.document.MAX_ROWS", 3)
    rows = [{"database_id": 5, "name": f"R{n}"} for n in range(3)]
    assert problem(document(routes=rows)) == "f: $.routes[2]: is one too many: the limit is 3"


def test_too_many_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("routing.catalog.document.MAX_DATABASES", 1)
    databases = [DATABASE, DATABASE | {"database_id": 6, "name": "B"}]
    assert problem(document(databases=databases)) == "f: $.databases[1]: is one too many: the limit is 1"


def test_too_many_keys_that_nobody_knows() -> None:
    assert problem(document(**{f"k{n}": n for n in range(1001)})) == ("f: $: has more than 1000 unknown keys")


def test_a_part_that_failed_is_not_told() -> None:
    snapshot = read(
        document(
            routes=[{"database_id": 5, "name": "R"}],
            services=[],
            errors=[{"database_id": 5, "part": "routes", "number": 1222, "message": "Lock request time out"}],
        )
    )
    assert snapshot.parts == {"Orders": {"services": ()}}
    assert snapshot.not_read == (NotRead("Orders", "routes", "Lock request time out", 1222),)


def test_endpoints_that_failed_are_not_told() -> None:
    snapshot = read(document(endpoints=[], errors=[{"database_id": 1, "part": "endpoints", "message": None}]))
    assert snapshot.endpoints is None
    assert snapshot.not_read == (NotRead(None, "endpoints", "", None),)


def test_rows_that_were_cut_off() -> None:
    snapshot = read(document(routes=[], cut=[{"database_id": 5, "part": "routes", "cut_rows": 12}]))
    assert snapshot.cut == (NotRead("Orders", "routes", "", 12),)
    assert snapshot.complete


def test_databases_that_were_cut_off() -> None:
    assert not read(document(cut=[{"database_id": 1, "part": "databases", "cut_rows": 2}])).complete


def test_a_database_without_access_tells_nothing() -> None:
    closed = {"database_id": 6, "name": "Closed", "state_desc": "ONLINE", "is_accessible": 0}
    away = {"database_id": 7, "name": "Away", "state_desc": "OFFLINE", "is_accessible": 0}
    snapshot = read(document(databases=[DATABASE, closed, away], routes=[]))
    assert snapshot.parts == {"Orders": {"routes": ()}}
