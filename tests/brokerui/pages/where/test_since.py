"""*Where does it go?*, what changed between then and now: the versions since which a conversation ends otherwise."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from routing.model.edits import PutDatabase
from routing.model.estate import Database, Edit
from tests.brokerui.changes.helpers import put
from tests.brokerui.estate.helpers import REACHED, brought_in

pytestmark = pytest.mark.django_db
QUESTION = {"from": "here/Orders", "to": "Parts"}


def edited(*edits: Edit) -> None:
    estate_edit(edits=edits, author="ada", base_version=estate_current().version)


@pytest.fixture
def moved(db: None) -> None:
    """Version 2 changes nothing for the conversation, 3 sends it out of the estate, 4 changes nothing, 5 mends it."""
    brought_in(REACHED)
    edited(PutDatabase("there", Database("Attic")))
    edited(put("R", "tcp://nowhere.example"))
    edited(PutDatabase("there", Database("Cellar")))
    edited(put("R"))


def since(client: Client, **query: Any) -> str:
    page = client.get("/where/since/", {**QUESTION, **query}, headers={"HX-Request": "true"})
    assert page.status_code == 200
    return unescape(page.content.decode())


@pytest.mark.usefixtures("moved")
def test_each_version_that_changed_it_is_named_newest_first(viewer: Client) -> None:
    page = since(viewer)
    assert [number for number in range(1, 6) if f"since version {number}<" in page] == [3, 5]
    assert page.index("since version 5") < page.index("since version 3")
    assert page.index("Better") < page.index("Worse")
    assert "tcp://nowhere.example" in page
    assert "In all other versions from 1 to 5" in page


@pytest.mark.usefixtures("moved")
def test_then_is_the_version_that_is_looked_at(viewer: Client) -> None:
    page = since(viewer, as_of="3")
    assert ("since version 5<" in page, "since version 3<" in page) == (True, False)
    assert "It ends the same way in each version from 5 to 5." in since(viewer, as_of="5")
    whole = viewer.get("/where/since/", {**QUESTION, "as_of": "3"}).content.decode()
    assert "<h1>" in whole
    assert viewer.get("/where/", {**QUESTION, "as_of": "3"}).content.decode().count("/where/since/?as_of=3") == 2


@pytest.mark.usefixtures("moved")
def test_a_conversation_that_could_not_begin_before_and_one_that_is_none(viewer: Client) -> None:
    assert "It could not begin there." in since(viewer, **{"from": "there/Attic"})
    assert viewer.get("/where/since/", {"from": "here/Nothing", "to": "Parts"}).status_code == 404
