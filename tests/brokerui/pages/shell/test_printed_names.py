"""Names that the product prints, typed into the fields of pages that ask for one."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from brokerui.core.filters import combined, parse
from brokerui.pages.findings.filtering import MAKERS as OF_FINDINGS
from brokerui.pages.flow.filtering import MAKERS as OF_FLOW
from brokerui.pages.flow.filtering import ConversationPath
from routing.classes.reachability import FirstHopOutcome
from routing.documents.estate_document import read_estate
from routing.rules.decision import Outcome
from tests.brokerui.estate.helpers import GUID, TWO, brought_in
from tests.extent import ON_ONE_DATABASE

pytestmark = [pytest.mark.both_databases, ON_ONE_DATABASE, pytest.mark.django_db]
PLACES = ["here/Orders", "Orders on here"]
SPELLINGS = [GUID.upper(), f"{{{GUID}}}", f"{{{GUID.upper()}}}"]


@pytest.fixture(autouse=True)
def two() -> None:
    brought_in(TWO)


def words(client: Client, page: str, **query: str) -> str:
    answer = client.get(page, query)
    assert answer.status_code == 200, answer.content
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()))


@pytest.mark.parametrize("origin", [*PLACES, "exact:here:Orders"])
def test_where_takes_an_origin_as_answers_write_it(client: Client, origin: str) -> None:
    assert "Always delivered Orders on here" in words(client, "/where/", **{"from": origin, "to": "Own"})


@pytest.mark.parametrize("origin", ["outside:there", "outside there", "outside: there"])
def test_where_takes_what_comes_from_outside(client: Client, origin: str) -> None:
    page = client.get("/where/", {"from": origin, "to": "Parts"}).content.decode()
    assert 'id="from" name="from"' in page
    assert 'value="outside:there"' in page


@pytest.mark.parametrize("broker", SPELLINGS)
def test_where_takes_an_identifier_in_every_spelling(client: Client, broker: str) -> None:
    question = {"from": "here/Orders", "to": "Own", "broker": broker, "at": "2030-01-31 12:00:00 UTC"}
    assert "Always delivered Orders on here" in words(client, "/where/", **question)


def rows(client: Client, text: str) -> list[str]:
    page = client.get("/routes/", {"q": text}).content.decode()
    assert 'aria-invalid="true"' not in page, text
    return re.findall(r"data-row-link[^>]*>([^<]+)</a>", page)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("key", ["", "instance:", "database:"])
def test_routes_are_found_by_their_database(client: Client, key: str, place: str) -> None:
    assert sorted(rows(client, f'{key}"{place}"')) == ["AutoCreatedLocal", "R"]


@pytest.mark.parametrize("text", ["here/Orders/R", "name:here/Orders/R"])
def test_routes_are_found_by_the_place_that_findings_and_commands_print(client: Client, text: str) -> None:
    assert rows(client, text) == ["R"]


@pytest.mark.parametrize("broker", SPELLINGS)
@pytest.mark.parametrize("key", ["", "broker:"])
def test_routes_are_found_by_an_identifier_in_every_spelling(client: Client, key: str, broker: str) -> None:
    document: Any = {"format": "brokerui.estate/1", "instances": [{"name": "a", "databases": [{"name": "d"}]}]}
    route = {"name": "ById", "remote_service_name": "S", "broker_instance": GUID, "address": "LOCAL"}
    document["instances"][0]["databases"][0]["routes"] = [route, {"name": "Other", "address": "LOCAL"}]
    brought_in(read_estate(json.dumps(document)))
    assert rows(client, f"{key}{broker}") == ["ById"]


@pytest.mark.parametrize("text", ["here/Orders", "Orders on here", "here/Orders/R"])
def test_the_map_finds_places(client: Client, text: str) -> None:
    assert "Nothing" not in words(client, "/map/", q=text)[:2000]
    assert "select=" in client.get("/map/", {"q": text}).content.decode()


class Found:
    """What the filter of findings reads."""

    instance, database, object = "here", "Orders", "R"


@pytest.mark.parametrize("text", ["instance:here/Orders", 'database:"Orders on here"', "object:here/Orders/R"])
def test_findings_are_found_by_their_place(text: str) -> None:
    test = combined(parse(text, tuple(OF_FINDINGS)), OF_FINDINGS)  # type: ignore[arg-type] - the filters of findings have keys of text
    assert test(Found())  # type: ignore[arg-type]  # what it reads is there


WAYS = [
    ConversationPath("here", "Orders", "Parts", FirstHopOutcome("there", Outcome("delivered", "there", "Parts"))),
    ConversationPath("there", None, "Own", FirstHopOutcome(None, Outcome("dropped", "there", "no_route"))),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from:here/Orders", 0),
        ('from:"Orders on here"', 0),
        ('to:"Parts on there"', 0),
        ("to:there/Parts", 0),
        ("outcome:Delivered", 0),
        ("from:outside:there", 1),
        ('from:"outside there"', 1),
        ("to:no_route", 1),
        ("outcome:DROPPED", 1),
    ],
)
def test_ways_are_found_by_their_ends(text: str, found: int) -> None:
    fits = combined(parse(text, tuple(OF_FLOW)), OF_FLOW)
    assert [fits(way) for way in WAYS] == [number == found for number in range(2)]
