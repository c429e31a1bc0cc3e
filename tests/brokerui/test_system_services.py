"""The services that SQL Server creates in every database: in tables and REST as what they are, and not to be edited."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from brokerui.estate.models import Service
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from routing.common.names import SYSTEM_SERVICES
from routing.documents.estate_document import read_estate
from routing.model.catalog_objects import SYSTEM_MADE
from tests.brokerui.api.helpers import API, change, send
from tests.brokerui.estates import LOCAL, database, document, instance

pytestmark = pytest.mark.django_db
SERVICES, DATABASES = "/tables/estate/service/", "/tables/estate/database/"
REASON = "SQL Server itself creates this service in every database: it cannot be edited"
ONE = SYSTEM_SERVICES[0]


@pytest.fixture(autouse=True)
def estate(db: None) -> None:
    held = {**database("Sales", LOCAL), "services": ["Own", *(one.name for one in SYSTEM_MADE)]}
    estate_import(estate=read_estate(document(instance("hub", held))), author="import")


def services(place: str = "Sales") -> list[str]:
    return [one.name for one in estate_current().estate.instances["hub"].databases[place].services]


def page(client: Client, path: str, **query: Any) -> str:
    return re.sub(r"\s+", " ", client.get(path, query, follow=True).content.decode())


def number(name: str) -> int:
    return Service.objects.get(name=name).pk


# ---------------------------------------------------------------- REST


def test_rest_says_which_they_are(client: Client) -> None:
    rows = client.get(f"{API}/services/").json()["results"]
    assert {row["name"]: row["is_system"] for row in rows} == {"Own": False, **dict.fromkeys(SYSTEM_SERVICES, True)}
    own = client.get(f"{API}/services/?is_system=false").json()
    assert [row["name"] for row in own["results"]] == ["Own"]
    assert client.get(f"{API}/services/?is_system=true").json()["count"] == 3


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_rest_refuses_to_edit_them(editor: Client, method: str) -> None:
    [row] = editor.get(f"{API}/services/?name={quote(ONE)}").json()["results"]
    body = {} if method == "patch" else row
    answer = change(editor, method, f"{API}/services/{row['id']}/", None if method == "delete" else body)
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"in": "body", "name": "name", "detail": REASON}]
    assert len(services()) == 4


def test_rest_edits_those_of_users_as_it_gave_them(editor: Client) -> None:
    [row] = editor.get(f"{API}/services/?name=Own").json()["results"]
    address = f"{API}/services/{row['id']}/"
    assert change(editor, "put", address, {**row, "queue": "dbo.Q"}).json()["queue"] == "dbo.Q"
    assert change(editor, "patch", address, {"is_system": True}).status_code == 422
    assert change(editor, "delete", address).status_code == 204


def test_a_database_that_rest_makes_has_them(editor: Client) -> None:
    assert send(editor, "post", f"{API}/databases/", {"instance": "hub", "name": "Billing"}).status_code == 201
    assert services("Billing") == list(SYSTEM_SERVICES)


def test_what_if_refuses_to_drop_one(editor: Client) -> None:
    question = {"conversation": {"from": {"instance": "hub", "database": "Sales"}, "to_service": "Own"}}
    edit = {"edit": "drop_service", "instance": "hub", "database": "Sales", "name": ONE}
    answer = send(editor, "post", f"{API}/whatif/", {**question, "edits": [edit]})
    assert (answer.status_code, REASON in json.dumps(answer.json())) == (422, True)


# ---------------------------------------------------------------- tables


def test_the_list_says_who_creates_them_and_filters_by_it(editor: Client) -> None:
    text = page(editor, SERVICES)
    assert text.count('field-created_by">SQL Server<') == 3
    assert 'field-created_by">users<' in text
    assert "dbo.ServiceBrokerQueue" in text
    assert text.count('<td class="action-checkbox"><span class="unseen">cannot be edited</span></td>') == 3
    assert text.count('name="_selected_action" value=') - text.count('type="hidden" name="_selected_action"') == 1
    assert ONE not in page(editor, SERVICES, created_by="users")
    assert f"/{number('Own')}/change/" not in page(editor, SERVICES, created_by="system")


def test_the_form_of_one_is_read_only(editor: Client) -> None:
    text = page(editor, f"{SERVICES}{number(ONE)}/change/")
    assert f"{REASON}." in text
    assert 'value="dbo.ServiceBrokerQueue"' in text
    assert 'name="_save"' not in text
    assert "Delete…" not in text
    posted = {"base_version": estate_current().version, "name": ONE, "queue": "dbo.Q", "contracts-TOTAL_FORMS": 0}
    answer = editor.post(f"{SERVICES}{number(ONE)}/change/", {**posted, "contracts-INITIAL_FORMS": 0})
    assert (answer.status_code, REASON in answer.content.decode()) == (422, True)
    assert estate_current().version == posted["base_version"]


def test_the_page_that_deletes_one_says_why_not(editor: Client) -> None:
    assert f"Nothing was deleted: {REASON}" in page(editor, f"{SERVICES}{number(ONE)}/delete/")
    ticked = {"action": "delete_rows", "index": 0, "_selected_action": [number(ONE), number("Own")]}
    answer = editor.post(SERVICES, ticked, follow=True)
    assert f"Nothing was changed: {REASON}" in answer.content.decode()
    assert len(services()) == 4


def test_the_form_of_a_database_leaves_them_out(editor: Client) -> None:
    row = Service.objects.get(name=ONE).database_id
    text = page(editor, f"{DATABASES}{row}/change/")
    assert 'value="Own"' in text
    assert not any(name in text for name in SYSTEM_SERVICES)


def test_a_database_that_a_form_makes_has_them(editor: Client) -> None:
    posted = {"base_version": estate_current().version, "place": "hub", "name": "Billing", "broker_enabled": "on"}
    assert editor.post(f"{DATABASES}add/", posted).status_code == 302
    assert services("Billing") == list(SYSTEM_SERVICES)
