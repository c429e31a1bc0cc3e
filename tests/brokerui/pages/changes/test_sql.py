"""The T-SQL of a draft on its page: one instance at a time, saved as one step, refused with its lines."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get
from brokerui.changes.services import draft_create, draft_discard
from brokerui.estate.scenarios.selectors import scenario_get
from routing.documents.edits_json import edits_as_json
from routing.model.edits import DropRoute
from tests.brokerui.changes.helpers import seen
from tests.brokerui.estate.helpers import brought_in
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
ROUTE = "USE [Orders];\nCREATE ROUTE [New] WITH SERVICE_NAME = N'Parts', ADDRESS = N'tcp://office.example:4022';"


@pytest.fixture
def draft() -> SavedDraft:
    brought_in(scenario_get("three-servers"))
    return draft_create(name="Move", author="ada", edits=[DropRoute("office", "Ledger", "AskForRoutes")])


def saved(client: Client, draft: SavedDraft, sql: str, **more: Any) -> Any:
    sent = {"instance": "shop", "sql": sql, "revision": draft_get(draft.id).revision, **more}
    return client.post(f"/changes/{draft.id}/sql/", sent)


def kinds(draft: SavedDraft) -> list[str]:
    return [edit["edit"] for edit in edits_as_json(draft_edits(draft_get(draft.id)))]


def typed(page: Any) -> str:
    return unescape(page.content.decode().partition("<textarea")[2].partition(">\n")[2].partition("</textarea>")[0])


def wrong_lines(page: Any) -> list[str]:
    return re.findall(r'<span class="wrong">(\d+)</span>', page.content.decode())


def test_the_first_changed_instance_is_shown_and_any_can_be_chosen(editor: Client, draft: SavedDraft) -> None:
    page = editor.get(f"/changes/{draft.id}/sql/")
    assert "DROP ROUTE [AskForRoutes]" in typed(page)
    assert typed(editor.get(f"/changes/{draft.id}/sql/?instance=shop")) == ""
    assert "the script adds it" in editor.get(f"/changes/{draft.id}/sql/?instance=attic").content.decode()


def test_a_script_is_saved_as_a_step_and_shown_as_the_draft_has_it(editor: Client, draft: SavedDraft) -> None:
    answer = saved(editor, draft, ROUTE.replace("\n", "\r\n"))
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/changes/{draft.id}/sql/?instance=shop")
    assert kinds(draft) == ["drop_route", "put_route"]
    text = typed(editor.get(answer.headers["Location"]))
    assert "CREATE ROUTE [New]" in text
    revision = draft_get(draft.id).revision
    assert saved(editor, draft, text).status_code == 302
    assert draft_get(draft.id).revision == revision


def test_what_was_typed_stays_after_a_refusal_with_each_line_marked(editor: Client, draft: SavedDraft) -> None:
    sql = f"-- mine\n{ROUTE}\nCREATE ROUTE [Other] WITH ADRESS = N'LOCAL';"
    page = saved(editor, draft, sql)
    assert (page.status_code, typed(page), wrong_lines(page)) == (422, sql, ["4"])
    assert kinds(draft) == ["drop_route"]
    other = saved(editor, draft, '-- brokerui: {"hop_limit": 3}')
    assert (other.status_code, "hop limit" in other.content.decode()) == (422, True)


def test_a_draft_that_was_written_since_keeps_what_was_typed(editor: Client, draft: SavedDraft) -> None:
    page = saved(editor, draft, ROUTE, revision=7)
    assert (page.status_code, typed(page), kinds(draft)) == (409, ROUTE, ["drop_route"])


def test_statements_that_are_not_supported_are_counted_and_listed(editor: Client, draft: SavedDraft) -> None:
    sql = f"{ROUTE}\nEXEC (@unknown);\nEXEC (@other);"
    page = saved(editor, draft, sql)
    assert (page.status_code, typed(page)) == (200, sql)
    assert "2 statements are not supported" in page.content.decode()
    assert re.findall(r'data-line="(\d+)"', page.content.decode()) == ["3", "4"]
    assert kinds(draft) == ["drop_route", "put_route"]


def test_readers_and_closed_drafts_have_no_editor(viewer: Client, editor: Client, draft: SavedDraft) -> None:
    page = viewer.get(f"/changes/{draft.id}/sql/").content.decode()
    assert ("<textarea" in page, "AskForRoutes" in page, "Save the script" in page) == (True, True, False)
    assert "What you type here is tried out and not saved." in page
    assert saved(viewer, draft, ROUTE).status_code == 403
    draft_discard(**seen(draft))
    assert "<textarea" not in editor.get(f"/changes/{draft.id}/sql/").content.decode()
    assert saved(editor, draft, ROUTE).status_code == 409


def previewed(client: Client, draft: SavedDraft, sql: str) -> str:
    page = client.post(f"/changes/{draft.id}/sql/preview/", {"revision": "1", "instance": "shop", "sql": sql})
    assert page.status_code == 200
    return unescape(page.content.decode())


@pytest.mark.parametrize("role", ["editor", "viewer"])
def test_what_a_script_would_bring_is_told_while_it_is_typed(
    role: str, draft: SavedDraft, request: pytest.FixtureRequest
) -> None:
    editor: Client = request.getfixturevalue(role)
    page = previewed(editor, draft, ROUTE)
    assert '"edit": "put_route"' in page
    assert "AskForRoutes" not in page, "only what it would add to the edits of the draft"
    refused = previewed(editor, draft, ROUTE.replace("SERVICE_NAME", "SERVICE_NAM"))
    assert ("data-invalid" in refused, 'data-line="2"' in refused, 'data-edits="[]"' in refused) == (True, True, True)
    assert kinds(draft) == ["drop_route"]


def test_comments_are_there_again_once_a_script_is_saved(editor: Client, draft: SavedDraft) -> None:
    sql = f"-- By ticket 12.\n{ROUTE}\n"
    assert saved(editor, draft, sql).status_code in (200, 302)
    assert typed(editor.get(f"/changes/{draft.id}/sql/?instance=shop")).strip() == sql.strip()
