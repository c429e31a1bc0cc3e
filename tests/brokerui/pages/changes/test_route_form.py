"""The form of a route in a draft: what it knows at first, what it says while one types, and what it adds."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get
from brokerui.changes.services import draft_create, draft_discard
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_as_json
from tests.brokerui.changes.helpers import seen
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
LEDGER = "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d03"
STOCK = "3c5a2f10-7d41-4a86-9a3e-0a6c2f6b1d01"
ORDERS = {"from_instance": "shop", "from_database": "Orders"}
PIECE = {"HX-Request": "true"}


@pytest.fixture
def draft() -> SavedDraft:
    estate_import(estate=scenario_get("three-servers"), author="import")
    return draft_create(name="Move", author="ada")


def url_of(draft: SavedDraft, **query: str) -> str:
    return f"/changes/{draft.id}/route/?{urlencode(query)}"


def values(page: Any) -> dict[str, str]:
    """The fields that can be seen, without those that are empty."""
    found = re.findall(r'<input id="edit-\w+" name="(\w+)" class="mono" value="([^"]*)"', page.content.decode())
    return {name: unescape(value) for name, value in found if value}


def said_at(page: Any, name: str) -> str:
    found = re.search(rf'id="notes-{name}"[^>]*>(.*?)</div>', page.content.decode(), re.DOTALL)
    assert found is not None
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[1])).split())


def edits_shown(page: Any) -> Any:
    found = re.search(r'data-edits="([^"]*)"', page.content.decode())
    assert found is not None
    return json.loads(unescape(found[1]))


def sql_shown(page: Any) -> str:
    lines = re.findall(r"<code>(.*?)</code>", page.content.decode().partition("sql-lines")[2], re.DOTALL)
    return "\n".join(unescape(re.sub(r"<[^>]+>", "", line)) for line in lines)


def test_it_is_filled_in_with_what_the_target_has_and_no_route_leads_to(viewer: Client, draft: SavedDraft) -> None:
    page = viewer.get(url_of(draft, **ORDERS, to_instance="office"))
    assert values(page) == {
        "name": "ArchiveToOffice",
        "remote_service_name": "//example/ledger/Archive",
        "broker_instance": LEDGER,
        "address": "tcp://office.example:4022",
    }
    assert "Ledger has it; Orders has no other route to it." in said_at(page, "remote_service_name")
    assert "of Ledger on office" in said_at(page, "broker_instance")
    assert "office listens there" in said_at(page, "address")
    assert edits_shown(page)[0]["route"]["address"] == "tcp://office.example:4022"
    assert "CREATE ROUTE" in sql_shown(page)
    assert '<button class="button primary">' not in page.content.decode()


def test_a_mirrored_database_brings_the_address_of_its_partner(viewer: Client, draft: SavedDraft) -> None:
    page = viewer.get(url_of(draft, **ORDERS, to_instance="depot", service="//example/stock/Invoicing"))
    assert values(page)["mirror_address"] == "tcp://office.example:4022"
    assert values(page)["broker_instance"] == STOCK
    assert values(page)["name"] == "InvoicingToDepot"


def test_an_identifier_of_a_database_without_the_service_is_told(viewer: Client, draft: SavedDraft) -> None:
    page = viewer.get(url_of(draft, **ORDERS, route="LabelsAtOffice"))
    assert said_at(page, "broker_instance") == "of Ledger on office, which does not have the service"
    assert 'class="hint unfit"' in page.content.decode()


def test_a_route_to_the_own_instance_is_local(viewer: Client, draft: SavedDraft) -> None:
    for target in ({"local": "1"}, {"to_instance": "shop"}):
        page = viewer.get(url_of(draft, from_instance="shop", from_database="msdb", **target))
        assert values(page)["address"] == "LOCAL"
        assert values(page)["remote_service_name"] == "//example/orders/Cart"
        assert "shop itself" in said_at(page, "address")
        assert "Routes of msdb are for messages from outside" in page.content.decode()


def test_an_address_outside_leaves_the_service_open(viewer: Client, draft: SavedDraft) -> None:
    page = viewer.get(url_of(draft, **ORDERS, to_address="tcp://tax.example:4022"))
    assert values(page) == {"name": "ToTax", "address": "tcp://tax.example:4022"}
    assert "tcp://tax.example:4022 is the address of no instance of this estate." in said_at(page, "address")
    known = viewer.get(url_of(draft, **ORDERS, to_address="TCP://Office.example"))
    assert values(known)["address"] == "TCP://Office.example"
    assert values(known)["broker_instance"] == LEDGER


def test_a_name_that_is_taken_is_not_proposed(editor: Client, draft: SavedDraft) -> None:
    first = values(editor.get(url_of(draft, **ORDERS, to_instance="office", service="//example/ledger/Correct")))
    assert first["name"] == "CorrectToOffice"
    editor.post(url_of(draft, **ORDERS), {**first, "name": "correcttooffice", "revision": draft.revision})
    again = values(editor.get(url_of(draft, **ORDERS, to_instance="office", service="//example/ledger/Correct")))
    assert again["name"] == "CorrectToOffice_2"


def test_msdb_that_no_document_lists_takes_routes(editor: Client) -> None:
    estate = scenario_get("three-servers")
    bare = estate.with_instance(estate.instances["depot"].without_database("msdb"))
    estate_import(estate=bare, author="import")
    draft = draft_create(name="Move", author="ada")
    url = url_of(draft, from_instance="depot", from_database="msdb", to_instance="shop")
    page = editor.get(url)
    answer = editor.post(url, {**values(page), "revision": draft.revision}, headers=PIECE)
    assert answer.status_code == 204
    assert edits_as_json(draft_edits(draft_get(draft.id)))[0]["database"] == "msdb"


def test_it_follows_what_is_typed_and_writes_nothing(viewer: Client, draft: SavedDraft) -> None:
    typed = {"name": "X", "address": "tcp://office.example:1433", "remote_service_name": "//example/ledger/post"}
    page = viewer.get(url_of(draft, **ORDERS, preview="1", **typed))
    assert edits_shown(page) == [
        {
            "edit": "put_route",
            "instance": "shop",
            "database": "Orders",
            "route": {**typed, "broker_instance": None, "lifetime": None, "mirror_address": None},
        }
    ]
    assert "1433" in said_at(page, "address")
    assert "CREATE ROUTE [X]" in sql_shown(page)
    assert draft_get(draft.id).revision == draft.revision


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("name", "", "This field is required."),
        ("name", "AutoCreatedLocal", "There is one of this name already."),
        ("address", "office", "must be LOCAL, TRANSPORT or tcp://HOST[:PORT]"),
        ("broker_instance", "x", "must be"),
        ("mirror_address", "LOCAL", "must be tcp://HOST[:PORT]"),
        ("lifetime", "soon", "must be"),
    ],
)
def test_what_cannot_be_stands_at_its_field(
    editor: Client, draft: SavedDraft, field: str, value: str, says: str
) -> None:
    sent = {"name": "X", "address": "tcp://a.example", field: value, "revision": str(draft.revision)}
    for headers in (PIECE, {}):
        answer = editor.post(url_of(draft, **ORDERS), sent, headers=headers)
        assert answer.status_code == 422
        assert says in said_at(answer, field)
        assert values(answer).get(field, "") == value
    preview = editor.get(url_of(draft, **ORDERS, preview="1", **sent))
    assert says in said_at(preview, field)
    assert "data-invalid" in preview.content.decode()
    assert draft_get(draft.id).edit_count == 0


def test_it_adds_one_edit_and_says_what_to_select(editor: Client, draft: SavedDraft) -> None:
    page = editor.get(url_of(draft, **ORDERS, to_instance="office"), headers=PIECE)
    assert "<html" not in page.content.decode()
    answer = editor.post(url_of(draft, **ORDERS), {**values(page), "revision": draft.revision}, headers=PIECE)
    assert answer.status_code == 204
    written = json.loads(answer.headers["HX-Trigger"])["draft:written"]
    name = values(page)["name"]
    assert written == {
        "draft": draft.id,
        "revision": draft.revision + 1,
        "select": f"route/shop/Orders/{name}",
        "url": f"/map/?draft={draft.id}&select=route%2Fshop%2FOrders%2F{name}",
    }
    assert [edit["edit"] for edit in edits_as_json(draft_edits(draft_get(draft.id)))] == ["put_route"]
    plain = editor.post(url_of(draft, **ORDERS), {"name": "Y", "address": "LOCAL", "revision": draft.revision + 1})
    assert plain.headers["Location"] == f"/map/?draft={draft.id}&select=route%2Fshop%2FOrders%2FY"


def test_a_route_that_is_there_is_altered(editor: Client, draft: SavedDraft) -> None:
    moved = {"address": "tcp://office.example:4022", "mirror_address": "tcp://depot.example:4022"}
    url = url_of(draft, **ORDERS, route="ReserveRoute", **moved)
    page = editor.get(url)
    assert {name: values(page)[name] for name in moved} == moved
    assert "readonly" in page.content.decode()
    assert "ALTER ROUTE [ReserveRoute]" in sql_shown(page)
    sent = {**values(page), "name": "Other", "revision": draft.revision}
    editor.post(url, sent, headers=PIECE)
    (edit,) = edits_as_json(draft_edits(draft_get(draft.id)))
    assert (edit["route"]["name"], edit["route"]["address"]) == ("ReserveRoute", moved["address"])
    unchanged = editor.get(url_of(draft, **ORDERS, route="PostRoute"))
    assert "Nothing differs from the draft." in unchanged.content.decode()


def test_who_was_slower_adds_nothing_and_keeps_what_was_typed(editor: Client, draft: SavedDraft) -> None:
    sent = {"name": "X", "address": "LOCAL", "revision": draft.revision}
    editor.post(url_of(draft, **ORDERS), {**sent, "name": "Other"}, headers=PIECE)
    answer = editor.post(url_of(draft, **ORDERS), sent, headers=PIECE)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody edited this draft after you opened it." in text
    assert values(answer)["name"] == "X"
    assert f'name="revision" value="{draft.revision + 1}"' in text
    assert draft_get(draft.id).edit_count == 1
    again = editor.post(url_of(draft, **ORDERS), {**sent, "revision": draft.revision + 1}, headers=PIECE)
    assert again.status_code == 204


def test_a_closed_draft_takes_nothing(editor: Client, draft: SavedDraft) -> None:
    draft_discard(**seen(draft))
    sent = {"name": "X", "address": "LOCAL", "revision": draft.revision + 1}
    answer = editor.post(url_of(draft, **ORDERS), sent, headers=PIECE)
    assert answer.status_code == 409
    assert "This draft is closed: it takes no edits." in answer.content.decode()


def test_without_a_mouse_one_says_from_where_and_to_what(viewer: Client, draft: SavedDraft) -> None:
    form = viewer.get(url_of(draft))
    assert "Connect to…" in form.content.decode()
    assert 'class="fault"' not in form.content.decode()
    found = viewer.get(url_of(draft, place="shop/Orders", to="office"), follow=True)
    assert values(found)["address"] == "tcp://office.example:4022"
    local = viewer.get(url_of(draft, place="shop/msdb", to="local"), follow=True)
    assert values(local)["address"] == "LOCAL"
    outside = viewer.get(url_of(draft, place="shop/Orders", to="tcp://tax.example"), follow=True)
    assert values(outside)["name"] == "ToTax"
    wrong = viewer.get(url_of(draft, place="shop/Nothing", to="nowhere"))
    assert "The draft has no such database: write instance/database." in said_at(wrong, "place")
    assert "Write an instance of the draft" in said_at(wrong, "to")


@pytest.mark.parametrize("query", [{"from_instance": "x", "from_database": "y"}, {**ORDERS, "route": "x"}])
def test_no_such_place(viewer: Client, draft: SavedDraft, query: dict[str, str]) -> None:
    assert viewer.get(url_of(draft, **query)).status_code == 404
    assert viewer.get("/changes/77/route/").status_code == 404
