"""The routes of a draft edited in place: cells, several rows, new ones, drops and pasted grids; one step or nothing."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_estate, draft_get
from brokerui.changes.services import draft_create, draft_discard, draft_undo
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_as_json
from routing.model.route import Route
from tests.brokerui.changes.helpers import seen
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
Fields = dict[str, str]


@pytest.fixture
def draft() -> SavedDraft:
    estate_import(estate=scenario_get("three-servers"), author="import")
    return draft_create(name="Move", author="ada")


def url_of(draft: SavedDraft, query: str = "") -> str:
    return f"/changes/{draft.id}/rows/{query}"


def fields(page: Any) -> Fields:
    """The fields of the table, as a browser sends them."""
    text = page.content.decode().partition("data-rows")[2].partition("</form>")[0]
    found = re.findall(r'<input [^>]*?name="([^"]*)" (?:data-column="[^"]*" )?value="([^"]*)"', text)
    return {name: unescape(value) for name, value in found}


def number_of(sent: Fields, key: str) -> str:
    return next(name.rpartition("-")[2] for name, value in sent.items() if value == f"route/{key}")


def problems(page: Any) -> list[str]:
    found = re.findall(r'<(?:p|li) class="fault"[^>]*>(.*?)</(?:p|li)>', page.content.decode(), re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", text)).split()) for text in found]


def routes(draft: SavedDraft, instance: str = "shop", database: str = "Orders") -> dict[str, Route]:
    return draft_estate(draft_get(draft.id)).estate.instances[instance].tables[database].routes


def kept(draft: SavedDraft) -> list[dict[str, Any]]:
    return edits_as_json(draft_edits(draft_get(draft.id)))


def test_nothing_differs_and_nothing_is_written(editor: Client, draft: SavedDraft) -> None:
    page = editor.get(url_of(draft))
    sent = fields(page)
    assert sent["rows"] == str(27 + 3)
    assert editor.post(url_of(draft), {**sent, "action": "save"}).status_code == 302
    assert draft_get(draft.id).revision == draft.revision


def test_cells_of_several_rows_are_one_step(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft)))
    one, two = (number_of(sent, f"shop/Orders/{name}") for name in ("PostRoute", "LabelsAtOffice"))
    sent |= {f"address-{one}": "tcp://office.example:4022", f"broker_instance-{two}": "", "action": "save"}
    sent |= {f"lifetime-{two}": "2040-01-31T12:00:00Z"}
    page = editor.post(url_of(draft), sent, follow=True)
    assert "2 rows were changed in the draft." in page.content.decode()
    assert [edit["route"]["name"] for edit in kept(draft)] == ["LabelsAtOffice", "PostRoute"]
    assert routes(draft)["PostRoute"].address.text == "tcp://office.example:4022"
    assert routes(draft)["LabelsAtOffice"].broker_instance is None
    assert draft_get(draft.id).step == 1
    draft_undo(**seen(draft_get(draft.id)))
    assert kept(draft) == []


def test_new_rows_are_added_and_lines_left_empty_are_not(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft)))
    first = int(sent["rows"]) - 3
    sent |= {f"name-{first}": "ToTax", f"place-{first}": "shop/Orders", f"address-{first}": "tcp://tax.example"}
    sent |= {f"name-{first + 2}": "Any", f"place-{first + 2}": "depot/msdb", f"address-{first + 2}": "LOCAL"}
    assert editor.post(url_of(draft), {**sent, "action": "save"}).status_code == 302
    assert [(edit["instance"], edit["route"]["name"]) for edit in kept(draft)] == [("shop", "ToTax"), ("depot", "Any")]


def test_ticked_rows_get_one_value_or_are_dropped(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft)))
    ticks = {f"tick-{number_of(sent, f'shop/Orders/{name}')}": "on" for name in ("PostRoute", "LabelsAtDepot")}
    values = {"set-column": "address", "set-value": "tcp://hub.example:4022"}
    editor.post(url_of(draft), {**sent, **ticks, **values, "action": "set"})
    assert {routes(draft)[name].address.text for name in ("PostRoute", "LabelsAtDepot")} == {"tcp://hub.example:4022"}
    assert len(kept(draft)) == 2
    again = fields(editor.get(url_of(draft)))
    editor.post(url_of(draft), {**again, **ticks, "action": "drop"})
    assert not {"PostRoute", "LabelsAtDepot"} & set(routes(draft))
    assert "LabelsAtOffice" in routes(draft)


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("address", "office", "address: must be LOCAL, TRANSPORT or tcp://HOST[:PORT]"),
        ("address", "", "address: must be"),
        ("broker_instance", "x", "broker_instance: must be"),
        ("lifetime", "soon", "lifetime: must be"),
        ("mirror_address", "LOCAL", "mirror_address: must be tcp://HOST[:PORT]"),
        ("remote_service_name", "x" * 300, "remote_service_name: "),
    ],
)
def test_what_cannot_be_stands_at_its_row_and_nothing_is_saved(
    editor: Client, draft: SavedDraft, column: str, value: str, says: str
) -> None:
    sent = fields(editor.get(url_of(draft)))
    one, two = (number_of(sent, f"shop/Orders/{name}") for name in ("PostRoute", "LabelsAtOffice"))
    sent |= {f"{column}-{one}": value, f"address-{two}": "tcp://new.example", "action": "save"}
    page = editor.post(url_of(draft), sent)
    assert page.status_code == 422
    (problem,) = problems(page)
    assert problem.startswith(says)
    text = page.content.decode()
    assert re.search(rf'id="problem-{one}">\s*<p class="fault"', text)
    assert fields(page)[f"{column}-{one}"] == value
    assert fields(page)[f"address-{two}"] == "tcp://new.example"
    assert kept(draft) == []


def test_new_rows_say_what_is_wrong_with_name_and_place(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft)))
    first = int(sent["rows"]) - 3
    rows = (("postroute", "shop/Orders"), ("X", "shop/Nowhere"), ("", "shop/Orders"))
    for number, (name, place) in enumerate(rows, first):
        sent |= {f"name-{number}": name, f"place-{number}": place, f"address-{number}": "LOCAL"}
    page = editor.post(url_of(draft), {**sent, "action": "save"})
    assert problems(page)[:2] == [
        "name: There is one of this name already.",
        "place: There is no such database in the draft.",
    ]
    assert problems(page)[2].startswith("name: ")
    assert fields(page)[f"name-{first + 1}"] == "X"
    twins = sent | {f"name-{first}": "T", f"name-{first + 1}": "t", f"place-{first + 1}": "shop/Orders"}
    assert "name: Another row has this name." in problems(editor.post(url_of(draft), {**twins, "action": "save"}))
    assert kept(draft) == []


GRID = (
    "name\tremote_service_name\tbroker_instance\tlifetime\taddress\tmirror_address\n"
    "ToTax\t//example/tax/File\tNULL\tNULL\tTCP://tax.example:4022\tNULL\n"
    "PostRoute\t//example/ledger/Post\tNULL\t2040-01-31 12:00:00.000\tTCP://office.example:4022\tNULL\n"
)


def pasted(client: Client, draft: SavedDraft, text: str, place: str = "shop/Orders") -> Any:
    sent = {"action": "paste", "pasted": text, "paste-place": place, "revision": draft_get(draft.id).revision}
    return client.post(url_of(draft), sent)


def test_a_grid_with_headings_is_pasted(editor: Client, draft: SavedDraft) -> None:
    assert pasted(editor, draft, GRID).status_code == 302
    assert [edit["route"]["name"] for edit in kept(draft)] == ["ToTax", "PostRoute"]
    assert routes(draft)["PostRoute"].lifetime is not None
    assert draft_get(draft.id).step == 1


def test_a_grid_without_headings_is_pasted(editor: Client, draft: SavedDraft) -> None:
    assert pasted(editor, draft, GRID.partition("\n")[2].replace("2040-01-31 12:00:00.000", "NULL")).status_code == 302
    assert routes(draft)["ToTax"].remote_service_name == "//example/tax/File"


def test_rows_of_several_databases_are_pasted_from_the_table_itself(editor: Client, draft: SavedDraft) -> None:
    grid = (
        "name,instance,database,remote_service_name,address\n"
        "A,shop,Orders,Parts,LOCAL\n"
        "B,office,Ledger,,tcp://tax.example\n"
    )
    assert pasted(editor, draft, grid, place="").status_code == 302
    assert [(edit["instance"], edit["database"]) for edit in kept(draft)] == [("shop", "Orders"), ("office", "Ledger")]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", "shop/Orders", "This is no grid of sys.routes."),
        ("hello", "shop/Orders", "This is no grid of sys.routes."),
        (GRID.replace("TCP://tax.example:4022", "tax"), "shop/Orders", "line 2, address: must be LOCAL"),
        (GRID, "shop/Nowhere", "line 2, place: There is no such database in the draft."),
        (GRID.replace("2040-01-31 12:00:00.000", "soon"), "shop/Orders", "line 3, lifetime: must be"),
    ],
)
def test_a_grid_that_cannot_be_is_kept_and_nothing_of_it_is_saved(
    editor: Client, draft: SavedDraft, text: str, place: str, says: str
) -> None:
    page = pasted(editor, draft, text, place)
    assert page.status_code == 422
    assert problems(page)[0].startswith(says)
    assert kept(draft) == []
    area = re.search(r"<textarea[^>]*>(.*?)</textarea>", page.content.decode(), re.DOTALL)
    assert area is not None
    assert unescape(area[1]).strip() == text.strip()


@pytest.mark.parametrize("role", ["editor", "viewer"])
def test_the_preview_has_the_edits_and_the_problems_and_writes_nothing(
    role: str, draft: SavedDraft, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(role)
    page = client.get(url_of(draft))
    assert ("tried out and not saved" in page.content.decode()) == (role == "viewer")
    sent = fields(page)
    one = number_of(sent, "shop/Orders/PostRoute")
    good = client.post(f"{url_of(draft)}preview/", {**sent, f"address-{one}": "LOCAL"}).content.decode()
    (edits,) = re.findall(r'data-edits="([^"]*)"', good)
    assert [edit["route"]["address"] for edit in json.loads(unescape(edits))] == ["LOCAL"]
    bad = client.post(f"{url_of(draft)}preview/", {**sent, f"address-{one}": "x"})
    assert problems(bad)[0].startswith("address: must be LOCAL")
    assert kept(draft) == []


def test_another_writer_was_first(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft)))
    one = number_of(sent, "shop/Orders/PostRoute")
    sent |= {f"address-{one}": "tcp://mine.example", "action": "save"}
    pasted(editor, draft, GRID)
    page = editor.post(url_of(draft), sent)
    assert page.status_code == 409
    assert "Somebody edited this draft after you opened it." in page.content.decode()
    assert fields(page)[f"address-{one}"] == "tcp://mine.example"
    assert routes(draft)["PostRoute"].address.text == "TCP://office.example:4022"


def test_filter_order_and_pages_are_those_of_the_routes(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft, "?q=database%3AOrders&sort=-name")))
    assert [value.rpartition("/")[2] for name, value in sent.items() if name.startswith("key-")] == [
        "ReserveRoute",
        "PostRoute",
        "LabelsAtOffice",
        "LabelsAtDepot",
        "AutoCreatedLocal",
        "ArchiveRoute",
    ]
    back = editor.post(url_of(draft, "?q=database%3AOrders"), {**sent, "action": "save"})
    assert back.headers["Location"] == url_of(draft, "?q=database%3AOrders")
    assert 'href="/changes/1/rows/?' in editor.get(f"/routes/?draft={draft.id}").content.decode().replace(
        f"/changes/{draft.id}/", "/changes/1/"
    )


def test_readers_see_it_and_change_nothing(viewer: Client, draft: SavedDraft) -> None:
    text = viewer.get(url_of(draft)).content.decode()
    assert "Save the rows" not in text
    assert "tried out and not saved" in text
    assert 'name="action"' not in text.partition("rows-acts")[2]
    assert viewer.post(url_of(draft), {"rows": "0"}).status_code == 403
    assert "/rows/" not in viewer.get(f"/routes/?draft={draft.id}").content.decode()


def test_a_closed_draft_takes_nothing(editor: Client, draft: SavedDraft) -> None:
    sent = fields(editor.get(url_of(draft)))
    closed = draft_discard(**seen(draft))
    one = number_of(sent, "shop/Orders/PostRoute")
    sent |= {f"address-{one}": "LOCAL", "action": "save", "revision": str(closed.revision)}
    assert editor.post(url_of(draft), sent).status_code == 409


@pytest.mark.parametrize("count", ["", "x", "-1", "99999999", "\u0661"])
def test_a_count_of_rows_that_cannot_be(editor: Client, draft: SavedDraft, count: str) -> None:
    assert editor.post(url_of(draft), {"rows": count, "action": "save", "revision": "1"}).status_code == 302
