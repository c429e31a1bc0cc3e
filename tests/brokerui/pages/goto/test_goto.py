"""Go to: what words find, in which order, where each place leads, and what a reader without rights is spared."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.services import draft_create
from brokerui.estate.services import estate_import
from brokerui.messaging.models import ConversationEndpoint
from brokerui.pages.goto.places import OF_EACH
from routing.documents.estate_document import read_estate
from tests.brokerui.estates import LOCAL, database, document, fan, instance, to
from tests.brokerui.security.world import world_made

pytestmark = pytest.mark.django_db
PIECE = {"HX-Request": "true"}


@pytest.fixture
def estate() -> None:
    shop = database("Orders", LOCAL, to("tcp://depot:4022", "Ship", name="ShipRoute"), services=("Buy", "Buy/Back"))
    depot = database("Stock", to("tcp://shop:4022", "Buy", name="BackToOrders"), services=("Ship", "<b>"))
    text = document(instance("shop", shop), instance("depot", depot), instance("shop2", database("Orders2")))
    estate_import(estate=read_estate(text), author="ann")


def places(client: Client, words: str) -> list[tuple[str, str]]:
    """Label and address of each place that the page lists, in order."""
    answer = client.get("/goto/", {"q": words}, headers=PIECE)
    assert answer.status_code == 200
    text = answer.content.decode()
    rows = [row.split("</span>")[0] for row in text.split('<a href="')[1:]]
    return [(unescape(row.split("<span>")[1]), unescape(row.split('"')[0])) for row in rows]


def labels(client: Client, words: str) -> list[str]:
    return [label for label, _url in places(client, words)]


@pytest.mark.usefixtures("estate")
def test_the_closest_name_comes_first_within_its_kind(viewer: Client) -> None:
    assert labels(viewer, "orders") == ["Orders", "Orders2", "BackToOrders"]
    assert labels(viewer, "SHOP")[:2] == ["shop", "shop2"]


@pytest.mark.usefixtures("estate")
def test_every_word_must_be_in_the_name_or_its_place(viewer: Client) -> None:
    assert labels(viewer, "shop2 orders") == ["Orders2"]
    assert labels(viewer, "depot ship") == ["Ship", "ShipRoute"], "a route also by its address"
    assert labels(viewer, "orders nowhere") == []
    assert "Nothing is called “orders nowhere”." in viewer.get("/goto/", {"q": "orders nowhere"}).content.decode()


@pytest.mark.usefixtures("estate")
@pytest.mark.parametrize("words", ["depot", "orders", "buy", "shiproute", "outside", "expired"])
def test_each_place_is_there(viewer: Client, words: str) -> None:
    found = places(viewer, words)
    assert found
    for label, url in found:
        assert viewer.get(url).status_code == 200, label


@pytest.mark.usefixtures("estate")
def test_a_route_leads_to_its_own_row(viewer: Client) -> None:
    url = dict(places(viewer, "shiproute"))["ShipRoute"]
    text = viewer.get(url).content.decode()
    assert "ShipRoute" in text
    assert "BackToOrders" not in text


@pytest.mark.usefixtures("estate")
def test_names_are_shown_as_text(viewer: Client) -> None:
    assert labels(viewer, "<b>") == ["<b>"]
    text = viewer.get("/goto/", {"q": "<b>"}, headers=PIECE).content.decode()
    assert "<b>" not in text


def test_pages_are_those_that_the_reader_may_see(viewer: Client, operator: Client, editor: Client) -> None:
    assert "Import" not in labels(viewer, "")
    assert "Import" in labels(editor, "")
    assert labels(viewer, "delay") == ["Delayed"]
    assert labels(operator, "messages queue")[:2] == ["Queues", "Transmission queues"], "by the heading of the section"


def test_a_conversation_by_either_identifier_in_any_spelling(viewer: Client) -> None:
    handle = str(world_made()["handle"])
    row = ConversationEndpoint.objects.get(conversation_handle=handle)
    for text in (handle, row.conversation_id, f"{{{handle.upper()}}}"):
        assert places(viewer, text) == [(handle, f"/conversations/{handle}/")]


@pytest.mark.usefixtures("estate")
def test_drafts_by_name_and_number_and_versions_by_number(viewer: Client) -> None:
    draft = draft_create(name="New way to Ship", author="ann")
    assert ("New way to Ship", f"/changes/{draft.id}/") in places(viewer, "new way")
    assert ("Version 1", "/changes/versions/1/") in places(viewer, "version 1")
    assert labels(viewer, "version 2") == []


@pytest.mark.parametrize(
    "words", ["\0", "%", "_", "'; --", "a " * 99, "²", "9" * 200, "version 99999999999", '"', "\\"]
)
def test_whatever_is_typed_is_answered(viewer: Client, words: str) -> None:
    assert viewer.get("/goto/", {"q": words}).status_code == 200


def test_a_large_estate_gives_a_few_of_each_and_no_more_queries(
    viewer: Client, django_assert_max_num_queries: Any
) -> None:
    estate_import(estate=read_estate(fan(60)), author="ann")
    with django_assert_max_num_queries(12):
        found = labels(viewer, "branch")
    assert found[:OF_EACH] == [f"branch{number}" for number in range(OF_EACH)]
    assert len(found) <= 4 * OF_EACH
