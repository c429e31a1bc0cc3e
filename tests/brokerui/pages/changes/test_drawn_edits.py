"""Edits drawn on the map: the panel shows them in words and as T-SQL, and adds them."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_estate, draft_get
from brokerui.changes.services import draft_create
from brokerui.estate.refs import database, instance_ref, route
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.model.edits import DropDatabase, DropRoute
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
PIECE = {"HX-Request": "true"}
CART = "//example/orders/Cart"


@pytest.fixture
def draft() -> SavedDraft:
    estate_import(estate=scenario_get("three-servers"), author="import")
    return draft_create(name="Move", author="ada")


def url_of(draft: SavedDraft, **query: Any) -> str:
    return f"/changes/{draft.id}/drawn/?{urlencode(query, doseq=True)}"


def edits_shown(page: Any) -> Any:
    found = re.search(r'data-edits="([^"]*)"', page.content.decode())
    assert found is not None
    return json.loads(unescape(found[1]))


def test_things_are_dropped_once_and_inside_first(editor: Client, draft: SavedDraft) -> None:
    refs = [
        database("shop", "Directory"),
        route("shop", "Orders", "PostRoute"),
        route("shop", "Directory", "BackToLedger"),
    ]
    url = url_of(draft, drop=refs)
    page = editor.get(url, headers=PIECE)
    assert [edit["edit"] for edit in edits_shown(page)] == ["drop_route", "drop_database"]
    assert "DROP ROUTE [PostRoute]" in re.sub(r"<[^>]+>", "", page.content.decode())
    answer = editor.post(url, {"revision": draft.revision}, headers=PIECE)
    assert answer.status_code == 204
    assert "draft:written" in answer.headers["HX-Trigger"]
    expected = (DropRoute("shop", "Orders", "PostRoute"), DropDatabase("shop", "Directory"))
    assert draft_edits(draft_get(draft.id)) == expected


def test_a_service_moves_with_its_contracts(editor: Client, draft: SavedDraft) -> None:
    before = draft_estate(draft).estate.instances["shop"].databases
    service = next(one for one in before["Orders"].services if one.name == CART)
    here, there = str(database("shop", "Orders")), str(database("shop", "Directory"))
    url = url_of(draft, service=CART, **{"from": here, "to": there})
    assert [edit["edit"] for edit in edits_shown(editor.get(url, headers=PIECE))] == ["drop_service", "put_service"]
    assert editor.post(url, {"revision": draft.revision}).status_code == 302
    after = draft_estate(draft_get(draft.id)).estate.instances["shop"].databases
    assert CART not in {one.name for one in after["Orders"].services}
    moved = next(one for one in after["Directory"].services if one.name == CART)
    assert moved.contracts == service.contracts


def test_requests_for_things_that_are_not_there(editor: Client, draft: SavedDraft) -> None:
    url = url_of(draft, drop=[route("shop", "Orders", "Nowhere"), "nothing", instance_ref("nowhere")])
    assert "there is nothing to drop" in editor.get(url).content.decode()
    assert editor.post(url, {"revision": draft.revision}).status_code == 422
    places = {"from": str(database("shop", "Orders")), "to": str(database("shop", "Nowhere"))}
    assert editor.get(url_of(draft, service=CART, **places)).status_code == 404
    places["to"] = str(database("shop", "Directory"))
    assert editor.get(url_of(draft, service="//nothing", **places)).status_code == 404
    assert editor.get("/changes/99/drawn/").status_code == 404


def test_a_draft_that_another_user_has_edited_refuses(editor: Client, draft: SavedDraft) -> None:
    url = url_of(draft, drop=[route("shop", "Orders", "PostRoute")])
    answer = editor.post(url, {"revision": draft.revision + 1}, headers=PIECE)
    assert answer.status_code == 409
    assert draft_edits(draft_get(draft.id)) == ()
