"""Drafts on their way to the live estate over REST: reviewed, applied, confirmed, rolled back, rebased."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from brokerui.estate.selectors import estate_current, live_version
from brokerui.estate.services import estate_edit
from routing.documents.estate_document import write_estate
from routing.model.edits import SetHopLimit
from routing.model.estate import Edit
from tests.brokerui.api.helpers import API, send
from tests.brokerui.site import signed_in

pytestmark = pytest.mark.usefixtures("shared_small")
CHANGES = f"{API}/changes/"
ROUTE = {"name": "ToParts", "remote_service_name": "Parts", "address": "tcp://parts.example:4022"}
PUT = {"edit": "put_route", "instance": "hub", "database": "Sales", "route": ROUTE}


@pytest.fixture
def draft(editor: Client) -> str:
    """The address of a draft with one edit."""
    return str(send(editor, "post", CHANGES, {"name": "Move", "edits": [PUT]}).headers["Location"])


def step(client: Client, draft: str, word: str, body: Any = None) -> Any:
    """A step from what the draft is now."""
    return send(
        client, "post", f"{draft}{word}/", {} if body is None else body, If_Match=client.get(draft).headers["ETag"]
    )


def elsewhere(*edits: Edit) -> None:
    """Somebody else edits the live estate."""
    estate_edit(edits=edits, base_version=live_version(), author="ben")


def test_a_draft_is_submitted_approved_applied_and_rolled_back(editor: Client, draft: str) -> None:
    before = write_estate(estate_current().estate)
    assert step(editor, draft, "submit", {"comment": "please"}).json()["state"] == "submitted"
    assert step(editor, draft, "approve").json()["state"] == "approved"
    applied = step(editor, draft, "apply", {"confirm_within_s": None})
    assert (applied.status_code, applied.json()["version"]) == (200, 2)
    (hub,) = applied.json()["steps"]
    assert (hub["instance"], hub["hosted"], hub["state"]) == ("hub", False, "to be run")
    assert "CREATE ROUTE [ToParts]" in hub["sql"]
    assert editor.get(draft).json()["version"] == 2
    back = step(editor, draft, "rollback", {"comment": "no"})
    assert back.json() == {"version": 3}
    assert write_estate(estate_current().estate) == before
    entries = editor.get(f"{draft}review/").json()["entries"]
    assert [(one["action"], one["comment"]) for one in entries] == [
        ("submit", "please"),
        ("approve", ""),
        ("apply", ""),
        ("roll_back", "no"),
    ]


def test_a_step_from_another_state_is_a_conflict(editor: Client, draft: str) -> None:
    for word in ("approve", "reject", "reopen", "confirm", "rollback"):
        refused = step(editor, draft, word)
        assert (refused.status_code, refused.json()["detail"]) == (
            409,
            "The draft is draft: this cannot be done any more, or not yet.",
        )
    assert editor.get(draft).json()["state"] == "draft"


def test_a_draft_behind_the_live_estate_is_refused_and_can_be_rebased(editor: Client, draft: str) -> None:
    elsewhere(SetHopLimit(3))
    refused = step(editor, draft, "apply")
    assert refused.status_code == 409
    assert "version 1" in refused.json()["detail"]
    assert "version 2" in refused.json()["detail"]
    assert step(editor, draft, "rebase").json()["base_version"] == 2
    assert step(editor, draft, "apply").json()["version"] == 3


def test_a_rebase_that_collides_names_the_three_values(editor: Client, draft: str) -> None:
    send(editor, "post", CHANGES, {"name": "Other", "edits": [PUT]})
    other = send(editor, "post", CHANGES, {"name": "Other", "edits": [{**PUT, "route": {**ROUTE, "address": "LOCAL"}}]})
    step(editor, str(other.headers["Location"]), "apply")
    before = editor.get(draft).json()
    refused = step(editor, draft, "rebase")
    assert refused.status_code == 409
    (conflict,) = refused.json()["conflicts"]
    assert (conflict["object"], conflict["base"]) == ("hub/Sales routes ToParts", None)
    assert (conflict["live"]["address"], conflict["draft"]["address"]) == ("LOCAL", "tcp://parts.example:4022")
    assert editor.get(draft).json() == before


def test_an_approval_by_another_user_can_be_required(editor: Client, draft: str, settings: Any) -> None:
    settings.CHANGES_APPROVAL = "other"
    assert step(editor, draft, "apply").json()["detail"] == "The draft must be approved before it is applied."
    step(editor, draft, "submit")
    own = step(editor, draft, "approve")
    assert (own.status_code, own.json()["detail"]) == (
        409,
        "You wrote edits of this draft: somebody else must approve it.",
    )
    assert step(signed_in(Role.ADMINISTRATOR), draft, "approve").status_code == 200
    assert step(editor, draft, "apply").json()["version"] == 2


def test_a_confirmed_apply_waits_for_its_confirmation(editor: Client, draft: str) -> None:
    step(editor, draft, "apply", {"confirm_within_s": 600, "delayed_limit": 5})
    assert step(editor, draft, "confirm").json() == {"version": 2}
    assert editor.get(draft).json()["state"] == "confirmed"
    late = step(editor, draft, "confirm")
    assert late.status_code == 409


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"confirm_within_s": 0}, "confirm_within_s"),
        ({"confirm_within_s": "soon"}, "confirm_within_s"),
        ({"delayed_limit": 3}, "delayed_limit"),
        ({"limit": 3}, ""),
    ],
)
def test_a_body_that_says_nothing_sensible_is_refused(editor: Client, draft: str, body: Any, name: str) -> None:
    refused = step(editor, draft, "apply", body)
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, name)
    assert live_version() == 1


def test_comments_stand_at_their_edit(editor: Client, draft: str) -> None:
    assert step(editor, draft, "review", {"comment": "why?", "edit": 0}).status_code == 200
    assert step(editor, draft, "review", {"comment": "why?", "edit": 1}).json()["errors"][0]["name"] == "edit"
    assert step(editor, draft, "review", {"comment": ""}).status_code == 422
    (entry,) = editor.get(f"{draft}review/").json()["entries"]
    assert (entry["author"], entry["edit"], entry["comment"]) == ("editor", 0, "why?")
