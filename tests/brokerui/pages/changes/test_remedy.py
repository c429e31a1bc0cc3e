"""A remedy of a page becomes a draft with one click."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from brokerui.accounts.levels import Role
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get
from brokerui.changes.services import draft_create
from brokerui.estate.models import Route
from brokerui.estate.selectors import estate_current, live_version
from routing.model.address import parse_address
from routing.model.edits import PutRoute
from tests.brokerui.estate.helpers import LOCAL, brought_in, estate_of, server
from tests.brokerui.site import signed_in

pytestmark = pytest.mark.django_db
URL = "/changes/remedy/"
WRONG_PORT = estate_of(
    server(
        "here",
        {
            "name": "Orders",
            "services": ["Own"],
            "routes": [LOCAL, {"name": "R", "remote_service_name": "Parts", "address": "tcp://there.example:5000"}],
        },
        {"name": "msdb", "routes": [LOCAL]},
    ),
    server(
        "there",
        {
            "name": "Parts",
            "services": ["Parts"],
            "routes": [LOCAL, {"name": "Back", "remote_service_name": "Own", "address": "tcp://here.example:4022"}],
        },
        {"name": "msdb", "routes": [LOCAL]},
    ),
)


def buttons(page: Any) -> list[str]:
    """The remedies that a page offers as a draft."""
    return [html.unescape(one) for one in re.findall(r'name="remedy" value="([^"]*)"', page.content.decode())]


def addresses(draft: SavedDraft) -> list[str]:
    return [edit.route.address.key for edit in draft_edits(draft) if isinstance(edit, PutRoute)]


def test_a_remedy_of_an_explanation_becomes_a_draft_or_goes_into_the_draft_of_the_page(editor: Client) -> None:
    brought_in(WRONG_PORT)
    question = {"from": "here/Orders", "to": "Parts"}
    response = editor.post(URL, {"remedy": buttons(editor.get("/where/", question))[0]})
    draft = SavedDraft.objects.get()
    assert response.headers["Location"] == reverse("changes:effect", args=[draft.pk])
    assert addresses(draft) == ["tcp://there.example:4022"]
    assert live_version() == 1

    other = draft_create(name="Other", author="editor")
    again = buttons(editor.get("/where/", {**question, "draft": str(other.id)}))[0]
    sent = {"remedy": again, "draft": other.id, "revision": other.revision, "next": f"/where/?draft={other.id}"}
    assert editor.post(URL, sent).headers["Location"] == f"/where/?draft={other.id}"
    assert addresses(draft_get(other.id)) == ["tcp://there.example:4022"]


def test_readers_and_earlier_versions_have_no_such_button(editor: Client) -> None:
    brought_in(WRONG_PORT)
    question = {"from": "here/Orders", "to": "Parts"}
    assert not buttons(signed_in(Role.VIEWER).get("/where/", question))
    assert not buttons(editor.get("/where/", {**question, "as_of": "1"}))


@pytest.mark.parametrize(
    "remedy",
    [
        "",
        "[]",
        "{",
        json.dumps({"instance": "here", "sql": "SELECT 1;", "about": "x"}),
        json.dumps({"instance": "nowhere", "sql": "DROP ROUTE [R];", "about": "x"}),
        json.dumps({"instance": "here", "sql": "x" * 20_001, "about": "x"}),
    ],
)
def test_what_is_no_remedy_makes_no_draft(editor: Client, remedy: str) -> None:
    brought_in(WRONG_PORT)
    assert editor.post(URL, {"remedy": remedy}).status_code == 302
    assert not SavedDraft.objects.exists()


def test_the_effect_offers_the_remedy_of_a_finding_that_the_draft_brings(editor: Client, viewer: Client) -> None:
    brought_in(WRONG_PORT)
    back = estate_current().estate.instances["there"].databases["Parts"].table.routes["Back"]
    wrong = PutRoute("there", "Parts", replace(back, address=parse_address("tcp://here.example:5000")))
    draft = draft_create(name="moves", author="ada", edits=[wrong])
    page = reverse("changes:effect", args=[draft.pk])
    [remedy, *_] = buttons(editor.get(page))
    assert "Mend in this draft" in editor.get(page).content.decode()
    assert buttons(viewer.get(page)) == []
    editor.post(URL, {"remedy": remedy, "draft": draft.pk, "revision": 1})
    assert addresses(draft_get(draft.pk))[-1] == "tcp://here.example:4022"


def test_the_form_of_a_route_offers_the_remedy_of_its_finding(editor: Client) -> None:
    brought_in(WRONG_PORT)
    page = reverse("tables:estate_route_change", args=[Route.objects.get(name="R").pk])
    [remedy] = buttons(editor.get(page))
    editor.post(URL, {"remedy": remedy})
    assert addresses(SavedDraft.objects.get()) == ["tcp://there.example:4022"]
