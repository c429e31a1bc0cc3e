"""Drafts over REST: made, edited, taken back, looked at everywhere, and never written into the live estate."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.selectors import estate_as_of, estate_current
from routing.documents.estate_document import read_estate, write_estate
from tests.brokerui.api.conformance import CheckedClient
from tests.brokerui.api.helpers import API, QUESTION, change, send

pytestmark = pytest.mark.usefixtures("shared_small")
CHANGES = f"{API}/changes/"
DROP = {"edit": "drop_route", "instance": "hub", "database": "Sales", "name": "ToFar"}
PUT = {
    "edit": "put_route",
    "instance": "far/away",
    "database": "msdb",
    "route": {"name": "AutoCreatedLocal", "address": "LOCAL"},
}
KEYS = [
    *("id", "name", "description", "author", "state", "base_version", "version", "stale"),
    *("edits", "undo", "redo"),
]


@pytest.fixture
def draft(editor: Client) -> str:
    """The address of a draft with one edit."""
    made = send(editor, "post", CHANGES, {"name": "Move", "edits": [PUT]})
    assert made.status_code == 201, made.content
    return made.headers["Location"]


def step(client: Client, draft: str, word: str) -> Any:
    """A step back or forth from what the draft is now."""
    return send(client, "post", f"{draft}{word}/", If_Match=client.get(draft).headers["ETag"])


def test_a_draft_has_the_members_that_programs_know(editor: Client, draft: str) -> None:
    response = editor.get(draft)
    body = response.json()
    assert list(body) == KEYS
    assert (body["name"], body["author"], body["state"], body["base_version"], body["version"]) == (
        "Move",
        "editor",
        "draft",
        1,
        None,
    )
    assert (body["stale"], body["undo"], body["redo"], len(body["edits"])) == (False, 0, 0, 1)
    assert body["edits"][0]["route"]["address"] == "LOCAL"
    assert editor.get(draft, headers={"If-None-Match": response.headers["ETag"]}).status_code == 304


def test_edits_are_added_replaced_and_taken_back(editor: Client, draft: str) -> None:
    added = change(editor, "post", f"{draft}edits/", {"edits": [DROP]}).json()
    assert ([one["edit"] for one in added["edits"]], added["undo"]) == (["put_route", "drop_route"], 1)
    assert change(editor, "put", f"{draft}edits/", {"edits": []}).json()["edits"] == []
    undone = step(editor, draft, "undo")
    assert (undone.status_code, undone.json()["undo"], undone.json()["redo"]) == (200, 1, 1)
    assert len(undone.json()["edits"]) == 2
    assert step(editor, draft, "redo").json()["edits"] == []
    nothing = step(editor, draft, "redo")
    assert (nothing.status_code, nothing.json()["detail"]) == (409, "There is nothing to redo.")


def test_an_edit_that_does_not_fit_is_named_by_its_index(editor: Client, draft: str) -> None:
    before = editor.get(draft).json()
    refused = change(editor, "post", f"{draft}edits/", {"edits": [DROP, DROP]})
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, "edits[1].route")
    wrong = change(editor, "put", f"{draft}edits/", {"edits": [{**DROP, "edit": "drop_all"}]})
    assert (wrong.status_code, wrong.json()["errors"][0]["name"]) == (422, "edits[0].edit")
    assert editor.get(draft).json() == before


def test_each_write_takes_what_was_read(editor: Client, draft: str) -> None:
    etag = editor.get(draft).headers["ETag"]
    assert send(editor, "post", f"{draft}edits/", {"edits": [DROP]}).status_code == 428
    assert send(editor, "post", f"{draft}edits/", {"edits": [DROP]}, If_Match=etag).status_code == 200
    for method, path, body in (
        ("post", f"{draft}edits/", {"edits": []}),
        ("put", f"{draft}edits/", {"edits": []}),
        ("post", f"{draft}undo/", None),
        ("patch", draft, {"name": "Other"}),
        ("delete", draft, None),
    ):
        assert send(editor, method, path, body, If_Match=etag).status_code == 412, path
    assert editor.get(draft).json()["name"] == "Move"


def test_a_discarded_draft_is_kept_in_the_list(editor: Client, draft: str) -> None:
    send(editor, "post", CHANGES, {"name": "Second"})
    assert change(editor, "patch", draft, {"description": "No longer needed"}).json()["name"] == "Move"
    assert change(editor, "delete", draft).status_code == 204
    assert change(editor, "post", f"{draft}edits/", {"edits": [DROP]}).status_code == 409
    rows = editor.get(CHANGES).json()["results"]
    assert [(row["name"], row["state"], row["description"]) for row in rows] == [
        ("Second", "draft", ""),
        ("Move", "discarded", "No longer needed"),
    ]
    assert [row["name"] for row in editor.get(f"{CHANGES}?state=draft&author=editor").json()["results"]] == ["Second"]
    page = editor.get(f"{CHANGES}?limit=1").json()
    assert [row["name"] for row in editor.get(page["next"]).json()["results"]] == ["Move"]


def test_every_resource_takes_a_draft(viewer: Client, draft: str) -> None:
    number = draft.rstrip("/").rpartition("/")[2]
    document = write_estate(estate_current().estate)
    text = b"".join(viewer.get(f"{draft}estate/").streaming_content).decode()
    assert b"".join(viewer.get(f"{API}/estate/?draft={number}").streaming_content).decode() == text
    assert text == write_estate(read_estate(text)) != document
    routes = viewer.get(f"{API}/routes/?draft={number}&database=msdb").json()["results"]
    assert [(row["instance"], row["name"]) for row in routes] == [("far/away", "AutoCreatedLocal")]
    assert viewer.get(f"{API}/routes/?database=msdb").json()["results"] == []
    assert viewer.get(f"{API}/sys/routes/?draft={number}").status_code == 200
    answer = send(viewer, "post", f"{API}/whatif/", {**QUESTION, "draft": number}).json()
    assert (answer["verdict"], answer["version"]) == ("must_deliver", 1)
    assert send(viewer, "post", f"{API}/whatif/", QUESTION).json()["verdict"] == "dropped"
    assert write_estate(estate_current().estate) == document


def test_no_draft_of_this_number_and_one_too_many(viewer: Client, draft: str) -> None:
    for number in ("77", "none", "9" * 15, "-1"):
        answer = viewer.get(f"{API}/routes/?draft={number}")
        assert (answer.status_code, answer.json()["errors"][0]["name"]) == (404, "draft"), number
    both = viewer.get(f"{API}/routes/?draft=1&as_of=1")
    assert (both.status_code, both.json()["errors"][0]["name"]) == (404, "draft")
    for number in ("77", "none", "9" * 15):
        assert viewer.get(f"{CHANGES}{number}/").status_code == 404


def test_readers_look_and_do_not_write(viewer: Client, draft: str) -> None:
    etag = viewer.get(draft).headers["ETag"]
    for method, path, body in (
        ("post", CHANGES, {"name": "Mine"}),
        ("post", f"{draft}edits/", {"edits": []}),
        ("post", f"{draft}undo/", None),
        ("delete", draft, None),
    ):
        assert send(viewer, method, path, body, If_Match=etag).status_code == 403


def test_answers_are_as_the_description_says(draft: str) -> None:
    checked = CheckedClient()
    number = int(draft.rstrip("/").rpartition("/")[2])
    at: dict[str, Any] = {"path_parameters": {"number": number}, "headers": {"If-Match": "*"}}
    assert checked.ask("changes_list")["results"]
    assert checked.ask("changes_add", 201, body={"name": "Other", "edits": [DROP]})["undo"] == 0
    assert checked.ask("change_read", path_parameters={"number": number})["id"] == number
    assert checked.ask("change_describe", body={"description": "why"}, **at)["description"] == "why"
    assert checked.ask("change_edits_add", body={"edits": [DROP]}, **at)["undo"] == 1
    assert checked.ask("change_edits_replace", body={"edits": [DROP]}, **at)["undo"] == 2
    assert checked.ask("change_undo", body={}, **at)["redo"] == 1
    assert checked.ask("change_redo", body={}, **at)["redo"] == 0
    assert len(checked.ask("change_edits_read", path_parameters={"number": number})["edits"]) == 1
    assert json.dumps(checked.ask("change_estate", path_parameters={"number": number}))
    assert checked.ask("change_discard", 204, **at) is None
    checked.ask("change_undo", 409, body={}, **at)


def test_the_sql_of_an_instance_is_read_and_replaced(editor: Client, draft: str) -> None:
    read = editor.get(f"{draft}sql/")
    assert list(read.json()) == ["far/away"]
    assert editor.get(f"{draft}sql/", headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    body = {"instance": "hub", "sql": "USE [Sales];\nDROP ROUTE [ToFar];\nPRINT 'x';\nEXEC (@unknown);"}
    assert send(editor, "put", f"{draft}sql/", body).status_code == 428
    answer = send(editor, "put", f"{draft}sql/", body, If_Match=read.headers["ETag"]).json()
    assert ([one["edit"] for one in answer["edits"]], answer["undo"]) == (["drop_route", "put_database"], 1)
    assert (answer["unsupported_count"], answer["unsupported"][0]["line"]) == (1, 4)
    assert list(editor.get(f"{draft}sql/").json()) == ["hub", "far/away"]


def test_a_line_of_sql_that_cannot_be_read_is_named(editor: Client, draft: str) -> None:
    body = {"instance": "hub", "sql": "USE [Sales];\nDROP ROUTE [ToFar];\nCREATE ROUTE [X] WITH ADRESS = N'LOCAL';"}
    refused = change(editor, "put", f"{draft}sql/", body)
    assert refused.status_code == 422
    assert [(one["name"], one["path"]) for one in refused.json()["errors"]] == [("sql", "line 3")]
    assert refused.json()["detail"].startswith("sql: line 3: ")
    assert change(editor, "put", f"{draft}sql/", {"instance": "", "sql": ""}).status_code == 422
    assert change(editor, "put", f"{draft}sql/", {"instance": "HUB", "sql": "CREATE DATABASE [x];"}).status_code == 200
    assert "HUB" not in editor.get(f"{draft}sql/").json(), "names of instances compare without case"


def test_an_earlier_version_is_restored_as_a_draft(editor: Client) -> None:
    made = send(editor, "post", CHANGES, {"name": "Move", "edits": [PUT, DROP]}).headers["Location"]
    step(editor, made, "apply")
    restored = send(editor, "post", f"{API}/versions/1/restore/")
    assert restored.status_code == 201, restored.content
    body = restored.json()
    assert (body["name"], body["base_version"], body["author"]) == ("Restore version 1", 2, "editor")
    assert editor.get(restored.headers["Location"]).json() == body
    step(editor, restored.headers["Location"], "apply")
    assert write_estate(estate_current().estate) == write_estate(estate_as_of(version=1).estate)
    assert estate_current().version == 3


def test_a_version_without_a_difference_or_that_never_was_is_not_restored(editor: Client) -> None:
    same = send(editor, "post", f"{API}/versions/1/restore/")
    assert (same.status_code, same.json()["detail"]) == (409, "The live estate does not differ from version 1.")
    for number in ("0", "7", "x"):
        assert send(editor, "post", f"{API}/versions/{number}/restore/").status_code == 404
