"""The panel beside the map of a draft: its edits, the findings that remain, and acts on the selected thing."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get
from brokerui.changes.services import draft_create, draft_discard, edits_append
from brokerui.estate.scenarios.selectors import scenario_get
from brokerui.estate.services import estate_import
from routing.documents.edits_json import edits_as_json
from routing.model.edits import DropRoute, SetForwarding
from tests.brokerui.changes.helpers import seen
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
PIECE = {"HX-Request": "true"}


@pytest.fixture
def draft() -> SavedDraft:
    estate_import(estate=scenario_get("three-servers"), author="import")
    return draft_create(name="Move", author="ada")


def panel(client: Client, draft: SavedDraft, select: str = "") -> str:
    return client.get("/map/", {"draft": draft.id, "select": select}, headers=PIECE).content.decode()


def acts(text: str) -> dict[str, Any]:
    """The edits of each button that adds some, by what it says."""
    found = re.findall(r'<button[^>]*data-try="([^"]*)">(.*?)</button>', text, re.DOTALL)
    return {re.sub(r"<[^>]+>", "", label): json.loads(unescape(edits)) for edits, label in found}


def kept(draft: SavedDraft) -> list[dict[str, Any]]:
    return edits_as_json(draft_edits(draft_get(draft.id)))


def test_the_edits_stand_there_in_words_each_with_its_statement(editor: Client, draft: SavedDraft) -> None:
    edits_append(
        **seen(draft), edits=[DropRoute("shop", "Orders", "PostRoute"), SetForwarding("depot", forwarding=True)]
    )
    text = panel(editor, draft)
    says = [unescape(re.sub(r"<[^>]+>", "", one)) for one in re.findall(r'<span class="edit-says">(.*?)</span>', text)]
    assert says == ["Drops route PostRoute of shop/Orders.", "Switches message forwarding of depot on."]
    first, second = (editor.get(f"/changes/{draft.id}/edits/{index}/sql/").content.decode() for index in (0, 1))
    assert "DROP ROUTE" in re.sub(r"<[^>]+>", "", first)
    assert "MESSAGE_FORWARDING = ENABLED" in re.sub(r"<[^>]+>", "", second)
    assert editor.get(f"/changes/{draft.id}/edits/2/sql/").status_code == 404


def test_an_edit_is_taken_out_in_place(editor: Client, draft: SavedDraft) -> None:
    written = edits_append(
        **seen(draft), edits=[SetForwarding("shop", forwarding=False), SetForwarding("depot", forwarding=True)]
    )
    answer = editor.post(f"/changes/{draft.id}/remove/", {"revision": written.revision, "index": 0}, headers=PIECE)
    assert answer.status_code == 204
    assert "draft:written" in answer.headers["HX-Trigger"]
    assert kept(draft) == [{"edit": "set_forwarding", "instance": "depot", "forwarding": True}]


def test_what_is_found_can_be_mended(editor: Client, draft: SavedDraft) -> None:
    url = f"/changes/{draft.id}/findings/"
    found = acts(editor.get(url).content.decode())
    assert "Mend: PostRoute" in found
    (edit,) = found["Mend: PostRoute"]
    assert (edit["edit"], edit["route"]["name"], edit["route"]["address"]) == (
        "put_route",
        "PostRoute",
        "tcp://office.example:4022",
    )
    sent = {"edits": json.dumps([edit]), "revision": draft.revision}
    assert editor.post(f"/changes/{draft.id}/add/", sent, headers=PIECE).status_code == 204
    assert kept(draft) == [edit]
    assert "Mend: PostRoute" not in acts(editor.get(url).content.decode())


def test_all_that_is_found_can_be_mended_one_by_one(editor: Client, draft: SavedDraft) -> None:
    for _round in range(12):
        found = acts(editor.get(f"/changes/{draft.id}/findings/").content.decode())
        mends = [edits for says, edits in found.items() if says.startswith("Mend")]
        if not mends:
            break
        sent = {"edits": json.dumps(mends[0]), "revision": draft_get(draft.id).revision}
        assert editor.post(f"/changes/{draft.id}/add/", sent, headers=PIECE).status_code == 204
    text = editor.get(f"/changes/{draft.id}/findings/").content.decode()
    assert "severity" not in text or "mark-error" not in text


def test_a_database_has_its_switches(editor: Client, draft: SavedDraft) -> None:
    found = acts(panel(editor, draft, "database/depot/Stock"))
    place = {"instance": "depot", "database": "Stock"}
    assert found["Switch off"] == [{"edit": "set_broker", **place, "enabled": False}]
    assert found["Mirror"] == [{"edit": "set_mirroring_role", **place, "mirroring_role": "MIRROR"}]
    assert found["Not mirrored"] == [{"edit": "set_mirroring_role", **place, "mirroring_role": None}]
    assert found["Drop database"] == [{"edit": "drop_database", "instance": "depot", "name": "Stock"}]
    service = "//example/stock/Reserve"
    assert found[f"Drop: {service}"] == [{"edit": "drop_service", **place, "name": service}]
    queues = {says: edits for says, edits in found.items() if says.startswith("Switch off: ")}
    assert all(edit["edit"] == "set_queue" for edits in queues.values() for edit in edits)
    assert queues


def test_an_instance_and_a_route_have_theirs(editor: Client, draft: SavedDraft) -> None:
    found = acts(panel(editor, draft, "instance/shop"))
    assert found["Switch off"] == [{"edit": "set_forwarding", "instance": "shop", "forwarding": False}]
    assert found["Drop instance"] == [{"edit": "drop_instance", "name": "shop"}]
    route = acts(panel(editor, draft, "route/shop/Orders/PostRoute"))
    assert route == {
        "Drop route: PostRoute": [{"edit": "drop_route", "instance": "shop", "database": "Orders", "name": "PostRoute"}]
    }
    assert "Edit…" in panel(editor, draft, "route/shop/Orders/PostRoute")


@pytest.mark.parametrize("select", ["instance/shop", "database/depot/Stock", "route/shop/Orders/PostRoute", ""])
def test_each_act_can_be_added_and_leads_to_a_panel(editor: Client, draft: SavedDraft, select: str) -> None:
    for edits in acts(panel(editor, draft, select)).values():
        fresh = draft_create(name="Again", author="ada")
        sent = {"edits": json.dumps(edits), "revision": fresh.revision, "select": select}
        answer = editor.post(f"/changes/{fresh.id}/add/", sent, headers=PIECE)
        assert answer.status_code == 204
        assert kept(fresh) == edits
        assert panel(editor, fresh, select)
    for url in re.findall(r'href="([^"]*)" data-panel', panel(editor, draft, select)):
        assert editor.get(unescape(url)).status_code == 200


def test_readers_try_everything_out_and_add_nothing(viewer: Client, draft: SavedDraft) -> None:
    edits_append(**seen(draft), edits=[SetForwarding("shop", forwarding=False)])
    for text in (
        panel(viewer, draft),
        panel(viewer, draft, "database/depot/Stock"),
        panel(viewer, draft, "instance/shop"),
        viewer.get(f"/changes/{draft.id}/findings/").content.decode(),
    ):
        assert "<form" not in text
        assert "data-panel" not in text
    assert "Preview: Mend PostRoute" in acts(viewer.get(f"/changes/{draft.id}/findings/").content.decode())
    assert viewer.post(f"/changes/{draft.id}/add/", {"edits": "[]", "revision": 2}).status_code == 403


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        ({"edits": "[", "revision": 1}, 422, "edits: must be a JSON array"),
        ({"edits": "{}", "revision": 1}, 422, "must be an array"),
        ({"edits": '[{"edit": "drop_instance", "name": "x"}]', "revision": 1}, 422, "edits[0].instance"),
        ({"edits": "[]", "revision": 7}, 409, "Somebody edited this draft"),
        ({"edits": "[]"}, 409, "Somebody edited this draft"),
    ],
)
def test_an_act_that_is_refused_says_why_above_the_panel(
    editor: Client, draft: SavedDraft, sent: dict[str, str], status: int, says: str
) -> None:
    answer = editor.post(f"/changes/{draft.id}/add/", sent, headers=PIECE)
    assert (answer.status_code, answer.headers["HX-Retarget"]) == (status, "#panel")
    assert says in unescape(answer.content.decode())
    plain = editor.post(f"/changes/{draft.id}/add/", sent, follow=True)
    assert says in unescape(plain.content.decode())
    assert kept(draft) == []


def test_a_closed_draft_has_no_acts(editor: Client, draft: SavedDraft) -> None:
    closed = draft_discard(**seen(draft))
    assert "<form" not in panel(editor, draft, "instance/shop")
    answer = editor.post(f"/changes/{draft.id}/add/", {"edits": "[]", "revision": closed.revision}, headers=PIECE)
    assert answer.status_code == 409


# -- Instances, databases and services -------------------------------------------------------------------------
def lines(name: str, *values: str) -> dict[str, str]:
    """The lines of a list, as a browser sends them."""
    column = {"addresses": "address", "contracts": "contract"}[name]
    sent = {f"{name}-{index}-{column}": value for index, value in enumerate(values)}
    return {f"{name}-TOTAL_FORMS": str(len(values)), f"{name}-INITIAL_FORMS": "0", **sent}


INSTANCE = {
    "endpoint_state": "STARTED",
    "endpoint_encryption": "REQUIRED",
    "endpoint_authentication": "WINDOWS",
    "endpoint_forward_size": "10",
}


def test_an_instance_a_database_and_a_service_are_added(editor: Client, draft: SavedDraft) -> None:
    url = f"/changes/{draft.id}/row/"
    instance = {**INSTANCE, "name": "attic", **lines("addresses", "tcp://attic.example:4022"), "revision": 1}
    database = {"place": "attic", "name": "Boxes", "broker_enabled": "on", "mirroring_role": "", "revision": 2}
    service = {"place": "attic/Boxes", "name": "//example/Box", **lines("contracts", ""), "revision": 3}
    for kind, sent, select in (
        ("instance", instance, "instance/attic"),
        ("database", database, "database/attic/Boxes"),
        ("service", service, "database/attic/Boxes"),
    ):
        shown = editor.get(f"{url}{kind}/", {**sent, "preview": "1"})
        assert json.loads(unescape(re.findall(r'data-edits="([^"]*)"', shown.content.decode())[0])), kind
        answer = editor.post(f"{url}{kind}/", sent, headers=PIECE)
        assert answer.status_code == 204, answer.content.decode()
        assert json.loads(answer.headers["HX-Trigger"])["draft:written"]["select"] == select
    assert [edit["edit"] for edit in kept(draft)] == ["put_instance", "put_database", "put_service"]
    assert "attic" in panel(editor, draft, "database/attic/Boxes")


def test_what_is_there_is_altered(editor: Client, draft: SavedDraft) -> None:
    url = f"/changes/{draft.id}/row/service/?key=depot&key=Stock&key=%2F%2Fexample%2Fstock%2FReserve"
    assert "//example/stock/Reserve" in editor.get(url, headers=PIECE).content.decode()
    sent = {"queue": "dbo.Other", **lines("contracts", "C", "D", ""), "revision": 1}
    assert editor.post(url, sent, headers=PIECE).status_code == 204
    (edit,) = kept(draft)
    assert edit["service"] == {"name": "//example/stock/Reserve", "queue": "dbo.Other", "contracts": ["C", "D"]}
    without = {**sent, "contracts-INITIAL_FORMS": "2", "contracts-0-DELETE": "on", "revision": 2}
    assert editor.post(url, without, headers=PIECE).status_code == 204
    assert kept(draft)[-1]["service"]["contracts"] == ["D"]


@pytest.mark.parametrize(
    ("kind", "sent", "field", "says"),
    [
        ("instance", {**INSTANCE, "name": "", **lines("addresses", "")}, "name", "This field is required."),
        ("instance", {**INSTANCE, "name": "x", **lines("addresses", "LOCAL")}, "addresses-0-address", "must be"),
        (
            "instance",
            {**INSTANCE, "name": "x", **lines("addresses", "tcp://shop.example")},
            "addresses-0-address",
            "is an address of",
        ),
        ("database", {"place": "nowhere", "name": "x", "mirroring_role": ""}, "place", "There is no such place"),
        ("database", {"place": "shop", "name": "Orders", "mirroring_role": ""}, "name", "There is one of this name"),
        ("service", {"place": "shop", "name": "x", **lines("contracts", "")}, "place", "There is no such place"),
    ],
)
def test_what_cannot_be_stands_at_its_field(
    editor: Client, draft: SavedDraft, kind: str, sent: dict[str, str], field: str, says: str
) -> None:
    answer = editor.post(f"/changes/{draft.id}/row/{kind}/", {**sent, "revision": "1"}, headers=PIECE)
    assert answer.status_code == 422
    found = re.search(rf'id="notes-{field}"[^>]*>(.*?)</div>', answer.content.decode(), re.DOTALL)
    assert found is not None
    assert says in unescape(found[1])
    assert kept(draft) == []


@pytest.mark.parametrize("path", ["row/queue/", "row/service/?key=shop", "row/database/?key=shop&key=x"])
def test_no_such_row(viewer: Client, draft: SavedDraft, path: str) -> None:
    assert viewer.get(f"/changes/{draft.id}/{path}").status_code == 404


def test_the_hop_limit_is_set(editor: Client, draft: SavedDraft) -> None:
    assert 'name="hop_limit" inputmode="numeric" value="10"' in panel(editor, draft)
    url = f"/changes/{draft.id}/add/"
    assert editor.post(url, {"hop_limit": "7", "revision": 1}, headers=PIECE).status_code == 204
    assert kept(draft) == [{"edit": "set_hop_limit", "hop_limit": 7}]
    for wrong in ("", "x", "-1", "256", "9999"):
        answer = editor.post(url, {"hop_limit": wrong, "revision": 2}, headers=PIECE)
        assert answer.status_code == 422
        assert "must be 0 to 255" in answer.content.decode()
