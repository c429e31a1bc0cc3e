"""Responses with real rows have the shape that the OpenAPI description gives them, and no member beyond it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.settings import api_settings

from brokerui.api.catalog_listings import VIEWS as CATALOG_VIEWS
from brokerui.api.ids import id_of
from brokerui.api.row_schema import RESOURCES
from tests.brokerui.api.conformance import CheckedClient
from tests.brokerui.api.helpers import NEW, QUESTION, ROWS, SMALL

pytestmark = pytest.mark.usefixtures("shared_small")
DROP = {"edit": "drop_route", "instance": "hub", "database": "Sales", "name": "ToFar"}
CATALOG = tuple(f"sys_{listing.name}" for listing in CATALOG_VIEWS)
SCRIPT = {"sql": [{"instance": "host9", "scripts": [{"text": "USE Orders; CREATE ROUTE x WITH ADDRESS = 'no';"}]}]}


@pytest.fixture
def checked(monkeypatch: Any) -> CheckedClient:
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
    return CheckedClient()


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.singular)
def test_rows_as_they_are_listed_read_added_changed_and_deleted(checked: CheckedClient, resource: Any) -> None:
    kind, one = resource.listing.name, resource.singular
    assert checked.ask(f"{kind}_list", query={"limit": 1})["results"]
    row = checked.ask(f"{one}_read", path_parameters={"id": id_of(ROWS[kind])})
    assert row["name"] == ROWS[kind][-1]
    added = checked.ask(f"{kind}_add", 201, body=NEW[kind])
    change: dict[str, Any] = {"path_parameters": {"id": added["id"]}, "headers": {"If-Match": "*"}}
    assert checked.ask(f"{one}_replace", body=added, **change) == added
    assert checked.ask(f"{one}_change", body={}, **change) == added
    checked.ask(f"{one}_delete", 204, **change)
    assert checked.ask(f"{kind}_add", 409, body=_without_id(row))["existing"]
    checked.ask(f"{kind}_add", 422, body=NEW[kind] | {"name": ""})


def _without_id(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("id", "is_system")}


def test_the_estate_its_versions_and_the_catalog_views(checked: CheckedClient) -> None:
    assert len(checked.ask("estate_read")["instances"]) == 2
    assert checked.ask("versions_list")["results"]
    assert checked.ask("version_read", path_parameters={"number": 1})["kind"] == "import"
    for name in CATALOG:
        assert checked.ask(name)["results"], name


def test_what_if_before_and_after(checked: CheckedClient) -> None:
    answer = checked.ask("whatif", body={**QUESTION, "edits": [DROP]})
    assert answer["before"]["outcomes"]
    assert (
        checked.ask("whatif", body={"conversation": {**QUESTION["conversation"], "id": 5}})["conversation"]["id"] == 5
    )


def test_imports_at_once_and_by_a_worker(checked: CheckedClient) -> None:
    assert checked.ask("estate_import", body={"document": json.loads(SMALL), "dry_run": True})["dry_run"] is True
    assert checked.ask("estate_import", body=SCRIPT)["findings"]
    run = checked.ask("estate_import", 202, body=SCRIPT, headers={"Prefer": "respond-async"})
    assert checked.ask("estate_import_run", path_parameters={"number": run["id"]})["state"] == "waiting"
