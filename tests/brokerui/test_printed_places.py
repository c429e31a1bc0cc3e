"""A database as answers, pages and findings print it is taken wherever a filter or a field asks for one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from brokerui.changes.services import draft_create
from brokerui.cli.messaging import HOST_DB, place
from brokerui.estate.services import estate_import
from brokerui.pages.flow.filtering import ConversationPath, way_filter
from routing.classes.reachability import FirstHopOutcome
from routing.common.names import without_brackets
from routing.documents.estate_document import read_estate
from routing.rules.decision import DELIVERED, Outcome
from tests.brokerui.api.helpers import API, SMALL, views
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nothing_shown")]
FORMS = ("far/away/Depot", "Depot on far/away")
"""As commands print it, and as answers do; the instance's own name has a slash."""


@pytest.fixture(autouse=True)
def imported() -> None:
    estate_import(estate=read_estate(SMALL), author="test")


def filtered_lists() -> Iterator[str]:
    """Every list over REST with a filter by database."""
    for name, pattern in views():
        view = getattr(pattern.callback, "cls", None)
        listed = getattr(view, "listing", None) or getattr(getattr(view, "resource", None), "listing", None)
        query = getattr(listed or getattr(view, "sys_view", None), "query", None)
        if query is not None and "database" in query().fields and "<" not in str(pattern.pattern):
            yield name


LISTS = sorted(filtered_lists())


def test_the_lists_are_those_of_rows_and_of_views_of_the_product() -> None:
    assert {"services", "queues", "routes", "sys_transmission_queue", "sys_conversation_endpoints"} <= set(LISTS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LISTS)
def test_rest_filters_take_it(client: Client, name: str, form: str) -> None:
    address = dict(_addresses())[name]
    plain = client.get(address, {"instance": "far/away", "database": "Depot"})
    printed = client.get(address, {"database": form})
    assert plain.status_code == printed.status_code == 200
    assert printed.json()["results"] == plain.json()["results"]
    if name in {"services", "queues", "routes"}:
        assert plain.json()["results"]
    assert client.get(address, {"instance": "hub", "database": form}).json()["results"] == [], "another instance's"


def _addresses() -> Iterator[tuple[str, str]]:
    for name, pattern in views():
        yield name, f"{API}/{pattern.pattern}"


def test_the_events_take_it(client: Client) -> None:
    assert [client.get(f"{API}/events/", {"database": form}).status_code for form in FORMS] == [200, 200]


def rows_of(response: Any) -> list[str]:
    """The rows of the tables of a page, as text."""
    assert response.status_code == 200
    rows = re.findall(r"<tr.*?</tr>", response.content.decode(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("address", "typed"),
    [
        ("/routes/", 'database:"{}"'),
        ("/routes/", '"{}"'),
        ("/findings/", 'database:"{}"'),
        ("/findings/", '"{}"'),
    ],
)
def test_filters_of_pages_take_it(client: Client, address: str, typed: str, form: str) -> None:
    wanted = "instance:far/away database:Depot"
    plain, printed = (client.get(address, {"q": text}) for text in (wanted, typed.format(form)))
    assert rows_of(printed) == rows_of(plain)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("table", ["service", "queue", "route"])
def test_filters_of_tables_take_it(client: Client, table: str, form: str) -> None:
    plain, printed = (client.get(f"/tables/estate/{table}/", {"database": text}) for text in ("Depot", form))
    assert plain.status_code == 200
    assert rows_of(printed) == rows_of(plain) != []


@pytest.mark.parametrize("form", FORMS)
def test_the_question_where_takes_it(client: Client, form: str) -> None:
    page = client.get("/where/", {"from": form, "to": "SalesOut"})
    assert page.status_code == 200
    assert page.context["answer"].explanation.forward.conversation.database == "Depot"


@pytest.mark.parametrize("text", ["hub/Sales", "Sales on hub"])
def test_commands_take_it(text: str) -> None:
    assert place(HOST_DB)(text) == ("hub", "Sales")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[dbo].[Q]", "dbo.Q"),
        ("[Depot].[dbo].[Q]", "dbo.Q"),
        ("[Other].[dbo].[Q]", "Other.dbo.Q"),
        ("[dbo].[a]]b]", "dbo.a]b"),
        ("dbo.Q", "dbo.Q"),
        ("[dbo]", "[dbo]"),
    ],
)
def test_names_of_queues_are_taken_as_t_sql_quotes_them(text: str, name: str) -> None:
    assert without_brackets(text, "Depot") == name


@pytest.mark.parametrize("form", FORMS)
def test_the_filter_of_flow_takes_it_as_a_word(form: str) -> None:
    begins = ConversationPath("far/away", "Depot", "S", FirstHopOutcome(None, Outcome(DELIVERED, "hub", "Sales")))
    ends = ConversationPath("hub", "Sales", "S", FirstHopOutcome(None, Outcome(DELIVERED, "far/away", "Depot")))
    other = ConversationPath("hub", "Depot", "S", FirstHopOutcome(None, Outcome(DELIVERED, "far/away", "Sales")))
    assert [way_filter(f'"{form}"')(one) for one in (begins, ends, other)] == [True, True, False]


@pytest.mark.parametrize("form", [*FORMS, "FAR/AWAY", "outside far/away", "from outside to far/away"])
def test_the_middle_of_the_map_takes_it(client: Client, form: str) -> None:
    plain = client.get("/map/map.svg", {"focus": "far/away"})
    assert client.get("/map/map.svg", {"focus": form}).content == plain.content
    assert plain.content != client.get("/map/map.svg").content


@pytest.mark.parametrize("form", FORMS)
def test_the_origin_of_reachability_takes_it(client: Client, form: str) -> None:
    plain = client.get("/reachability/pairs.csv", {"origin": "far/away/Depot"})
    printed = client.get("/reachability/pairs.csv", {"origin": form})
    assert b"".join(printed.streaming_content) == b"".join(plain.streaming_content)


def test_the_script_of_a_draft_is_that_of_the_instance_in_any_case(editor: Client) -> None:
    draft = draft_create(name="Move", author="ann", edits=())
    page = editor.get(f"/changes/{draft.pk}/sql/", {"instance": "FAR/AWAY"}).content.decode()
    assert "not in the estate yet" not in page
